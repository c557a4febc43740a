//! What a usable libtorch folder is, and how to tell whether it is intact.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The libtorch release that the pinned `tch` needs.
pub const VERSION: &str = "2.11.0";

/// The file in which `setup` records what it put into the folder.
const STAMP: &str = "stamp";

/// The `LIBTORCH` set by the user. Where it was unset, Cargo's `[env]` sets the variable to `place`
/// for us.
pub fn exported_libtorch(place: &Path) -> Option<PathBuf> {
    env::var_os("LIBTORCH").map(PathBuf::from).filter(|exported| exported != place)
}

/// Checks that `folder` is a usable libtorch.
pub fn verify(folder: &Path, cuda: bool) -> Result<()> {
    let headers = folder.join("include/torch");
    ensure!(headers.is_dir(), "{} is missing", headers.display());
    let found = version(folder)
        .with_context(|| format!("cannot tell which libtorch {} holds", folder.display()))?;
    let place = folder.display();
    ensure!(same_release(&found), "{place} holds libtorch {found}, and tch needs {VERSION}");
    let cuda = cuda.then_some("torch_cuda");
    for name in ["torch", "torch_cpu", "c10"].into_iter().chain(cuda) {
        let library = library(folder, name);
        ensure!(library.is_file(), "{} is missing", library.display());
    }
    Ok(())
}

/// Checks that the folder's libraries can be loaded with their dependencies.
pub fn verify_loads(folder: &Path) -> Result<()> {
    let libraries = ["torch_cpu", "torch_cuda"].map(|name| library(folder, name));
    for library in libraries.iter().filter(|library| library.is_file()) {
        // Without ldd, the first build will show it.
        let Ok(ldd) = Command::new("ldd").arg(library).output() else { continue };
        ensure!(ldd.status.success(), "{} cannot be loaded", library.display());
        let missing = missing_libraries(&String::from_utf8_lossy(&ldd.stdout));
        ensure!(missing.is_empty(), "{} does not find {missing}", library.display());
    }
    Ok(())
}

/// The dependencies that a library does not find. The driver's libraries are installed with the
/// graphics card, never with libtorch.
fn missing_libraries(ldd: &str) -> String {
    let missing = ldd.lines().filter_map(|line| line.trim().strip_suffix(" => not found"));
    let of_driver = |name: &str| name.starts_with("libcuda.") || name.starts_with("libnvidia-ml.");
    missing.filter(|name| !of_driver(name)).collect::<Vec<_>>().join(", ")
}

/// `torch_cpu` → `lib/libtorch_cpu.so`.
fn library(folder: &Path, name: &str) -> PathBuf {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    folder.join("lib").join(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"))
}

/// A link at `place` to a file or a folder.
#[cfg(unix)]
pub fn link(target: &Path, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, place)
}

/// A link at `place` to a folder; Windows allows it to developers and administrators.
#[cfg(windows)]
pub fn link(target: &Path, place: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(target, place)
}

/// The version in the headers, from where newer releases have it, or older ones.
fn version(folder: &Path) -> Option<String> {
    let headers = ["torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"];
    headers.iter().find_map(|header| {
        let text = fs::read_to_string(folder.join("include").join(header)).ok()?;
        let number = |part: &str| {
            let define = format!("#define TORCH_VERSION_{part} ");
            text.lines().find_map(|line| line.strip_prefix(&define))
        };
        Some(format!("{}.{}.{}", number("MAJOR")?, number("MINOR")?, number("PATCH")?))
    })
}

/// Whether a version equals ours up to the patch and the local part (`+cpu`): the C++ interface is
/// then the same.
pub fn same_release(version: &str) -> bool {
    version.split('.').take(2).eq(VERSION.split('.').take(2))
}

/// Records the origin of the folder's contents, and their size.
pub fn stamp(folder: &Path, source: &str) -> Result<()> {
    fs::write(folder.join(STAMP), stamp_text(folder, source)?)?;
    Ok(())
}

/// The origin of the folder's contents, if their size matches the stamp. A folder without a stamp
/// was put there by hand.
pub fn source(folder: &Path) -> Option<String> {
    let Ok(stamp) = fs::read_to_string(folder.join(STAMP)) else {
        return Some("elsewhere".to_owned());
    };
    let source = stamp.lines().next()?;
    (stamp_text(folder, source).ok()? == stamp).then(|| source.to_owned())
}

fn stamp_text(folder: &Path, source: &str) -> Result<String> {
    let (mut files, mut bytes) = (0, 0);
    for part in ["include", "lib", "site"].map(|part| folder.join(part)) {
        if part.exists() {
            count(&part, &mut files, &mut bytes)?;
        }
    }
    Ok(format!("{source}\n{files} files, {bytes} bytes\n"))
}

/// Adds the files below a folder and their sizes, following links.
fn count(folder: &Path, files: &mut u64, bytes: &mut u64) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let metadata = fs::metadata(&path)?;
        if metadata.is_dir() {
            count(&path, files, bytes)?;
        } else {
            *files += 1;
            *bytes += metadata.len();
        }
    }
    Ok(())
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
        let folder = folder();
        assert_eq!(version(folder.path()).as_deref(), Some("2.11.0"));
        let header = folder.path().join("include/torch/headeronly/version.h");
        fs::write(header, "#define TORCH_VERSION_MAJOR 2").unwrap();
        assert_eq!(version(folder.path()), None);
    }

    #[test]
    fn a_release_is_its_first_two_numbers() {
        assert!(same_release("2.11.0+cu130"));
        assert!(same_release("2.11.1"));
        assert!(!same_release("2.1.0"));
        assert!(!same_release("2.110"));
        assert!(!same_release("unknown"));
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
        assert_eq!(source(folder.path()).as_deref(), Some("elsewhere"));
        stamp(folder.path(), "a test").unwrap();
        assert_eq!(source(folder.path()).as_deref(), Some("a test"));
        fs::write(library(folder.path(), "c10"), "truncated").unwrap();
        assert_eq!(source(folder.path()), None);
        stamp(folder.path(), "a test").unwrap();
        fs::remove_dir_all(folder.path().join("include/torch")).unwrap();
        assert_eq!(source(folder.path()), None);
    }

    #[test]
    fn missing_libraries_leave_out_the_driver() {
        let ldd = "\tlibc10.so => /x/libc10.so (0x1)\n\tlibcupti.so.13 => not found\n\
            \tlibcuda.so.1 => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x2)\n";
        assert_eq!(missing_libraries(ldd), "libcupti.so.13");
    }
}
