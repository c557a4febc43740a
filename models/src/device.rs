//! Where a network runs, and with which arithmetic.

use std::fmt;
use std::sync::OnceLock;

use kernels::Processor;

use crate::ModelError;
#[cfg(feature = "libtorch")]
pub(crate) use crate::libtorch::cuda::cuda_problem;

/// Whether this program was built with libtorch.
const HAS_LIBTORCH: bool = cfg!(feature = "libtorch");

/// Why CUDA cannot be used.
#[cfg(not(feature = "libtorch"))]
pub(crate) fn cuda_problem() -> Option<&'static str> {
    Some("this program was built without libtorch")
}

/// Where tensors live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// The processor.
    Cpu,
    /// The first GPU.
    Cuda,
}

impl Device {
    /// Parses `cpu`, `cuda`, or `auto`: the GPU if libtorch can use one, otherwise the CPU.
    ///
    /// # Errors
    /// An unknown word, or no usable GPU.
    pub fn choose(name: &str) -> Result<Device, ModelError> {
        match name {
            "cpu" => Ok(Device::Cpu),
            "auto" if cuda_problem().is_none() => Ok(Device::Cuda),
            "auto" => Ok(Device::Cpu),
            "cuda" => match cuda_problem() {
                None => Ok(Device::Cuda),
                Some(_) if !HAS_LIBTORCH => Err(ModelError::WithoutLibtorch("cuda".to_owned())),
                Some(problem) => {
                    Err(ModelError::Device(format!("cuda is not available: {problem}")))
                }
            },
            other => Err(ModelError::Device(format!(
                "unknown device '{other}': expected cpu, cuda or auto"
            ))),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Device::Cpu => "cpu",
            Device::Cuda => "cuda",
        })
    }
}

/// The network's arithmetic. Weights are kept, saved and updated in f32 in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats.
    F32,
    /// 16-bit floats with the range of f32 and eight bits of precision.
    Bf16,
}

impl Precision {
    /// Parses `f32`, `bf16`, or [`auto`](Precision::automatic).
    ///
    /// # Errors
    /// An unknown word.
    pub fn choose(name: &str, device: Device) -> Result<Precision, ModelError> {
        match name {
            "f32" => Ok(Precision::F32),
            "bf16" if HAS_LIBTORCH || bf16_by_vectors().is_some() => Ok(Precision::Bf16),
            "bf16" => Err(ModelError::WithoutLibtorch("bf16".to_owned())),
            "auto" => Ok(Precision::automatic(device)),
            other => Err(ModelError::Device(format!(
                "unknown precision '{other}': expected f32, bf16 or auto"
            ))),
        }
    }

    /// bf16 on a GPU, and on CPUs that multiply it faster than f32, by tiles (Intel, with
    /// libtorch) or by vectors (AMD); f32 elsewhere. See `docs/performance.md`.
    pub fn automatic(device: Device) -> Precision {
        let has_bf16 = match device {
            Device::Cuda => true,
            Device::Cpu => bf16_by_tiles() || Processor::fastest_in_bf16().is_some(),
        };
        if has_bf16 { Precision::Bf16 } else { Precision::F32 }
    }

    /// The processor for our own convolutions; `None` where libtorch's are used.
    pub(crate) fn own_convolutions(self, device: Device) -> Option<Processor> {
        match (device, self) {
            (Device::Cpu, Precision::F32) => Some(Processor::fastest()),
            (Device::Cpu, Precision::Bf16) => bf16_by_vectors(),
            (Device::Cuda, Precision::F32 | Precision::Bf16) => None,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Precision::F32 => "f32",
            Precision::Bf16 => "bf16",
        })
    }
}

/// Whether libtorch can multiply bf16 in tiles, the fastest way on a CPU. Without tiles it is slow.
fn bf16_by_tiles() -> bool {
    HAS_LIBTORCH && cpu_has_amx()
}

/// The processor with which our own convolutions multiply bf16, if that is the fastest way to
/// compute in bf16 on this CPU. Everything else is f32 then.
pub(crate) fn bf16_by_vectors() -> Option<Processor> {
    Processor::in_bf16().filter(|_| !bf16_by_tiles())
}

/// Whether the CPU multiplies bf16 matrices in tiles. Asking Linux rather than the CPU also covers
/// machines where AMX exists but is disabled.
pub(crate) fn cpu_has_amx() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let flags = text.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
        flags.split_whitespace().any(|flag| flag == "amx_bf16")
    })
}

/// The number of cores that this process may use.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
