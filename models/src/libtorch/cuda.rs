//! Where libtorch is, and whether it can use a GPU.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::libtorch::shim;

/// The libtorch that this process has loaded, as its path in `/proc/self/maps`.
pub(crate) fn loaded_libtorch() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| line.ends_with("/libtorch_cpu.so"))?;
    line.find('/').map(|start| PathBuf::from(&line[start..]))
}

/// Why CUDA cannot be used, or `None` if it can. Loads libtorch's CUDA half on the first call: the
/// program links only the CPU half, so that one build serves both kinds of machine.
pub(crate) fn cuda_problem() -> Option<&'static str> {
    static PROBLEM: OnceLock<Option<String>> = OnceLock::new();
    let find = || {
        if tch::Cuda::is_available() {
            return None;
        }
        let Some(cpu) = loaded_libtorch() else {
            return Some("the loaded libtorch was not found in /proc/self/maps".to_owned());
        };
        let cuda = cpu.with_file_name("libtorch_cuda.so");
        if !cuda.exists() {
            return Some(format!(
                "{} is a libtorch without CUDA; point LIBTORCH to one with it and build again",
                cpu.parent().unwrap_or(&cpu).display()
            ));
        }
        if let Err(message) = shim::load_library(&cuda) {
            return Some(format!("libtorch_cuda.so does not load: {message}"));
        }
        (!tch::Cuda::is_available())
            .then(|| "libtorch sees no GPU; check the driver with nvidia-smi".to_owned())
    };
    PROBLEM.get_or_init(find).as_deref()
}
