//! Turns libtorch's failures into errors of this crate.

use tch::Tensor;

use crate::ModelError;

impl From<tch::TchError> for ModelError {
    fn from(error: tch::TchError) -> ModelError {
        // libtorch appends a C++ stack trace; its first line is the message.
        ModelError::Torch(error.to_string().lines().next().unwrap_or_default().to_owned())
    }
}

/// Runs code that calls libtorch and converts its panics to errors: tch panics where libtorch
/// throws.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, ModelError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|panic| {
        let message = (panic.downcast_ref::<String>().map(String::as_str))
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("a panic without a message");
        ModelError::Torch(message.lines().next().unwrap_or_default().to_owned())
    })
}

/// The numbers of a tensor, in order.
pub(crate) fn values(tensor: &Tensor) -> Result<Vec<f32>, ModelError> {
    let flat = guarded(|| tensor.detach().to_device(tch::Device::Cpu).contiguous().view(-1))?;
    Ok(Vec::<f32>::try_from(flat)?)
}
