//! Runs an archive's program in an otherwise empty environment.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::dist::archive::unpack;
use crate::run::{output, succeeds};

/// Unpacks the archive and lets the program count moves, play by GTP, and serve its page.
pub fn check(archive: &Path, name: &str) -> Result<()> {
    let root = archive.with_extension("check");
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    fs::create_dir_all(&root)?;
    unpack(archive, &root)?;
    let has_namespaces = succeeds(Command::new("unshare").args(["--map-root-user", "true"]));
    if !has_namespaces {
        eprintln!("note: no namespaces here, so the program sees the rest of this machine");
    }
    let hotstone = |arguments: &[&str]| alone(&root, name, has_namespaces, arguments);
    let counts = output(&mut hotstone(&["perft", "--rules", "go", "--size", "3", "--depth", "3"]))?;
    ensure!(counts == "1 10\n2 91\n3 738\n", "perft counted {counts}");
    output(&mut hotstone(&["doctor"]))?;
    plays(hotstone(&["gtp", "--rules", "stoical,tiles=cushion", "--size", "6"]))?;
    serves(hotstone(&["serve", "--port", "0", "--data", "games"]))?;
    fs::remove_dir_all(&root)?;
    Ok(())
}

/// The only environment variable that the program still sees: `unshare` is found through it, and
/// Windows opens no sockets without it.
const KEPT: &str = if cfg!(windows) { "SystemRoot" } else { "PATH" };

/// The program without an environment, with `root` as the root of its file system where Linux has
/// namespaces, and otherwise run in that folder.
fn alone(root: &Path, name: &str, has_namespaces: bool, arguments: &[&str]) -> Command {
    let program = format!("{name}/hotstone{}", std::env::consts::EXE_SUFFIX);
    let mut command = if has_namespaces {
        let mut unshare = Command::new("unshare");
        unshare.arg("--map-root-user").arg("--root").arg(root).args(["--wd", "/"]);
        unshare.arg(format!("/{program}"));
        unshare
    } else {
        let mut command = Command::new(root.join(program));
        command.current_dir(root);
        command
    };
    command.env_clear().envs(std::env::var_os(KEPT).map(|value| (KEPT, value)));
    command.args(arguments);
    command
}

/// Asks for a move by GTP.
fn plays(mut gtp: Command) -> Result<()> {
    let mut child = gtp.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().context("no input")?;
    input.write_all(b"genmove b\nquit\n")?;
    let told = String::from_utf8(child.wait_with_output()?.stdout)?;
    let played = told.strip_prefix("= ").and_then(|told| told.lines().next());
    ensure!(played.is_some_and(|played| played.len() == 2), "genmove was answered with {told}");
    Ok(())
}

/// Asks for the page and for the rule sets.
fn serves(mut serve: Command) -> Result<()> {
    let mut child = serve.stdout(Stdio::piped()).spawn()?;
    let mut told = String::new();
    BufReader::new(child.stdout.take().context("no output")?).read_line(&mut told)?;
    let address = told.trim().trim_start_matches("http://").trim_end_matches('/');
    let ask = |path: &str, expected: &str| {
        let mut stream = TcpStream::connect(address)?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply)?;
        let good = reply.starts_with("HTTP/1.1 200") && reply.contains(expected);
        ensure!(good, "GET {path} was answered with {reply}");
        Ok(())
    };
    let found = ask("/", "<!doctype html>").and_then(|()| ask("/api/variants", "incursion"));
    child.kill()?;
    child.wait()?;
    found
}
