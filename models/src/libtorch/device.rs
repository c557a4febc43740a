//! Devices and precisions in libtorch's terms, and its settings.

use std::sync::OnceLock;

use crate::libtorch::shim;
use crate::{Device, Precision};

impl Device {
    pub(crate) fn torch(self) -> tch::Device {
        match self {
            Device::Cpu => tch::Device::Cpu,
            Device::Cuda => tch::Device::Cuda(0),
        }
    }
}

impl Precision {
    pub(crate) fn kind(self) -> tch::Kind {
        match self {
            Precision::F32 => tch::Kind::Float,
            Precision::Bf16 => tch::Kind::BFloat16,
        }
    }
}

/// Prepares the calling thread to compute with libtorch on one core. All threads do so: libtorch's
/// own threads wait for each other after every layer, and spin while they wait. The setting is
/// partly global, so different numbers would interfere.
pub(crate) fn use_one_core() {
    static MEMORY: OnceLock<()> = OnceLock::new();
    MEMORY.get_or_init(shim::keep_memory);
    tch::set_num_threads(1);
}

/// Enables the oneDNN Graph fuser, once. It only affects traced graphs on the CPU.
pub(crate) fn enable_fuser() -> bool {
    static ENABLED: OnceLock<bool> = OnceLock::new();
    *ENABLED.get_or_init(|| shim::enable_fuser(true))
}
