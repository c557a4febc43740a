//! `cargo xtask dist`: the player as an archive that runs wherever it is unpacked.

mod archive;
mod check;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::licences;
use crate::reproducible::{encoded, epoch, registries, without_folders};
use crate::run::{cargo, host, output, run};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The shells whose completions are in the archive, and the name that each shell looks for.
const COMPLETIONS: [(&str, &str); 4] = [
    ("bash", "hotstone.bash"),
    ("zsh", "_hotstone"),
    ("fish", "hotstone.fish"),
    ("powershell", "_hotstone.ps1"),
];

/// Files that are copied unchanged from the repository, with their places in the repository and the
/// archive.
const FILES: [(&str, &str); 6] = [
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("models/released/universal/card.toml", "models/universal/card.toml"),
    ("models/released/universal/weights.safetensors", "models/universal/weights.safetensors"),
    ("xtask/archive/README.txt", "README.txt"),
];

/// What a double click starts on Windows: the program alone would open a window without a page.
const PLAY: (&str, &str) = ("xtask/archive/Play.cmd", "Play.cmd");

/// What the program contains besides Rust's standard library and packages.
const BESIDES: &str = "\
SQLite (https://sqlite.org, in the public domain), on Linux the GNU C library (https://www.gnu.org/software/libc,
LGPL 2.1 or later; building Hotstone from its source links it with yours), ";

/// Refuses to build a release for a tag that names another version, before any expensive step.
pub fn check_tag() -> Result<()> {
    let is_tag = env::var("GITHUB_REF_TYPE").is_ok_and(|kind| kind == "tag");
    let tag = env::var("GITHUB_REF_NAME").ok().filter(|_| is_tag);
    tag.map_or(Ok(()), |tag| names_this_version(&tag))
}

fn names_this_version(tag: &str) -> Result<()> {
    ensure!(
        tag.strip_prefix('v') == Some(VERSION),
        "the tag is {tag}, and the version in Cargo.toml is {VERSION}: expected the tag v{VERSION}. Change one of them"
    );
    Ok(())
}

/// Builds the player for this platform, packs it into `out`, and runs it from there.
pub fn program(root: &Path, out: &Path) -> Result<()> {
    let (epoch, host) = (epoch(root)?, host()?);
    run(cargo(root).args(["fetch", "--locked", "--target", &host]))?;
    let registries = registries()?;
    let built = build(root, &host, &registries)?;
    let name = format!("hotstone-{VERSION}-{host}");
    let folder = out.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fill(root, &folder, &built)?;
    let notices = licences::notices(root, "hotstone", &host, BESIDES)?;
    fs::write(folder.join(licences::FILE), notices)?;
    let archive = out.join(format!("{name}.tar.gz"));
    let digest = archive::pack(&folder, &archive, epoch)?;
    let sum = format!("{digest}  {name}.tar.gz\n");
    fs::write(out.join(format!("{name}.tar.gz.sha256")), &sum)?;
    check::check(&archive, &name)?;
    println!("{} has {} bytes\n{}", archive.display(), fs::metadata(&archive)?.len(), sum.trim());
    Ok(())
}

/// Builds the player and returns its path.
fn build(root: &Path, host: &str, registries: &[PathBuf]) -> Result<PathBuf> {
    let mut options = without_folders(root, registries);
    if host.contains("linux") || host.contains("windows") {
        // No system library is needed, so any release of the system will do.
        options.push("-Ctarget-feature=+crt-static".to_owned());
    }
    let mut build = cargo(root);
    build.args(["build", "--locked", "--profile", "dist", "--no-default-features"]);
    // Naming the platform keeps these options away from build scripts and macros, which must stay
    // dynamic.
    build.args(["--target", host, "--target-dir"]).arg(root.join("target"));
    build.env("CARGO_ENCODED_RUSTFLAGS", encoded(&options));
    run(&mut build).with_context(|| advice(host))?;
    let program = format!("hotstone{}", env::consts::EXE_SUFFIX);
    Ok(root.join("target").join(host).join("dist").join(program))
}

/// What may be missing if the player does not link.
fn advice(host: &str) -> &'static str {
    if host.contains("linux") {
        "the player cannot be built. If the linker finds no -lc, it lacks the static C library: install it (Fedora: \
         `dnf install glibc-static`; Debian has it in libc6-dev)"
    } else {
        "the player cannot be built"
    }
}

/// Copies the program and what belongs to it into `folder`.
fn fill(root: &Path, folder: &Path, built: &Path) -> Result<()> {
    let program = folder.join(built.file_name().unwrap_or_default());
    fs::create_dir_all(folder.join("models/universal"))?;
    fs::create_dir_all(folder.join("completions"))?;
    fs::copy(built, &program)?;
    for (file, place) in FILES.into_iter().chain(cfg!(windows).then_some(PLAY)) {
        fs::copy(root.join(file), folder.join(place))
            .with_context(|| format!("cannot copy {file}"))?;
    }
    run(Command::new(&program).args(["man", "--out"]).arg(folder.join("man")))?;
    for (shell, name) in COMPLETIONS {
        let script = output(Command::new(&program).args(["completions", shell]))?;
        fs::write(folder.join("completions").join(name), script)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_the_version() {
        names_this_version(&format!("v{VERSION}")).unwrap();
        for tag in [VERSION, "v999.0.0", "v"] {
            let error = names_this_version(tag).unwrap_err().to_string();
            assert!(error.contains(tag) && error.contains(&format!("v{VERSION}")), "{error}");
        }
    }

    #[test]
    fn what_is_packed_is_in_the_repository() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert!(FILES.iter().chain([&PLAY]).all(|(file, _)| root.join(file).is_file()));
    }
}
