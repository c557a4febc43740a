//! `cargo xtask setup`: a libtorch in `.libtorch`, from the nearest place that has one.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::download::{self, PATIENT};
use crate::libtorch::{self, library, same_release, verify, verify_loads};
use crate::log::Log;
use crate::python::Python;
use crate::wheels::{self, LIBTORCH, Wheel};

/// Makes sure that the workspace can be built; does nothing where it already can.
pub fn setup(root: &Path, cuda: bool) -> Result<()> {
    check_compiler()?;
    let place = root.join(".libtorch");
    if let Some(exported) = exported_libtorch(&place) {
        return check_exported(&exported, cuda);
    }
    if let Some(source) = ready(&place, cuda) {
        println!("libtorch {LIBTORCH} is ready in .libtorch (from {source})");
        return Ok(());
    }
    let started = Instant::now();
    let cache = root.join("target/libtorch-download");
    fs::create_dir_all(&cache)?;
    let log = Log::lock(cache.join("log"))?;
    // Another setup may have done the work while this one waited.
    let source = match ready(&place, cuda) {
        Some(source) => source,
        None => install(&place, &cache, cuda, &log)?,
    };
    let seconds = started.elapsed().as_secs_f64();
    println!("libtorch {LIBTORCH} is ready in .libtorch (from {source}, {seconds:.0} s)");
    Ok(())
}

/// The user's own `LIBTORCH`. Cargo's `[env]` sets the variable to `place` for us where nobody else did.
pub fn exported_libtorch(place: &Path) -> Option<PathBuf> {
    env::var_os("LIBTORCH").map(PathBuf::from).filter(|exported| exported != place)
}

fn check_exported(exported: &Path, cuda: bool) -> Result<()> {
    let advice = format!(
        "LIBTORCH is set to \"{}\": let it name, by an absolute path, an unpacked libtorch {LIBTORCH}, \
         or unset it and run `cargo xtask setup` again",
        exported.display()
    );
    if !exported.is_absolute() {
        // Build scripts run in other folders than the user.
        bail!("{advice}");
    }
    verify(exported, cuda).and_then(|()| verify_loads(exported)).context(advice)?;
    println!("libtorch {LIBTORCH} is ready in {} (LIBTORCH)", exported.display());
    Ok(())
}

/// Where the libtorch in `place` came from, if nothing has to be done.
fn ready(place: &Path, cuda: bool) -> Option<String> {
    verify(place, cuda).ok()?;
    if place.join("stamp").exists() {
        return libtorch::stamped_source(place);
    }
    // Somebody has put it there by hand, and it is complete.
    Some("elsewhere".to_owned())
}

/// Puts libtorch together beside `place`, then moves it there; returns its source.
fn install(place: &Path, cache: &Path, cuda: bool, log: &Log) -> Result<String> {
    let partial = place.with_extension("partial");
    remove(&partial)?;
    fs::create_dir_all(&partial)?;
    // A killed setup must not leave half a gigabyte for `git add`.
    fs::write(partial.join(".gitignore"), "*\n")?;
    let source = match link_installed(&partial, cuda)? {
        Some(source) => source,
        None => download(&partial, cache, cuda, log)?,
    };
    verify(&partial, cuda).and_then(|()| verify_loads(&partial))?;
    libtorch::stamp(&partial, &source)?;
    remove(place)?;
    fs::rename(&partial, place).context("cannot move the finished libtorch into place")?;
    Ok(source)
}

/// Links to the libtorch inside a Python's torch of the right release, if there is one that loads.
fn link_installed(partial: &Path, cuda: bool) -> Result<Option<String>> {
    for python in Python::all() {
        let Some(torch) = python.torch() else { continue };
        if !same_release(&torch.version, LIBTORCH) {
            eprintln!("{python} has torch {}, which is not {LIBTORCH}: not used", torch.version);
            continue;
        }
        // Folders, not files, are linked: the libraries find each other relative to where they lie.
        for part in ["include", "lib"] {
            remove(&partial.join(part))?;
            symlink(&torch.folder.join(part), &partial.join(part))?;
        }
        match verify(partial, cuda).and_then(|()| verify_loads(partial)) {
            Ok(()) => return Ok(Some(format!("torch {} of {python}", torch.version))),
            Err(error) => eprintln!("the torch of {python} is not used: {error:#}"),
        }
    }
    for part in ["include", "lib"] {
        remove(&partial.join(part))?;
    }
    Ok(None)
}

/// Downloads what is not yet in `cache` and unpacks it into `partial`.
fn download(partial: &Path, cache: &Path, cuda: bool, log: &Log) -> Result<String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!(
            "there is no pinned libtorch for this platform. Either `pip install torch=={LIBTORCH}` for \
             python3, or unpack libtorch {LIBTORCH} from pytorch.org and set LIBTORCH to its folder; \
             then run `cargo xtask setup` again"
        );
    }
    let Some(python) = Python::with_pip() else {
        bail!(
            "libtorch is downloaded through pip, and `python3 -m pip` does not run. Either install it \
             (Debian: `apt install python3-pip`), or set LIBTORCH to the folder of a libtorch {LIBTORCH}; \
             then run `cargo xtask setup` again"
        );
    };
    let wheels = if cuda { wheels::CUDA } else { wheels::CPU };
    fetch_all(&python, wheels, cache, log)?;
    for wheel in wheels {
        eprintln!("unpacking {} {}", wheel.name, wheel.version);
        python.unpack(wheel, &cache.join(wheel.file), partial, log)?;
    }
    if !cuda {
        // The real libtorch.so is an empty hull that loads the CUDA half too.
        let name = library(partial, "torch_cpu");
        let name = name.file_name().context("a library has a name")?;
        symlink(Path::new(name), &library(partial, "torch"))?;
    }
    Ok("downloaded wheels".to_owned())
}

/// Brings every wheel into `cache`, each with the pinned content.
fn fetch_all(python: &Python, wheels: &[Wheel], cache: &Path, log: &Log) -> Result<()> {
    let mut missing = Vec::new();
    for wheel in wheels {
        let file = cache.join(wheel.file);
        if !file.is_file() {
            missing.push(*wheel);
        } else if download::sha256(&file)? != wheel.sha256 {
            fs::remove_file(&file)?;
            missing.push(*wheel);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let urls = python.resolve(&missing, log).unwrap_or_else(|error| {
        eprintln!(
            "pip does not tell where its files are ({error:#}): downloading through pip itself"
        );
        Vec::new()
    });
    let mut urls = urls.into_iter();
    for wheel in &missing {
        fetch_one(python, wheel, urls.next().as_deref(), cache, log)?;
    }
    Ok(())
}

fn fetch_one(
    python: &Python,
    wheel: &Wheel,
    url: Option<&str>,
    cache: &Path,
    log: &Log,
) -> Result<()> {
    let file = cache.join(wheel.file);
    let part = cache.join(format!("{}.part", wheel.file));
    let label = format!("{} {}", wheel.name, wheel.version);
    let resumable = || -> Result<()> {
        let url = url.context("its address is unknown")?;
        download::fetch(&label, &part, PATIENT, &mut |offset| python.get(url, offset, log))?;
        keep_if_pinned(&part, &file, wheel)
    };
    if let Err(error) = resumable() {
        eprintln!("{label}: {error:#}; downloading it through pip itself");
        python.pip_download(wheel, cache, log).with_context(|| {
            format!(
                "cannot download {label}. What has arrived is kept: run `cargo xtask setup` again when \
                 pip reaches its index (`python3 -m pip config list` shows which), or set LIBTORCH to \
                 the folder of a libtorch {LIBTORCH}"
            )
        })?;
        keep_if_pinned(&file, &file, wheel)?;
    }
    Ok(())
}

/// Gives a complete download its final name, or deletes it when it is not the pinned file.
fn keep_if_pinned(part: &Path, file: &Path, wheel: &Wheel) -> Result<()> {
    let found = download::sha256(part).with_context(|| format!("no {}", part.display()))?;
    if found != wheel.sha256 {
        fs::remove_file(part)?;
        bail!("{} has SHA-256 {found}, not the pinned {}", wheel.file, wheel.sha256);
    }
    fs::rename(part, file)?;
    Ok(())
}

/// torch-sys compiles C++: better to hear of a missing compiler here than from its build script.
fn check_compiler() -> Result<()> {
    let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let mut command = Command::new(&compiler);
    let command = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    if !command.status().is_ok_and(|status| status.success()) {
        bail!(
            "the C++ compiler `{}` does not run. Install one (Debian: `apt install g++`) or name yours \
             in CXX, then run `cargo xtask setup` again",
            compiler.display()
        );
    }
    Ok(())
}

/// Removes a file, a folder or a link (never what it points to); nothing there is fine.
fn remove(path: &Path) -> Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    let removed = if metadata.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.with_context(|| format!("cannot remove {}", path.display()))
}

#[cfg(unix)]
fn symlink(target: &Path, link: &Path) -> Result<()> {
    std::os::unix::fs::symlink(target, link)
        .with_context(|| format!("cannot link {}", link.display()))
}

#[cfg(not(unix))]
fn symlink(_target: &Path, _link: &Path) -> Result<()> {
    bail!("links need Unix: set LIBTORCH to the folder of a libtorch {LIBTORCH}")
}
