//! The Python package: its wheel, its tests, and its benchmarks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::run::run;

/// The oldest C library that the wheel runs with, the one that the program supports too.
const COMPATIBILITY: &str = "manylinux_2_28";

/// Builds the wheel into `out` and returns its path.
///
/// On Linux it is linked against an old C library, which comes with Zig; maturin refuses it if it needs a newer one.
pub fn wheel(root: &Path, out: &Path) -> Result<PathBuf> {
    let tools = environment(root, "build")?;
    let fresh = root.join("target/python/wheel");
    if fresh.exists() {
        fs::remove_dir_all(&fresh).context("cannot remove the last wheel")?;
    }
    let mut maturin = Command::new(tools.join("bin/maturin"));
    // The locked dependencies and Cargo's settings for this workspace.
    maturin.current_dir(root).args(["build", "--release", "--locked", "--manifest-path"]);
    maturin.arg("python/Cargo.toml").arg("--out").arg(&fresh);
    if cfg!(target_os = "linux") {
        maturin.args(["--zig", "--compatibility", COMPATIBILITY]);
    }
    maturin.env("PATH", search_path(&tools)?);
    // Equal sources give equal wheels: no folders of this machine, and files as old as the commit.
    maturin.env("RUSTFLAGS", without_folders(root)?);
    if let Some(time) = commit_time(root) {
        maturin.env("SOURCE_DATE_EPOCH", time);
    }
    run(&mut maturin)?;
    let built = fs::read_dir(&fresh)?.next().context("maturin has built nothing")??;
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let wheel = out.join(built.file_name());
    fs::copy(built.path(), &wheel).with_context(|| format!("cannot write {}", wheel.display()))?;
    println!("{}", wheel.display());
    Ok(wheel)
}

/// Builds the wheel, installs it beside what its tests need, and runs them.
pub fn test(root: &Path, arguments: &[String]) -> Result<()> {
    let tests = with_wheel(root, "tests")?;
    let mut pytest = Command::new(tests.join("bin/python"));
    // Not from the folder of the sources, which have no compiled half.
    pytest.current_dir(root.join("python/tests")).args(["-m", "pytest", "-p", "no:cacheprovider"]);
    run(pytest.args(arguments))
}

/// Builds the wheel, installs it beside OpenSpiel and pgx, and compares their speed.
pub fn benchmark(root: &Path, arguments: &[String]) -> Result<()> {
    let benchmarks = with_wheel(root, "benchmarks")?;
    let mut throughput = Command::new(benchmarks.join("bin/python"));
    run(throughput.arg(root.join("python/benchmarks/throughput.py")).args(arguments))
}

/// The environment of a group of requirements with the package itself.
fn with_wheel(root: &Path, group: &str) -> Result<PathBuf> {
    let wheel = wheel(root, &root.join("target/dist"))?;
    let environment = environment(root, group)?;
    let mut pip = pip(&environment);
    run(pip.args(["--quiet", "--no-deps", "--force-reinstall"]).arg(wheel))?;
    Ok(environment)
}

/// A virtual environment below `target` with the packages of `python/requirements`.
fn environment(root: &Path, group: &str) -> Result<PathBuf> {
    let requirements = root.join("python/requirements").join(group).with_extension("txt");
    let environment = root.join("target/python").join(group);
    pinned(&requirements, &environment)?;
    Ok(environment)
}

/// Makes a virtual environment with exactly the packages of a list, each checked against its hash.
pub fn pinned(requirements: &Path, environment: &Path) -> Result<()> {
    let wanted = fs::read_to_string(requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let installed = environment.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(environment))
        .context("python3 is needed, 3.11 or newer, with venv and pip")?;
    run(pip(environment)
        .args(["--quiet", "--no-deps", "--require-hashes", "--requirement"])
        .arg(requirements))?;
    fs::write(&installed, wanted)?;
    Ok(())
}

/// `pip install` in an environment.
fn pip(environment: &Path) -> Command {
    let mut pip = Command::new(environment.join("bin/python"));
    pip.args(["-m", "pip", "install", "--disable-pip-version-check"]);
    pip
}

/// The programs of an environment, and then all others.
fn search_path(environment: &Path) -> Result<std::ffi::OsString> {
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(environment.join("bin")).chain(std::env::split_paths(&others));
    Ok(std::env::join_paths(folders)?)
}

/// What makes the compiler write none of this machine's folders into a library.
fn without_folders(root: &Path) -> Result<String> {
    let home = std::env::home_dir().context("there is no home folder")?;
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let renamed = [(root, "hotstone"), (&cargo, "cargo")];
    let options =
        renamed.map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()));
    Ok(options.join(" "))
}

/// When the checked-out commit was made, in seconds since 1970; nothing without Git.
fn commit_time(root: &Path) -> Option<String> {
    let mut git = Command::new("git");
    let output = git.current_dir(root).args(["log", "-1", "--format=%ct"]).output().ok()?;
    let time = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!time.is_empty()).then_some(time)
}
