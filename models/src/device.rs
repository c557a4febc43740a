//! Where and in which arithmetic a network runs.

use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::ModelError;
use crate::shim;

/// Where tensors live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// The processor.
    Cpu,
    /// The first GPU.
    Cuda,
}

impl Device {
    /// `cpu`, `cuda`, or `auto`: the GPU where libtorch can use one.
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
                Some(problem) => {
                    Err(ModelError::Device(format!("cuda is not available: {problem}")))
                }
            },
            other => Err(ModelError::Device(format!(
                "unknown device '{other}': expected cpu, cuda or auto"
            ))),
        }
    }

    pub(crate) fn torch(self) -> tch::Device {
        match self {
            Device::Cpu => tch::Device::Cpu,
            Device::Cuda => tch::Device::Cuda(0),
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

/// Arithmetic of the network. Weights are kept, saved and updated in f32 either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats.
    F32,
    /// 16-bit floats with the range of f32 and eight bits of precision.
    Bf16,
}

impl Precision {
    /// `f32`, `bf16`, or [`auto`](Precision::automatic).
    ///
    /// # Errors
    /// An unknown word.
    pub fn choose(name: &str, device: Device) -> Result<Precision, ModelError> {
        match name {
            "f32" => Ok(Precision::F32),
            "bf16" => Ok(Precision::Bf16),
            "auto" => Ok(Precision::automatic(device)),
            other => Err(ModelError::Device(format!(
                "unknown precision '{other}': expected f32, bf16 or auto"
            ))),
        }
    }

    /// bf16 on a GPU and where the processor has AMX, f32 elsewhere. Processors that multiply bf16
    /// only by vectors are no faster with it than with our f32 convolutions: `docs/performance.md`.
    pub fn automatic(device: Device) -> Precision {
        match device {
            Device::Cuda => Precision::Bf16,
            Device::Cpu if cpu_has_amx() => Precision::Bf16,
            Device::Cpu => Precision::F32,
        }
    }

    pub(crate) fn kind(self) -> tch::Kind {
        match self {
            Precision::F32 => tch::Kind::Float,
            Precision::Bf16 => tch::Kind::BFloat16,
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

/// Whether the processor multiplies bf16 matrices in tiles. Asking Linux, not the processor, also
/// covers machines where AMX exists but is not switched on.
pub(crate) fn cpu_has_amx() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let flags = text.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
        flags.split_whitespace().any(|flag| flag == "amx_bf16")
    })
}

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

/// The number of cores that this process may use.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Prepares the calling thread for computing with libtorch on one core. All threads do
/// that: libtorch's own threads wait for each other after every layer, and spin while they wait.
/// The setting is partly global, so different numbers would interfere.
pub(crate) fn use_one_core() {
    static MEMORY: OnceLock<()> = OnceLock::new();
    MEMORY.get_or_init(shim::keep_memory);
    tch::set_num_threads(1);
}

/// Switches the oneDNN Graph fuser on, once. It only concerns traced graphs on the CPU.
pub(crate) fn enable_fuser() -> bool {
    static ENABLED: OnceLock<bool> = OnceLock::new();
    *ENABLED.get_or_init(|| shim::enable_fuser(true))
}
