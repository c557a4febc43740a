//! What a measurement was made on.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::available_parallelism;

use anyhow::Result;

use super::{ONE, output};

/// Instructions that decide how fast networks are, with the flags that the system has for them.
const INSTRUCTIONS: [(&str, &str); 4] = [
    ("AVX2", "avx2"),
    ("AVX-512", "avx512f"),
    ("avx512_bf16", "avx512_bf16"),
    ("amx_bf16", "amx_bf16"),
];

/// Processor, cores, what of those instructions and of CUDA there is, the date, and how busy the machine is.
pub(super) fn describe(program: &Path) -> Result<String> {
    let cores = available_parallelism()?;
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let doctor = output(Command::new(program).arg("doctor"), ONE)?;
    let (with, without) = abilities(&info, &doctor);
    let date = output(Command::new("date").arg("+%Y-%m-%d"), ONE)?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown");
    Ok(format!(
        "{}, {cores} cores; with {with}; without {without}; {}; load average before: {load}",
        field(&info, "model name").unwrap_or("unknown processor"),
        date.trim(),
    ))
}

/// What there is and what there is not.
fn abilities(info: &str, doctor: &str) -> (String, String) {
    let flags: Vec<&str> = field(info, "flags").unwrap_or_default().split_whitespace().collect();
    let cuda = doctor.lines().any(|line| line.starts_with("CUDA") && line.ends_with("ready"));
    let instructions = INSTRUCTIONS.map(|(name, flag)| (name, flags.contains(&flag)));
    let all = || instructions.into_iter().chain([("CUDA", cuda)]);
    let list = |wanted: bool| {
        let names: Vec<&str> =
            all().filter(|(_, there)| *there == wanted).map(|(name, _)| name).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    };
    (list(true), list(false))
}

/// A field of the first processor.
fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    let lines = info.lines().filter_map(|line| line.split_once(':'));
    lines.into_iter().find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abilities_are_read_off_the_flags() {
        let info = "processor\t: 0\nmodel name\t: A Processor\nflags\t\t: fpu avx2 avx512f\n\nprocessor\t: 1\n";
        assert_eq!(field(info, "model name"), Some("A Processor"));
        let doctor = "device         cuda\nCUDA           ready\n";
        let (with, without) = abilities(info, doctor);
        assert_eq!(with, "AVX2, AVX-512, CUDA");
        assert_eq!(without, "avx512_bf16, amx_bf16");
        assert_eq!(abilities("", "CUDA  no driver").0, "nothing");
    }
}
