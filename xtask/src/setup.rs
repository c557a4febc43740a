//! `cargo xtask setup`: provides a libtorch in `.libtorch`, from the nearest source.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::libtorch::{self, VERSION, exported_libtorch, link, same_release, verify, verify_loads};
use crate::run::{PYTHON, output, release, succeeds};
use crate::wheels::Wheels;

/// Prints the version and folder of the installed torch without importing it, which would take
/// seconds.
const FIND_TORCH: &str = "
import importlib.metadata, importlib.util
print(importlib.metadata.version('torch'))
print(importlib.util.find_spec('torch').submodule_search_locations[0])";

/// The oldest pip that accepts several platforms and those named after their C library.
const OLDEST_PIP: (u32, u32) = (20, 3);

/// Makes sure that the workspace can be built; does nothing if it already can.
pub fn setup(root: &Path, cuda: bool) -> Result<()> {
    ensure!(
        !cfg!(windows),
        "learning cannot be built on Windows: torch-sys does not say there where libtorch is. The player can: \
         `cargo run --release --no-default-features -- serve`. To learn, run this on Linux (WSL will do) or macOS"
    );
    check_compiler()?;
    let place = root.join(".libtorch");
    if let Some(exported) = exported_libtorch(&place) {
        return check_exported(&exported, cuda);
    }
    let ready = || verify(&place, cuda).ok().and_then(|()| libtorch::source(&place));
    let started = Instant::now();
    let source = match ready() {
        Some(source) => source,
        None => {
            let lock = lock(root)?;
            // Another setup may have done the work while this one was waiting.
            ready().map_or_else(|| install(root, &place, cuda, &lock), Ok)?
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    println!("libtorch {VERSION} is ready in .libtorch (from {source}, {seconds:.1} s)");
    Ok(())
}

fn check_exported(exported: &Path, cuda: bool) -> Result<()> {
    let advice = format!(
        "LIBTORCH is set to \"{}\": expected the absolute path of an unpacked libtorch {VERSION}; \
         or unset it and run `cargo xtask setup` again",
        exported.display()
    );
    // Build scripts run in other folders than the user.
    ensure!(exported.is_absolute(), "{advice}");
    verify(exported, cuda).and_then(|()| verify_loads(exported)).context(advice)?;
    println!("libtorch {VERSION} is ready in {} (LIBTORCH)", exported.display());
    Ok(())
}

/// torch-sys compiles C++: it is better to report a missing compiler here than in its build script.
fn check_compiler() -> Result<()> {
    let named = env::var_os("CXX").filter(|named| !named.is_empty());
    let named = named.unwrap_or_else(|| "c++".into());
    ensure!(
        succeeds(compiler(&named).arg("--version")),
        "the C++ compiler `{}` does not run. Install one (Debian: `apt install g++`) or name yours \
         in CXX, then run `cargo xtask setup` again",
        named.display()
    );
    Ok(())
}

/// The compiler that CXX names, perhaps with a launcher or options, as in `ccache g++`: build
/// scripts read it in the same way.
fn compiler(named: &OsStr) -> Command {
    let mut words = named.to_str().unwrap_or_default().split_whitespace();
    match words.next().filter(|_| !Path::new(named).exists()) {
        Some(program) => {
            let mut command = Command::new(program);
            command.args(words);
            command
        }
        None => Command::new(named),
    }
}

/// Waits for any other setup of this checkout.
fn lock(root: &Path) -> Result<File> {
    let folder = root.join("target");
    fs::create_dir_all(&folder)?;
    let file = File::create(folder.join("setup.lock"))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        eprintln!("waiting for another setup to finish");
    }
    file.lock().context("cannot wait for another setup")?;
    Ok(file)
}

/// Assembles libtorch next to `place`, then moves it there; returns its source.
fn install(root: &Path, place: &Path, cuda: bool, lock: &File) -> Result<String> {
    let partial = place.with_extension("partial");
    remove(&partial)?;
    fs::create_dir(&partial)?;
    // A killed setup must not leave half a gigabyte for `git add`.
    fs::write(partial.join(".gitignore"), "*\n")?;
    let source = match link_installed(&partial, cuda)? {
        Some(source) => source,
        None => {
            download(root, &partial, cuda, lock)?;
            "downloaded wheels".to_owned()
        }
    };
    verify(&partial, cuda).and_then(|()| verify_loads(&partial))?;
    libtorch::stamp(&partial, &source)?;
    remove(place)?;
    fs::rename(&partial, place).context("cannot move the finished libtorch into place")?;
    Ok(source)
}

/// Links to the libtorch inside Python's torch, if it is of the right release and can be loaded.
fn link_installed(partial: &Path, cuda: bool) -> Result<Option<String>> {
    let output = Command::new(PYTHON).args(["-c", FIND_TORCH]).output();
    let output = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let output = output.unwrap_or_default();
    let mut lines = output.lines();
    let (Some(version), Some(torch)) = (lines.next(), lines.next()) else { return Ok(None) };
    if !same_release(version) {
        eprintln!("{PYTHON} has torch {version}, which is not {VERSION}: not used");
        return Ok(None);
    }
    let linked = link_torch(Path::new(torch), partial)
        .and_then(|()| verify(partial, cuda))
        .and_then(|()| verify_loads(partial));
    if let Err(error) = linked {
        eprintln!("the torch of {PYTHON} is not used: {error:#}");
        for part in ["include", "lib"] {
            remove(&partial.join(part))?;
        }
        return Ok(None);
    }
    Ok(Some(format!("torch {version} of {PYTHON}")))
}

/// Links folders, not files: the libraries find each other, and CUDA's, relative to their own
/// folder.
fn link_torch(torch: &Path, partial: &Path) -> Result<()> {
    for part in ["include", "lib"] {
        link(&torch.join(part), &partial.join(part))
            .with_context(|| format!("cannot link {part}"))?;
    }
    Ok(())
}

/// Downloads the pinned wheels with pip, and takes the necessary files from them.
fn download(root: &Path, partial: &Path, cuda: bool, lock: &File) -> Result<()> {
    ensure!(
        !cfg!(target_env = "musl"),
        "there are wheels only for the GNU C library, and this system has musl. Either run this on a Linux that has it \
         (a container will do), or set LIBTORCH to the folder of a libtorch {VERSION} built for musl; then run \
         `cargo xtask setup` again"
    );
    let wheels = Wheels::here(cuda).with_context(|| {
        let gpus = if cuda { " for GPUs" } else { "" };
        format!(
            "no libtorch{gpus} is pinned for this platform. Either `pip install torch=={VERSION}` \
             for {PYTHON}, or unpack libtorch {VERSION} from pytorch.org and set LIBTORCH to its \
             folder; then run `cargo xtask setup` again"
        )
    })?;
    let told = output(Command::new(PYTHON).args(["-m", "pip", "--version"])).with_context(|| {
        format!(
            "libtorch is downloaded through pip, and `{PYTHON} -m pip` does not run. Either install it \
             (Debian: `apt install python3-pip`), or set LIBTORCH to the folder of a libtorch {VERSION}; \
             then run `cargo xtask setup` again"
        )
    })?;
    check_pip(&told)?;
    let site = partial.join("site");
    let mut pip = wheels.install(&root.join("xtask/requirements"), &site);
    // pip unpacks into the temporary folder and moves the result, which is instant on the same
    // disk.
    pip.env("TMPDIR", partial);
    // A pip that outlives a killed setup holds the lock until it has written its last byte.
    pip.stdin(lock.try_clone()?);
    if !pip.status()?.success() {
        bail!(
            "pip failed; its own message is above. If it does not reach its index \
             (`{PYTHON} -m pip config list` shows which), run `cargo xtask setup` again when it does, \
             or set LIBTORCH to the folder of a libtorch {VERSION}"
        );
    }
    if cuda {
        return link_torch(Path::new("site/torch"), partial);
    }
    wheels.take(&site, partial)?;
    remove(&site)
}

/// Refuses a pip that lacks the necessary options; `told` is its version output.
fn check_pip(told: &str) -> Result<()> {
    let version = told.split_whitespace().nth(1).unwrap_or_default();
    let (major, minor) = OLDEST_PIP;
    ensure!(
        release(version).is_some_and(|found| found >= OLDEST_PIP),
        "{PYTHON} has pip {version}: expected {major}.{minor} or newer. Run `{PYTHON} -m pip install --upgrade pip`, \
         then `cargo xtask setup` again"
    );
    Ok(())
}

/// Removes a file, a folder or a link (never its target), if it exists.
fn remove(path: &Path) -> Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    let removed = if metadata.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.with_context(|| format!("cannot remove {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_may_have_a_launcher_and_options() {
        let words = |named: &str| {
            let command = compiler(OsStr::new(named));
            std::iter::once(command.get_program())
                .chain(command.get_args())
                .map(|word| word.to_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(words("c++"), ["c++"]);
        assert_eq!(words("ccache g++ -m64"), ["ccache", "g++", "-m64"]);
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("my compiler");
        fs::write(&place, "").unwrap();
        let place = place.to_str().unwrap();
        assert_eq!(words(place), [place]);
    }

    #[test]
    fn an_old_pip_is_told_from_a_new_one() {
        for version in ["20.3", "20.3.4", "23.0.1", "26.1b1"] {
            check_pip(&format!("pip {version} from /usr/lib/python3 (python 3.11)")).unwrap();
        }
        for version in ["9.0.3", "20.0.2", "20.2"] {
            let error = check_pip(&format!("pip {version} from x")).unwrap_err().to_string();
            assert!(error.contains(version) && error.contains("--upgrade"), "{error}");
        }
    }
}
