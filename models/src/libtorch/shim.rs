//! The few functions that libtorch offers only to C++ or to the dynamic loader.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;

use tch::Tensor;
use torch_sys::C_tensor;

// SAFETY: the signatures are those of `shim.cpp` and `fused.cpp`, which
// this package's build script compiles. A `C_tensor` is an `at::Tensor`.
#[allow(unsafe_code)]
unsafe extern "C" {
    fn hotstone_message() -> *const c_char;
    fn hotstone_unpack(
        bits: *const C_tensor,
        on_board: *const C_tensor,
        size: i64,
    ) -> *mut C_tensor;
    fn hotstone_pool(x: *const C_tensor) -> *mut C_tensor;
    fn hotstone_lift(
        x: *const C_tensor,
        vectors: *const C_tensor,
        matrix: *const C_tensor,
    ) -> *mut C_tensor;
    fn hotstone_heads(tensors: *const *const C_tensor, size: i64) -> *mut C_tensor;
    fn hotstone_pinned(tensor: *const C_tensor) -> *mut C_tensor;
    fn hotstone_enable_onednn_fuser(enabled: c_int) -> c_int;
    fn hotstone_keep_memory();
    fn hotstone_load_library(path: *const c_char) -> *const c_char;
}

/// Enables or disables libtorch's oneDNN Graph fuser for graphs compiled from now on; `false` if
/// this libtorch has none.
#[allow(unsafe_code)]
pub fn enable_fuser(enabled: bool) -> bool {
    // SAFETY: takes and returns integers; C++ exceptions end in the shim.
    unsafe { hotstone_enable_onednn_fuser(c_int::from(enabled)) == 0 }
}

/// Makes the allocator keep freed memory for the next step.
#[allow(unsafe_code)]
pub fn keep_memory() {
    // SAFETY: sets two options of the allocator, which may be done at any time.
    unsafe { hotstone_keep_memory() }
}

/// Loads a shared library for the lifetime of the process; the error is the loader's message.
#[allow(unsafe_code)]
pub fn load_library(path: &Path) -> Result<(), String> {
    let path = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|e| e.to_string())?;
    // SAFETY: the argument is a terminated string that outlives the call; a non-null answer is a
    // terminated string of the loader, valid until this thread's next dl call, and copied here.
    unsafe {
        let message = hotstone_load_library(path.as_ptr());
        if message.is_null() {
            Ok(())
        } else {
            Err(CStr::from_ptr(message).to_string_lossy().into_owned())
        }
    }
}

/// Unpacks bit planes, bytes `[batch, planes, bytes]` of little-endian words, into bf16 numbers
/// `[batch, planes, size, size]` with the channels innermost. `on_board` says which bits are
/// points.
///
/// # Panics
/// If libtorch refuses, like all of [`tch`]'s plain operations. The operators below do the same.
#[allow(unsafe_code)]
pub fn unpack(bits: &Tensor, on_board: &Tensor, size: i64) -> Tensor {
    // SAFETY: the operator only reads its operands, which live until it returns.
    into_tensor(unsafe { hotstone_unpack(bits.as_ptr(), on_board.as_ptr(), size) })
}

/// A copy in pinned memory, which a GPU can read while the CPU continues.
#[allow(unsafe_code)]
pub fn pinned(tensor: &Tensor) -> Tensor {
    // SAFETY: as for `unpack`.
    into_tensor(unsafe { hotstone_pinned(tensor.as_ptr()) })
}

/// The pooled vectors of boards: bf16 `[batch, channels, size, size]` to f32 `[batch, 3 ·
/// channels]`.
#[allow(unsafe_code)]
pub fn pool(x: &Tensor) -> Tensor {
    // SAFETY: as for `unpack`.
    into_tensor(unsafe { hotstone_pool(x.as_ptr()) })
}

/// `relu(x + vectors · matrix)` in bf16, with the product added to every point of a board.
#[allow(unsafe_code)]
pub fn lift(x: &Tensor, vectors: &Tensor, matrix: &Tensor) -> Tensor {
    // SAFETY: as for `unpack`.
    into_tensor(unsafe { hotstone_lift(x.as_ptr(), vectors.as_ptr(), matrix.as_ptr()) })
}

/// All outputs of a network; `fused.cpp` describes the inputs.
#[allow(unsafe_code)]
pub fn heads(tensors: [&Tensor; 7], size: i64) -> Tensor {
    let pointers = tensors.map(|tensor| tensor.as_ptr());
    // SAFETY: as for `unpack`; the operator reads seven pointers.
    into_tensor(unsafe { hotstone_heads(pointers.as_ptr(), size) })
}

#[allow(unsafe_code)]
pub(super) fn into_tensor(result: *mut C_tensor) -> Tensor {
    // SAFETY: a result is a new tensor without another owner; without one there is a message, a
    // terminated string of this thread that stays as it is until the next failure.
    unsafe {
        if result.is_null() {
            panic!("{}", CStr::from_ptr(hotstone_message()).to_string_lossy());
        }
        Tensor::from_ptr(result)
    }
}
