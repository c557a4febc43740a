//! Where libtorch is, and whether it can use a GPU.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::libtorch::shim;

/// The path of the libtorch that this process has loaded, from `/proc/self/maps`.
pub(crate) fn loaded_libtorch() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| line.ends_with("/libtorch_cpu.so"))?;
    line.find('/').map(|start| PathBuf::from(&line[start..]))
}

/// Why CUDA cannot be used; `None` if it can. The first call loads libtorch's CUDA half: the
/// program links only the CPU half, so that one build runs on machines with and without a GPU.
pub(crate) fn cuda_problem() -> Option<&'static str> {
    static PROBLEM: OnceLock<Option<String>> = OnceLock::new();
    let find = || {
        // libtorch looks for its CUDA half only once, when first asked about a GPU.
        let loaded = load_cuda();
        if tch::Cuda::is_available() {
            return None;
        }
        let unseen = "libtorch sees no GPU; check the driver with nvidia-smi, and that the folder of \
                      libcuda.so.1 is known to the loader (LD_LIBRARY_PATH)";
        Some(loaded.err().unwrap_or_else(|| unseen.to_owned()))
    };
    PROBLEM.get_or_init(find).as_deref()
}

/// Loads the CUDA half from the folder of the CPU half.
fn load_cuda() -> Result<(), String> {
    let cpu = loaded_libtorch().ok_or("the loaded libtorch was not found in /proc/self/maps")?;
    let cuda = cpu.with_file_name("libtorch_cuda.so");
    if !cuda.exists() {
        let folder = cpu.parent().unwrap_or(&cpu).display();
        return Err(format!(
            "{folder} is a libtorch for processors; if this machine has an NVIDIA GPU, run `cargo xtask setup --cuda` and \
             build again"
        ));
    }
    shim::load_library(&cuda)
        .map_err(|message| format!("libtorch_cuda.so does not load: {message}"))
}
