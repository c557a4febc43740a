//! Diagnosis of a network that is slow or does not run.

use std::path::PathBuf;

use crate::device::{self, Device, Precision};

/// The state of this machine as far as the network is concerned.
#[derive(Debug, Clone)]
pub struct Doctor {
    /// The device that `auto` chooses.
    pub device: Device,
    /// The precision that `auto` chooses.
    pub precision: Precision,
    /// libtorch's version that this program was built for.
    pub torch_version: &'static str,
    /// The loaded libtorch.
    pub libtorch: Option<PathBuf>,
    /// The processor multiplies bf16 matrices in tiles.
    pub amx_bf16: bool,
    /// libtorch has the oneDNN Graph fuser.
    pub fuser: bool,
    /// Cores that this process may use.
    pub threads: usize,
    /// Why CUDA cannot be used.
    pub cuda_problem: Option<&'static str>,
    /// One line for each possible improvement.
    pub advice: Vec<String>,
}

/// Examines this machine.
pub fn doctor() -> Doctor {
    let cuda_problem = device::cuda_problem();
    let device = if cuda_problem.is_none() { Device::Cuda } else { Device::Cpu };
    let precision = Precision::automatic(device);
    let fuser = device::enable_fuser();
    let mut doctor = Doctor {
        device,
        precision,
        torch_version: "2.11.0",
        libtorch: device::loaded_libtorch(),
        amx_bf16: device::cpu_has_amx(),
        fuser,
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
        if self.libtorch.is_none() {
            advice.push("libtorch_cpu.so was not found among the loaded libraries".to_owned());
        }
        if !self.fuser && self.precision == Precision::Bf16 {
            advice.push(
                "this libtorch lacks oneDNN: evaluations are several times slower; use the one \
                 that `cargo xtask setup` fetches"
                    .to_owned(),
            );
        }
        if self.device == Device::Cpu && !self.amx_bf16 {
            advice.push(
                "no AMX on this processor: expect a sixth of the speed; use small networks"
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
