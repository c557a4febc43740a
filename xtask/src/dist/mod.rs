//! `cargo xtask dist`: the player as an archive that runs wherever it is unpacked.

mod archive;
mod check;
mod licences;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::reproducible::{encoded, epoch, registries, without_folders};
use crate::run::{cargo, output, run, rustc};

/// The shells whose completions are in the archive, and the name that each shell looks for.
const COMPLETIONS: [(&str, &str); 4] = [
    ("bash", "hotstone.bash"),
    ("zsh", "_hotstone"),
    ("fish", "hotstone.fish"),
    ("powershell", "_hotstone.ps1"),
];

/// What is in the archive as it is in the repository.
const FILES: [&str; 6] = [
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "models/released/universal/card.toml",
    "models/released/universal/weights.safetensors",
];

/// Builds the player for this platform and packs it into `out`, then runs it from there.
pub fn program(root: &Path, out: &Path) -> Result<()> {
    let host = host()?;
    run(cargo(root).args(["fetch", "--locked", "--target", &host]))?;
    let registries = registries()?;
    let built = build(root, &host, &registries)?;
    let name = format!("hotstone-{}-{host}", env!("CARGO_PKG_VERSION"));
    let folder = out.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fill(root, &folder, &built)?;
    let notices = licences::notices(root, &host, &registries)?;
    fs::write(folder.join("THIRD-PARTY.txt"), notices)?;
    let archive = out.join(format!("{name}.tar.gz"));
    let digest = archive::pack(&folder, &archive, epoch(root)?)?;
    let sum = format!("{digest}  {name}.tar.gz\n");
    fs::write(out.join(format!("{name}.tar.gz.sha256")), &sum)?;
    check::check(&archive, &name)?;
    println!("{} has {} bytes\n{}", archive.display(), fs::metadata(&archive)?.len(), sum.trim());
    Ok(())
}

/// The platform of this compiler.
fn host() -> Result<String> {
    let told = output(rustc().arg("-vV"))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what it compiles for")?.to_owned())
}

/// Builds the player and returns its path.
fn build(root: &Path, host: &str, registries: &[PathBuf]) -> Result<PathBuf> {
    let mut options = without_folders(root, registries);
    if host.contains("linux") || host.contains("windows") {
        // No library of the system is needed, so that any release of it will do.
        options.push("-Ctarget-feature=+crt-static".to_owned());
    }
    let mut build = cargo(root);
    build.args(["build", "--locked", "--profile", "dist", "--no-default-features"]);
    // Naming the platform keeps the options from build scripts and macros, which must stay dynamic.
    build.args(["--target", host, "--target-dir"]).arg(root.join("target"));
    build.env("CARGO_ENCODED_RUSTFLAGS", encoded(&options));
    run(&mut build)?;
    let program = format!("hotstone{}", env::consts::EXE_SUFFIX);
    Ok(root.join("target").join(host).join("dist").join(program))
}

/// Copies the program and what belongs to it into `folder`.
fn fill(root: &Path, folder: &Path, built: &Path) -> Result<()> {
    let program = folder.join(built.file_name().unwrap_or_default());
    fs::create_dir_all(folder.join("models/universal"))?;
    fs::create_dir_all(folder.join("completions"))?;
    fs::copy(built, &program)?;
    for file in FILES {
        let place = folder.join(file.replace("models/released", "models"));
        fs::copy(root.join(file), place).with_context(|| format!("cannot copy {file}"))?;
    }
    run(Command::new(&program).args(["man", "--out"]).arg(folder.join("man")))?;
    for (shell, name) in COMPLETIONS {
        let script = output(Command::new(&program).args(["completions", shell]))?;
        fs::write(folder.join("completions").join(name), script)?;
    }
    Ok(())
}
