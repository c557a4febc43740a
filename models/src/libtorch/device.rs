//! libtorch's view of devices and arithmetic, and its settings.

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
