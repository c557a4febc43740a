//! Diagnoses why a network is slow or does not run.

use std::path::PathBuf;

use crate::device::{self, Device, Precision};

/// The state of this machine as far as the network is concerned.
#[derive(Debug, Clone)]
pub struct Doctor {
    /// The device that `auto` chooses.
    pub device: Device,
    /// The precision that `auto` chooses.
    pub precision: Precision,
    /// The vector instructions used on the CPU.
    pub vectors: String,
    /// Whether the CPU multiplies bf16 matrices in tiles.
    pub amx_bf16: bool,
    /// libtorch, if this program was built with it.
    pub libtorch: Option<Libtorch>,
    /// Cores that this process may use.
    pub threads: usize,
    /// Why CUDA cannot be used; `None` if it can.
    pub cuda_problem: Option<&'static str>,
    /// One line for each possible improvement.
    pub advice: Vec<String>,
}

/// The libtorch that this program uses.
#[derive(Debug, Clone)]
pub struct Libtorch {
    /// The version that this program was built for.
    pub version: &'static str,
    /// The path of the loaded library.
    pub path: Option<PathBuf>,
    /// Whether it has the oneDNN Graph fuser.
    pub fuser: bool,
}

/// The libtorch in use, if any.
#[cfg(feature = "libtorch")]
fn libtorch() -> Option<Libtorch> {
    use crate::libtorch::cuda::loaded_libtorch;
    use crate::libtorch::device::enable_fuser;
    Some(Libtorch { version: "2.11.0", path: loaded_libtorch(), fuser: enable_fuser() })
}

/// The libtorch in use, if any.
#[cfg(not(feature = "libtorch"))]
fn libtorch() -> Option<Libtorch> {
    None
}

/// Examines this machine.
pub fn doctor() -> Doctor {
    let cuda_problem = device::cuda_problem();
    let device = if cuda_problem.is_none() { Device::Cuda } else { Device::Cpu };
    let precision = Precision::automatic(device);
    let mut doctor = Doctor {
        device,
        precision,
        vectors: kernels::Processor::fastest().to_string(),
        amx_bf16: device::cpu_has_amx(),
        libtorch: libtorch(),
        threads: device::available_threads(),
        cuda_problem,
        advice: Vec::new(),
    };
    doctor.advice = doctor.find_advice();
    doctor
}

impl Doctor {
    fn find_advice(&self) -> Vec<String> {
        let mut advice = Vec::new();
        if let Some(libtorch) = &self.libtorch {
            if libtorch.path.is_none() {
                advice.push("libtorch_cpu.so was not found among the loaded libraries".to_owned());
            }
            if !libtorch.fuser && self.precision == Precision::Bf16 {
                advice.push(
                    "this libtorch lacks oneDNN: evaluations are several times slower; use the one \
                     that `cargo xtask setup` fetches"
                        .to_owned(),
                );
            }
        } else if self.amx_bf16 {
            advice.push("AMX is there but unused: only a build with libtorch uses it".to_owned());
        }
        if self.device == Device::Cpu && !self.amx_bf16 {
            advice.push(
                "no AMX on this processor: networks are several times slower than with it; use \
                 small ones"
                    .to_owned(),
            );
        }
        if let (Some(problem), true) = (self.cuda_problem, has_nvidia_gpu()) {
            advice.push(format!("a GPU exists but is unused: {problem}"));
        }
        if self.threads == 1 {
            advice.push(
                "only one core: self-play and the network alternate; allow the process more"
                    .to_owned(),
            );
        }
        advice
    }
}

fn has_nvidia_gpu() -> bool {
    std::path::Path::new("/dev/nvidia0").exists()
}
