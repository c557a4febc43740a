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
            // The fuser is for processors, and not for our own convolutions.
            let is_fused = self.device == Device::Cpu
                && self.precision.own_convolutions(self.device).is_none();
            if !libtorch.fuser && is_fused {
                advice.push(
                    "this libtorch lacks oneDNN: evaluations are several times slower; use the one \
                     that `cargo xtask setup` fetches"
                        .to_owned(),
                );
            }
            if self.device == Device::Cpu && !self.amx_bf16 {
                advice.push(
                    "no AMX on this processor: networks are several times slower than with it; use \
                     small ones"
                        .to_owned(),
                );
            }
        } else if self.amx_bf16 {
            advice.push("AMX is there but unused: only a build with libtorch uses it".to_owned());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The advice on a machine without AMX, in which the words occur.
    fn advice(device: Device, libtorch: Option<Libtorch>, words: &str) -> usize {
        let doctor = Doctor {
            device,
            precision: if device == Device::Cuda { Precision::Bf16 } else { Precision::F32 },
            vectors: String::new(),
            amx_bf16: false,
            libtorch,
            threads: 2,
            cuda_problem: None,
            advice: Vec::new(),
        };
        doctor.find_advice().iter().filter(|advice| advice.contains(words)).count()
    }

    #[test]
    fn only_what_would_be_used_is_missed() {
        let without_fuser = || {
            let path = Some(PathBuf::from("libtorch_cpu.so"));
            Some(Libtorch { version: "2.11.0", path, fuser: false })
        };
        assert_eq!(advice(Device::Cuda, without_fuser(), "oneDNN"), 0);
        assert_eq!(advice(Device::Cpu, without_fuser(), "oneDNN"), 0, "f32 is ours");
        assert_eq!(advice(Device::Cpu, without_fuser(), "AMX"), 1);
        assert_eq!(advice(Device::Cuda, without_fuser(), "AMX"), 0);
        assert_eq!(advice(Device::Cpu, None, "AMX"), 0, "only libtorch uses it");
    }
}
