//! The few things that libtorch offers only to C++ or to the dynamic loader.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;

// SAFETY: the signatures are those of `shim.cpp`, which this package's build script compiles.
#[allow(unsafe_code)]
unsafe extern "C" {
    fn hotstone_enable_onednn_fuser(enabled: c_int) -> c_int;
    fn hotstone_keep_memory();
    fn hotstone_load_library(path: *const c_char) -> *const c_char;
}

/// Switches libtorch's oneDNN Graph fuser on or off for graphs compiled from now on; false where
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

/// Loads a shared library for the life of the process, or returns the loader's message.
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
