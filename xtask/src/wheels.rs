//! The pinned wheels of Python's torch, one set per platform, and what libtorch needs from them.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::libtorch::link;
use crate::run::PYTHON;

/// The wheels for a platform.
pub struct Wheels {
    /// The platform, by the standard library's names of its system and processor.
    platform: (&'static str, &'static str),
    /// The file with the hashes, in `xtask/requirements`.
    requirements: &'static str,
    /// Pip's tags for the platforms, oldest last; `*` stands for the numbers from 28 down to 5.
    tags: &'static [&'static str],
    /// The files that the CPU version of libtorch needs; all of `torch/lib` if empty.
    libraries: &'static [&'static str],
}

const ALL: [Wheels; 3] = [
    Wheels {
        platform: ("linux", "x86_64"),
        requirements: "linux-x86_64.txt",
        tags: &["manylinux_2_*_x86_64", "manylinux2014_x86_64"],
        libraries: &[
            "torch/lib/libtorch_cpu.so",
            "torch/lib/libc10.so",
            "torch/lib/libgomp.so.1",
            "nvidia/cu13/lib/libcudart.so.13",
            "nvidia/cu13/lib/libcupti.so.13",
        ],
    },
    Wheels {
        platform: ("linux", "aarch64"),
        requirements: "linux-aarch64.txt",
        tags: &["manylinux_2_*_aarch64", "manylinux2014_aarch64"],
        libraries: &[
            "torch/lib/libtorch_cpu.so",
            "torch/lib/libc10.so",
            "torch/lib/libgomp.so.1",
            "torch/lib/libarm_compute.so",
            "torch/lib/libarm_compute_graph.so",
            "torch/lib/libnvpl_blas_core.so.0",
            "torch/lib/libnvpl_blas_lp64_gomp.so.0",
            "torch/lib/libnvpl_lapack_core.so.0",
            "torch/lib/libnvpl_lapack_lp64_gomp.so.0",
            "nvidia/cu13/lib/libcudart.so.13",
            "nvidia/cu13/lib/libcupti.so.13",
        ],
    },
    Wheels {
        platform: ("macos", "aarch64"),
        requirements: "macos-aarch64.txt",
        tags: &["macosx_11_0_arm64"],
        libraries: &[],
    },
];

/// With CUDA; pinned only for Linux on x86-64.
const CUDA: Wheels = Wheels { requirements: "linux-x86_64-cuda.txt", ..ALL[0] };

impl Wheels {
    /// The wheels for this platform, if there are any.
    pub fn here(cuda: bool) -> Option<Wheels> {
        let here = (std::env::consts::OS, std::env::consts::ARCH);
        let mut pinned = if cuda { vec![CUDA] } else { Vec::from(ALL) };
        let place = pinned.iter().position(|wheels| wheels.platform == here)?;
        Some(pinned.swap_remove(place))
    }

    /// The command that unpacks them into `site`, after checking each against its hash in the
    /// folder `requirements`.
    pub fn install(&self, requirements: &Path, site: &Path) -> Command {
        let mut pip = Command::new(PYTHON);
        pip.args(["-m", "pip", "install", "--disable-pip-version-check"]);
        pip.args(["--no-compile", "--no-deps", "--require-hashes"]).args(self.options());
        pip.arg("--requirement").arg(requirements.join(self.requirements));
        pip.arg("--target").arg(site);
        // As options, these would be errors before pip 25.1 and 22.1; unknown environment variables
        // are ignored.
        pip.env("PIP_RESUME_RETRIES", "20").env("PIP_ROOT_USER_ACTION", "ignore");
        pip
    }

    /// pip's options for these wheels, whatever platform and Python it runs on.
    fn options(&self) -> Vec<String> {
        let tags = self.tags.iter().flat_map(|tag| {
            let numbers = if tag.contains('*') { 5..=28 } else { 0..=0 };
            numbers.rev().map(|number| tag.replace('*', &number.to_string()))
        });
        let fixed = ["--implementation=cp".to_owned(), "--python-version=3.11".to_owned()];
        fixed.into_iter().chain(tags.map(|tag| format!("--platform={tag}"))).collect()
    }

    /// Moves what libtorch needs from `site`, where the wheels were unpacked, to `folder`.
    pub fn take(&self, site: &Path, folder: &Path) -> Result<()> {
        fs::rename(site.join("torch/include"), folder.join("include"))?;
        let lib = folder.join("lib");
        if self.libraries.is_empty() {
            return fs::rename(site.join("torch/lib"), lib).context("the wheel holds no libraries");
        }
        fs::create_dir(&lib)?;
        for library in self.libraries.iter().map(Path::new) {
            let name = library.file_name().unwrap_or_default();
            fs::rename(site.join(library), lib.join(name))
                .with_context(|| format!("the wheels hold no {}", library.display()))?;
        }
        // The real libtorch.so is an empty shell that also loads the CUDA half.
        Ok(link(Path::new("libtorch_cpu.so"), &lib.join("libtorch.so"))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pinned_has_a_hash_for_each_wheel_and_our_release_of_torch() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("requirements");
        let ours = format!("torch=={} ", crate::libtorch::VERSION);
        for wheels in ALL {
            let text = fs::read_to_string(folder.join(wheels.requirements)).unwrap();
            let lines = text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>();
            assert!(lines.iter().all(|line| line.contains(" --hash=sha256:")), "{text}");
            assert!(lines.iter().any(|line| line.starts_with(&ours)), "{text}");
        }
    }

    #[test]
    fn the_newest_platform_is_preferred() {
        let options = ALL[0].options();
        assert_eq!(options[2], "--platform=manylinux_2_28_x86_64");
        assert_eq!(options.last().unwrap(), "--platform=manylinux2014_x86_64");
        assert_eq!(ALL[2].options()[2..], ["--platform=macosx_11_0_arm64"]);
    }

    #[test]
    #[ignore = "fetches 1.2 GB"]
    fn every_platform_has_its_wheels() {
        for wheels in ALL {
            let folder = tempfile::tempdir().unwrap();
            let site = folder.path().join("site");
            let requirements = Path::new(env!("CARGO_MANIFEST_DIR")).join("requirements");
            let mut pip = wheels.install(&requirements, &site);
            // Unpacking is a rename if the temporary folder is on the same disk.
            assert!(pip.env("TMPDIR", folder.path()).status().unwrap().success());
            wheels.take(&site, folder.path()).unwrap();
            assert!(folder.path().join("include/torch").is_dir());
        }
    }
}
