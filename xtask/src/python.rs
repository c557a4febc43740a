//! The Pythons of this machine: one may already hold libtorch, and every one with pip can fetch it.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::download::Response;
use crate::log::Log;
use crate::wheels::Wheel;

/// Passed to Python as `-c`, so that nothing needs to be found on disk.
const HELPER: &str = include_str!("pip_helper.py");

/// Prints version and folder of the installed torch without the seconds that importing it costs.
const FIND_TORCH: &str = "
import importlib.metadata, importlib.util
print(importlib.metadata.version('torch'))
print(importlib.util.find_spec('torch').submodule_search_locations[0])";

/// A Python interpreter.
#[derive(Debug, Clone)]
pub struct Python {
    program: PathBuf,
}

/// A torch that is installed in a Python.
#[derive(Debug)]
pub struct InstalledTorch {
    /// As the package says it, such as `2.11.0+cu130`.
    pub version: String,
    pub folder: PathBuf,
}

impl Python {
    /// The interpreters to try, the active virtual environment's first.
    pub fn all() -> Vec<Self> {
        let environment = std::env::var_os("VIRTUAL_ENV");
        let own = environment.map(|folder| PathBuf::from(folder).join("bin/python3"));
        let programs = own.into_iter().chain([PathBuf::from("python3")]);
        programs.map(|program| Self { program }).collect()
    }

    /// The first interpreter that has pip.
    pub fn with_pip() -> Option<Self> {
        Self::all().into_iter().find(|python| {
            let mut command = python.command(["-m", "pip", "--version"]);
            let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
            quiet.status().is_ok_and(|status| status.success())
        })
    }

    /// The torch that `import torch` would find; `None` where there is none.
    pub fn torch(&self) -> Option<InstalledTorch> {
        let output = self.command(["-c", FIND_TORCH]).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
        let mut lines = text.lines();
        Some(InstalledTorch { version: lines.next()?.into(), folder: lines.next()?.into() })
    }

    /// The addresses of `wheels` on the index that pip is configured to use, in their order.
    pub fn resolve(&self, wheels: &[Wheel], log: &Log) -> Result<Vec<String>> {
        let requests = wheels.iter().map(|wheel| format!("{}=={}", wheel.name, wheel.file));
        let text = self.helper_output("resolve", requests, log)?;
        let found: Vec<_> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        let address = |wheel: &Wheel| {
            let hit = found.iter().find(|(file, _)| *file == wheel.file);
            hit.map(|(_, url)| (*url).to_owned()).with_context(|| format!("no {}", wheel.file))
        };
        wheels.iter().map(address).collect()
    }

    /// Asks for `url` from byte `offset` on, through pip's own session.
    pub fn get(&self, url: &str, offset: u64, log: &Log) -> Result<Response> {
        let mut command = self.helper("get");
        command.arg(offset.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(log.fresh()?).spawn()?;
        // Through the pipe: an address may hold a password, which arguments show to everybody.
        writeln!(child.stdin.take().context("no pipe to Python")?, "{url}")?;
        let mut body = Body::new(child)?;
        let mut head = String::new();
        body.output.read_line(&mut head)?;
        let Some((status, total)) = head.trim_end().split_once(' ') else {
            drop(body);
            bail!("{}", log.last_line());
        };
        let (status, total) = (status.parse()?, total.parse().ok());
        Ok(Response { status, total, body: Box::new(body) })
    }

    /// pip's own download, from zero and without our progress line, where the better way fails.
    pub fn pip_download(&self, wheel: &Wheel, folder: &Path, log: &Log) -> Result<()> {
        let flags = self.helper_output("flags", [], log)?;
        let mut command = self.command(["-m", "pip", "download"]);
        command.args(flags.lines()).arg("--dest").arg(folder);
        command.arg(format!("{}=={}", wheel.name, wheel.version));
        // Standard output is kept for answers.
        command.stdout(std::io::stderr());
        let status = command.status()?;
        if !status.success() {
            bail!("pip could not download {} {} ({status})", wheel.name, wheel.version);
        }
        Ok(())
    }

    /// Takes the wheel's parts out of `file` into `target`.
    pub fn unpack(&self, wheel: &Wheel, file: &Path, target: &Path, log: &Log) -> Result<()> {
        let mut command = self.helper("unpack");
        command.arg(file).arg(target).stdin(Stdio::piped()).stderr(log.fresh()?);
        let mut child = command.spawn()?;
        let mut input = child.stdin.take().context("no pipe to Python")?;
        for (member, destination) in wheel.parts {
            writeln!(input, "{member}\t{destination}")?;
        }
        drop(input);
        if !child.wait()?.success() {
            bail!("unpacking {} failed: {}", wheel.file, log.last_line());
        }
        Ok(())
    }

    fn helper_output(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = String>,
        log: &Log,
    ) -> Result<String> {
        let output = self.helper(name).args(arguments).stderr(log.fresh()?).output()?;
        if !output.status.success() {
            bail!("{}", log.last_line());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    fn helper(&self, name: &str) -> Command {
        self.command(["-c", HELPER, name])
    }

    fn command<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments);
        command
    }
}

impl std::fmt::Display for Python {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.program.display().fmt(formatter)
    }
}

/// The output of a running helper, which ends with its reader.
struct Body {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Body {
    fn new(mut child: Child) -> Result<Self> {
        let output = child.stdout.take().context("no pipe from Python")?;
        Ok(Self { child, output: BufReader::with_capacity(1 << 18, output) })
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.output.read(buffer)
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        // Nothing to do about a failure here: it has ended by itself, or will when the pipe closes.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
