//! The page without a server, as a folder of plain files.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::licences;
use crate::run::{cargo, output, run, rustc, succeeds};

const TARGET: &str = "wasm32-unknown-unknown";

/// The files of the site that are next to its page rather than among the files that the page loads.
const OUTERMOST: [&str; 3] = ["index.html", "manifest.webmanifest", "offline.js"];

/// The licences, which are next to the page but not available offline.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Additions to the page's head: a script that explains why the page does not work as a file, and a
/// manifest for installing it on a phone.
const HEAD: &str = "  <script src=\"page/file.js\"></script>
  <link rel=\"manifest\" href=\"manifest.webmanifest\">
  <link rel=\"apple-touch-icon\" href=\"page/icon.png\">
</head>";

/// WebAssembly linkers, by their names in LLVM's and Debian's packages.
const LINKERS: [&str; 5] = ["wasm-ld", "wasm-ld-22", "wasm-ld-21", "wasm-ld-20", "wasm-ld-19"];

/// Builds the site into a folder, and prints the size of each file. If `plays` is set, it is played
/// in a browser.
pub fn site(root: &Path, folder: Option<PathBuf>, plays: bool) -> Result<()> {
    let folder = folder.unwrap_or_else(|| root.join("target/site"));
    check_place(&folder)?;
    let mut files = files(root, fs::read(program(root)?)?)?;
    for name in LICENCES {
        files.insert(name.to_owned(), fs::read(root.join(name))?);
    }
    let notices = licences::notices(root, "browser", TARGET, "")?;
    files.insert(licences::FILE.to_owned(), notices.into_bytes());
    // An earlier site stays until its replacement is ready.
    clear(&folder)?;
    let mut total = 0;
    for (name, bytes) in &files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{:>9} {name}", bytes.len());
        total += bytes.len();
    }
    println!("{total:>9} bytes in {}: any static host serves them", folder.display());
    if plays { play(root, &folder) } else { Ok(()) }
}

/// Plays on the site with Chromium, cut off from the network; screenshots are kept in
/// `target/browser-site`.
fn play(root: &Path, folder: &Path) -> Result<()> {
    let scripts = root.join("server/tests/browser");
    run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&scripts))?;
    let mut check = Command::new("node");
    check.arg("site.mjs").arg(folder.canonicalize()?).arg(root.join("target/browser-site"));
    run(check.args(std::env::var_os("CHROMIUM")).current_dir(&scripts))
}

/// Refuses a folder that has other files and no earlier site.
fn check_place(folder: &Path) -> Result<()> {
    ensure!(
        is_empty(folder)? || folder.join("offline.js").is_file(),
        "{} is not empty and no site: choose another folder with --out",
        folder.display()
    );
    Ok(())
}

/// Removes the `page` folder of an earlier site, whose files the new one may lack. Files beside it
/// are overwritten or stay, such as a repository or the name of a domain.
fn clear(folder: &Path) -> Result<()> {
    let page = folder.join("page");
    if !page.exists() {
        return Ok(());
    }
    fs::remove_dir_all(&page).with_context(|| format!("cannot remove {}", page.display()))
}

fn is_empty(folder: &Path) -> Result<bool> {
    Ok(!folder.exists() || fs::read_dir(folder)?.next().is_none())
}

/// Builds the program in WebAssembly, and returns its file.
fn program(root: &Path) -> Result<PathBuf> {
    let mut build = cargo(root);
    build.args(["build", "--package", "browser", "--profile", "wasm", "--target", TARGET]);
    if !printed("target-libdir")?.is_dir() {
        // Without a standard library for the target, its source will do, as Debian installs it.
        let source = printed("sysroot")?.join("lib/rustlib/src/rust/library/std");
        let linker =
            LINKERS.into_iter().find(|linker| succeeds(Command::new(linker).arg("--version")));
        let Some(linker) = linker.filter(|_| source.is_dir()) else {
            bail!(
                "Rust cannot build for {TARGET} here: run `rustup target add {TARGET}`, or with Debian's Rust \
                 `apt-get install rustc-web cargo-web rust-web-src lld-22`"
            );
        };
        build.args(["-Z", "build-std=std,panic_abort"]).env("RUSTC_BOOTSTRAP", "1");
        build.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    run(&mut build)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Ok(root.join(target).join(TARGET).join("wasm/browser.wasm"))
}

/// A folder printed by the compiler.
fn printed(what: &str) -> Result<PathBuf> {
    Ok(output(rustc().args(["--print", what, "--target", TARGET]))?.trim().into())
}

/// Every file of the site by its name: those of the server's page, with the files in `browser/page`
/// added, replacing those with the same name.
fn files(root: &Path, program: Vec<u8>) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::from([("page/hotstone.wasm".to_owned(), program)]);
    for page in ["server/src/page", "browser/page"] {
        for entry in fs::read_dir(root.join(page))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let place = if OUTERMOST.contains(&name.as_str()) { "" } else { "page/" };
            files.insert(format!("{place}{name}"), fs::read(entry.path())?);
        }
    }
    replace(&mut files, "index.html", "</head>", HEAD)?;
    let mut version = DefaultHasher::new();
    files.hash(&mut version);
    let version = format!("{:016x}", version.finish());
    let kept = files.keys().map(String::as_str).filter(|&name| name != "offline.js");
    let names: Vec<String> =
        ["./"].into_iter().chain(kept).map(|name| format!("{name:?}")).collect();
    replace(&mut files, "offline.js", "VERSION", &version)?;
    replace(&mut files, "offline.js", "/* FILES */", &names.join(", "))?;
    Ok(files)
}

/// Replaces text that occurs exactly once in a file.
fn replace(files: &mut BTreeMap<String, Vec<u8>>, name: &str, old: &str, new: &str) -> Result<()> {
    let bytes = files.get_mut(name).with_context(|| format!("the page has no {name}"))?;
    let text = str::from_utf8(bytes)?;
    ensure!(text.matches(old).count() == 1, "{name} should have '{old}' once");
    *bytes = text.replace(old, new).into_bytes();
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_an_earlier_site_is_replaced() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str| home.path().join(name);
        check_place(&file("new")).unwrap();
        clear(&file("new")).unwrap();
        fs::create_dir(file("page")).unwrap();
        for name in ["page/old.js", "CNAME"] {
            fs::write(file(name), "?").unwrap();
        }
        assert!(check_place(home.path()).unwrap_err().to_string().contains("--out"));
        fs::write(file("offline.js"), "?").unwrap();
        check_place(home.path()).unwrap();
        clear(home.path()).unwrap();
        assert!(!file("page").exists() && file("CNAME").exists());
    }

    #[test]
    fn the_site_is_whole_refers_to_itself_alone_and_is_kept_offline() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let site = files(root, b"program".to_vec()).unwrap();
        let text = |name: &str| String::from_utf8_lossy(&site[name]).into_owned();
        let offline = text("offline.js");
        for name in site.keys() {
            let text = text(name).replace("http://www.w3.org/", "");
            assert!(!text.contains("http://") && !text.contains("https://"), "{name}");
            assert!(!text.contains("=\"/"), "{name} has to work in any folder of a host");
            for imported in text.split("from \"./").skip(1) {
                let imported = imported.split('"').next().unwrap();
                assert!(site.contains_key(&format!("page/{imported}")), "{name}: {imported}");
            }
            assert_eq!(offline.contains(&format!("{name:?}")), name != "offline.js", "{name}");
        }
        assert!(OUTERMOST.iter().all(|&name| site.contains_key(name)));
        assert!(text("page/transport.js").contains("new Worker"), "the server's is replaced");
        let changed = files(root, b"another".to_vec()).unwrap();
        assert_ne!(changed["offline.js"], site["offline.js"], "another version, another cache");
    }
}
