//! The name of this machine.

/// The machine's name, if the system says it.
pub fn name() -> String {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let told = told.or_else(|| std::env::var("HOSTNAME").ok());
    told.map_or_else(|| "unknown".to_owned(), |name| name.trim().to_owned())
}
