//! What a usable libtorch folder is, and how to tell whether one is still whole.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::wheels::LIBTORCH;

/// Libraries that come with the graphics driver, never with libtorch.
const DRIVER: &[&str] = &["libcuda.so", "libnvidia-ml.so"];

/// Names the record of what `setup` has put into the folder.
const STAMP: &str = "stamp";

/// Says what is wrong with `folder` as the libtorch of this project, if anything is.
pub fn verify(folder: &Path, cuda: bool) -> Result<()> {
    if !folder.join("include/torch").is_dir() {
        bail!("{} has no include/torch", folder.display());
    }
    let parts: &[_] = if cuda {
        &["torch", "torch_cpu", "c10", "torch_cuda"]
    } else {
        &["torch", "torch_cpu", "c10"]
    };
    for part in parts {
        if !library(folder, part).is_file() {
            bail!("{} is missing", library(folder, part).display());
        }
    }
    let version = version(folder)?;
    if !same_release(&version, LIBTORCH) {
        bail!("{} holds libtorch {version}, and tch needs {LIBTORCH}", folder.display());
    }
    Ok(())
}

/// Whether the folder's libraries find all that they load.
pub fn verify_loads(folder: &Path) -> Result<()> {
    for part in ["torch_cpu", "torch_cuda"] {
        let library = library(folder, part);
        if !library.is_file() {
            continue;
        }
        // No ldd, no answer: then the first build shows it.
        let Ok(output) = Command::new("ldd").arg(&library).output() else { return Ok(()) };
        let missing = missing_libraries(&String::from_utf8_lossy(&output.stdout));
        if !missing.is_empty() {
            bail!("{} does not find {}", library.display(), missing.join(", "));
        }
    }
    Ok(())
}

fn missing_libraries(ldd: &str) -> Vec<String> {
    let missing = ldd.lines().filter_map(|line| line.trim().strip_suffix("=> not found"));
    let missing = missing.map(|name| name.trim().to_owned());
    missing.filter(|name| !DRIVER.iter().any(|driver| name.starts_with(driver))).collect()
}

/// `torch_cpu` → `lib/libtorch_cpu.so`.
pub fn library(folder: &Path, name: &str) -> PathBuf {
    folder.join("lib").join(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"))
}

/// Where the version has been written down, newest layout first; `build-version` is in the zip archives only.
fn version(folder: &Path) -> Result<String> {
    let headers = ["torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"];
    for header in headers {
        let text = fs::read_to_string(folder.join("include").join(header)).unwrap_or_default();
        if let Some(version) = header_version(&text) {
            return Ok(version);
        }
    }
    let version = fs::read_to_string(folder.join("build-version"))
        .with_context(|| format!("cannot tell which libtorch {} holds", folder.display()))?;
    Ok(version.trim().to_owned())
}

/// The version that a C++ header defines piece by piece.
fn header_version(header: &str) -> Option<String> {
    let number = |name: &str| {
        let mut words = header.lines().map(str::split_whitespace);
        words.find_map(|mut line| {
            let defines = line.next() == Some("#define") && line.next() == Some(name);
            defines.then(|| line.next()?.parse::<u32>().ok()).flatten()
        })
    };
    let parts = ["MAJOR", "MINOR", "PATCH"].map(|part| number(&format!("TORCH_VERSION_{part}")));
    let [Some(major), Some(minor), Some(patch)] = parts else { return None };
    Some(format!("{major}.{minor}.{patch}"))
}

/// Whether two versions agree up to the patch and the local part (`+cpu`): the C++ interface is then the same.
pub fn same_release(version: &str, other: &str) -> bool {
    let release = |text: &str| {
        let mut parts = text.split(['.', '+']).map(|part| part.parse::<u32>().ok());
        (parts.next().flatten(), parts.next().flatten())
    };
    matches!(release(version), (Some(_), Some(_))) && release(version) == release(other)
}

/// Writes down what the folder holds, and where it came from.
pub fn stamp(folder: &Path, source: &str) -> Result<()> {
    fs::write(folder.join(STAMP), inventory(folder, source)?)?;
    Ok(())
}

/// Where the folder's content came from, if it is what the stamp says.
pub fn stamped_source(folder: &Path) -> Option<String> {
    let stamp = fs::read_to_string(folder.join(STAMP)).ok()?;
    let source = stamp.lines().find_map(|line| line.strip_prefix("source "))?;
    (inventory(folder, source).ok()? == stamp).then(|| source.to_owned())
}

/// Release, source, every library with its size, and the headers' number and size.
fn inventory(folder: &Path, source: &str) -> Result<String> {
    let mut text = format!("libtorch {LIBTORCH}\nsource {source}\n");
    let mut libraries = Vec::new();
    for entry in fs::read_dir(folder.join("lib"))? {
        let entry = entry?;
        let size = fs::metadata(entry.path())?.len();
        libraries.push(format!("lib/{} {size}\n", entry.file_name().to_string_lossy()));
    }
    libraries.sort_unstable();
    text.extend(libraries);
    let (files, bytes) = measure(&folder.join("include"))?;
    text.push_str(&format!("include {files} files {bytes} bytes\n"));
    Ok(text)
}

/// The number of files below a folder and their size.
fn measure(folder: &Path) -> Result<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            let (more_files, more_bytes) = measure(&entry.path())?;
            files += more_files;
            bytes += more_bytes;
        } else {
            files += 1;
            bytes += entry.metadata()?.len();
        }
    }
    Ok((files, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "#pragma once\n#define TORCH_VERSION_MAJOR 2\n\
        #define TORCH_VERSION_MINOR 11\n#define TORCH_VERSION_PATCH 0\n";

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let headers = folder.path().join("include/torch/headeronly");
        fs::create_dir_all(&headers).unwrap();
        fs::write(headers.join("version.h"), HEADER).unwrap();
        fs::create_dir(folder.path().join("lib")).unwrap();
        for part in ["torch", "torch_cpu", "c10"] {
            fs::write(library(folder.path(), part), part).unwrap();
        }
        folder
    }

    #[test]
    fn versions_are_read_from_the_header() {
        assert_eq!(header_version(HEADER).as_deref(), Some("2.11.0"));
        assert_eq!(header_version("#define TORCH_VERSION_MAJOR 2"), None);
        assert_eq!(header_version("#define TORCH_VERSION_MAJOR two"), None);
    }

    #[test]
    fn a_release_is_its_first_two_numbers() {
        assert!(same_release("2.11.0+cu130", "2.11.0"));
        assert!(same_release("2.11.1", "2.11.0"));
        assert!(!same_release("2.1.0", "2.11.0"));
        assert!(!same_release("2.110", "2.11.0"));
        assert!(!same_release("unknown", "unknown"));
    }

    #[test]
    fn verify_names_what_is_missing() {
        let folder = folder();
        verify(folder.path(), false).unwrap();
        assert!(verify(folder.path(), true).unwrap_err().to_string().contains("torch_cuda"));
        fs::remove_file(library(folder.path(), "c10")).unwrap();
        assert!(verify(folder.path(), false).unwrap_err().to_string().contains("c10"));
    }

    #[test]
    fn verify_refuses_another_release() {
        let folder = folder();
        let header = folder.path().join("include/torch/headeronly/version.h");
        fs::write(header, HEADER.replace("11", "7")).unwrap();
        let error = verify(folder.path(), false).unwrap_err().to_string();
        assert!(error.contains("libtorch 2.7.0") && error.contains("2.11.0"), "{error}");
    }

    #[test]
    fn a_stamp_holds_until_anything_changes() {
        let folder = folder();
        assert_eq!(stamped_source(folder.path()), None);
        stamp(folder.path(), "a test").unwrap();
        assert_eq!(stamped_source(folder.path()).as_deref(), Some("a test"));
        fs::write(library(folder.path(), "c10"), "truncated").unwrap();
        assert_eq!(stamped_source(folder.path()), None);
        stamp(folder.path(), "a test").unwrap();
        fs::remove_dir_all(folder.path().join("include/torch")).unwrap();
        assert_eq!(stamped_source(folder.path()), None);
    }

    #[test]
    fn missing_libraries_leave_out_the_driver() {
        let ldd = "\tlibc10.so => /x/libc10.so (0x1)\n\tlibcupti.so.13 => not found\n\
            \tlibcuda.so.1 => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x2)\n";
        assert_eq!(missing_libraries(ldd), ["libcupti.so.13"]);
    }
}
