//! The Python package: its wheel, its tests, and its benchmarks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::licences;
use crate::reproducible::{encoded, epoch, registries, without_folders};
use crate::run::{PYTHON, cargo, host, output, release, run};

/// The folder in which an environment has its programs.
const PROGRAMS: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// The oldest Python supported by the package and by the lists of packages.
const OLDEST: (u32, u32) = (3, 11);

/// The oldest C library with which the wheel runs, the same as for the program.
const COMPATIBILITY: &str = "manylinux_2_28";

/// Builds the wheel into `out` and returns its path.
///
/// On Linux it is linked against an old C library, which Zig provides; maturin refuses it if it
/// needs a newer one.
pub fn wheel(root: &Path, out: &Path) -> Result<PathBuf> {
    let tools = environment(root, "build")?;
    run(cargo(root).args(["fetch", "--locked"]))?;
    let notices = licences::notices(root, "python", &host()?, "")?;
    fs::write(root.join("python").join(licences::FILE), notices)?;
    let fresh = root.join("target/python/wheel");
    if fresh.exists() {
        fs::remove_dir_all(&fresh).context("cannot remove the last wheel")?;
    }
    let mut maturin = Command::new(tools.join(PROGRAMS).join("maturin"));
    // With the locked dependencies and Cargo's settings for this workspace.
    maturin.current_dir(root).args(["build", "--release", "--locked", "--manifest-path"]);
    maturin.arg("python/Cargo.toml").arg("--out").arg(&fresh);
    if cfg!(target_os = "linux") {
        maturin.args(["--zig", "--compatibility", COMPATIBILITY]);
    }
    maturin.env("PATH", search_path(&tools)?);
    let options = encoded(&without_folders(root, &registries()?));
    maturin.env("CARGO_ENCODED_RUSTFLAGS", options);
    maturin.env("SOURCE_DATE_EPOCH", epoch(root)?.to_string());
    run(&mut maturin)?;
    let built = fs::read_dir(&fresh)?.next().context("maturin has built nothing")??;
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let wheel = out.join(built.file_name());
    fs::copy(built.path(), &wheel).with_context(|| format!("cannot write {}", wheel.display()))?;
    println!("{}", wheel.display());
    Ok(wheel)
}

/// Builds the wheel, installs it together with what its tests need, and runs them.
pub fn test(root: &Path, arguments: &[String]) -> Result<()> {
    let tests = with_wheel(root, "tests")?;
    let mut pytest = python(&tests);
    // Not from the source folder, which lacks the compiled half.
    pytest.current_dir(root.join("python/tests")).args(["-m", "pytest", "-p", "no:cacheprovider"]);
    run(pytest.args(arguments))
}

/// Builds the wheel, installs it together with OpenSpiel and pgx, and compares their speeds.
pub fn benchmark(root: &Path, arguments: &[String]) -> Result<()> {
    let benchmarks = with_wheel(root, "benchmarks")?;
    let mut throughput = python(&benchmarks);
    run(throughput.arg(root.join("python/benchmarks/throughput.py")).args(arguments))
}

/// The environment for a group of requirements, including the package itself.
fn with_wheel(root: &Path, group: &str) -> Result<PathBuf> {
    let wheel = wheel(root, &root.join("target/dist"))?;
    let environment = environment(root, group)?;
    let mut pip = pip(&environment);
    run(pip.args(["--quiet", "--no-deps", "--force-reinstall"]).arg(wheel))?;
    Ok(environment)
}

/// A virtual environment below `target` with the packages in `python/requirements`.
fn environment(root: &Path, group: &str) -> Result<PathBuf> {
    let requirements = root.join("python/requirements").join(group).with_extension("txt");
    let environment = root.join("target/python").join(group);
    pinned(&requirements, &environment)?;
    Ok(environment)
}

/// Creates a virtual environment with exactly the packages of a list, each checked against its
/// hash. It is recreated for another list, and for another release of Python, which would not find
/// the previous one's packages.
pub fn pinned(requirements: &Path, environment: &Path) -> Result<()> {
    let packages = fs::read_to_string(requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let (major, minor) = version()?;
    let wanted = format!("# Python {major}.{minor}\n{packages}");
    let installed = environment.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    run(Command::new(PYTHON).args(["-m", "venv", "--clear"]).arg(environment)).with_context(
        || format!("{PYTHON} needs venv and pip (Debian: `apt install python3-venv`)"),
    )?;
    run(pip(environment)
        .args(["--quiet", "--no-deps", "--require-hashes", "--requirement"])
        .arg(requirements))?;
    fs::write(&installed, wanted)?;
    Ok(())
}

/// The version of Python, which must be recent enough.
fn version() -> Result<(u32, u32)> {
    let mut ask = Command::new(PYTHON);
    ask.args(["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]);
    let (major, minor) = OLDEST;
    let needed = || format!("Python {major}.{minor} or newer is needed, as {PYTHON} in PATH");
    new_enough(&output(&mut ask).with_context(needed)?)
}

/// Parses Python's version.
fn new_enough(told: &str) -> Result<(u32, u32)> {
    let told = told.trim();
    let found = release(told).with_context(|| format!("{PYTHON} says that it is '{told}'"))?;
    let (major, minor) = OLDEST;
    ensure!(
        found >= OLDEST,
        "{PYTHON} is Python {told}: expected {major}.{minor} or newer. Install one, put its folder first in PATH, and \
         run this again"
    );
    Ok(found)
}

/// The Python of an environment.
pub fn python(environment: &Path) -> Command {
    Command::new(environment.join(PROGRAMS).join("python"))
}

/// `pip install` in an environment.
fn pip(environment: &Path) -> Command {
    let mut pip = python(environment);
    pip.args(["-m", "pip", "install", "--disable-pip-version-check"]);
    pip
}

/// The programs of an environment, followed by all others.
fn search_path(environment: &Path) -> Result<std::ffi::OsString> {
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(environment.join(PROGRAMS)).chain(std::env::split_paths(&others));
    Ok(std::env::join_paths(folders)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_python_is_refused_with_what_to_do() {
        assert_eq!(new_enough("3.11\n").unwrap(), (3, 11));
        assert_eq!(new_enough("3.14\r\n").unwrap(), (3, 14));
        for old in ["2.7", "3.9", "3.10"] {
            let error = new_enough(old).unwrap_err().to_string();
            assert!(
                error.contains(old) && error.contains("3.11") && error.contains("PATH"),
                "{error}"
            );
        }
        assert!(new_enough("Python").is_err());
    }
}
