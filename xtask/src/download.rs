//! Downloads that survive an interruption: every byte that arrived is kept and asked for only once.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use sha2::{Digest, Sha256};

/// The answer to "the file from byte `offset` on".
pub struct Response {
    /// 206: the rest of the file; 200: all of it; 416: there is no such rest.
    pub status: u16,
    /// The size of the whole file, if the server said it.
    pub total: Option<u64>,
    pub body: Box<dyn Read>,
}

/// How many times in a row nothing may arrive, and the first pause between two tries.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    pub tries: u32,
    pub pause: Duration,
}

/// Gives a dropped connection half a minute to come back.
pub const PATIENT: Patience = Patience { tries: 6, pause: Duration::from_secs(1) };

/// Fills `part` up to the whole file, starting from what it already holds.
pub fn fetch(
    label: &str,
    part: &Path,
    patience: Patience,
    open: &mut dyn FnMut(u64) -> Result<Response>,
) -> Result<()> {
    let mut in_vain = 0;
    loop {
        let before = size(part);
        let error = match transfer(label, part, before, open) {
            Ok(Transfer::Complete) => return Ok(()),
            Ok(Transfer::Refused(status)) => bail!("the server answered {status}"),
            Err(error) => error,
        };
        in_vain = if size(part) > before { 0 } else { in_vain + 1 };
        if in_vain >= patience.tries {
            return Err(error);
        }
        eprintln!("{label}: {error:#}; trying again");
        std::thread::sleep(patience.pause * 2_u32.pow(in_vain.min(4)));
    }
}

enum Transfer {
    Complete,
    /// Asking again would not help.
    Refused(u16),
}

/// One connection's worth of the file; an error where the connection ended too early.
fn transfer(
    label: &str,
    part: &Path,
    offset: u64,
    open: &mut dyn FnMut(u64) -> Result<Response>,
) -> Result<Transfer> {
    let mut response = open(offset)?;
    let offset = match response.status {
        206 => offset,
        // The server knows no ranges, so this is the file from its first byte.
        200 => 0,
        416 if response.total == Some(offset) => return Ok(Transfer::Complete),
        416 => {
            fs::remove_file(part)?;
            bail!("what was kept is longer than the file");
        }
        500..=599 | 408 | 429 => bail!("the server answered {}", response.status),
        status => return Ok(Transfer::Refused(status)),
    };
    let mut file = OpenOptions::new().create(true).append(true).open(part)?;
    file.set_len(offset)?;
    let mut progress = Progress::new(label, offset, response.total);
    let mut buffer = vec![0; 1 << 18];
    loop {
        let count = response.body.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        file.write_all(&buffer[..count]).context("cannot write what arrived")?;
        progress.advance(count as u64);
    }
    progress.finish();
    match response.total {
        Some(total) if progress.bytes != total => {
            Err(anyhow!("connection lost after {} of {total} bytes", progress.bytes))
        }
        _ => Ok(Transfer::Complete),
    }
}

/// The size of a file, 0 where there is none.
fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// The SHA-256 of a file in hexadecimal.
pub fn sha256(path: &Path) -> Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
        }
        hash.update(&buffer[..count]);
    }
}

/// Size, rate and time left on standard error: one moving line on a terminal, else a line now and then.
struct Progress<'a> {
    label: &'a str,
    from: u64,
    bytes: u64,
    total: Option<u64>,
    started: Instant,
    printed: Instant,
    moving: bool,
}

impl<'a> Progress<'a> {
    fn new(label: &'a str, from: u64, total: Option<u64>) -> Self {
        let (now, moving) = (Instant::now(), io::stderr().is_terminal());
        Self { label, from, bytes: from, total, started: now, printed: now, moving }
    }

    fn advance(&mut self, count: u64) {
        self.bytes += count;
        let interval = if self.moving { 200 } else { 5_000 };
        if self.printed.elapsed() >= Duration::from_millis(interval) {
            self.printed = Instant::now();
            self.print();
        }
    }

    fn finish(&self) {
        self.print();
        if self.moving {
            eprintln!();
        }
    }

    fn print(&self) {
        let line = line(self.label, self.bytes, self.from, self.total, self.started.elapsed());
        if self.moving {
            eprint!("\r\x1b[2K{line}");
        } else {
            eprintln!("{line}");
        }
    }
}

/// The progress line after `elapsed`, when the connection began at byte `from`.
fn line(label: &str, bytes: u64, from: u64, total: Option<u64>, elapsed: Duration) -> String {
    const MEGABYTE: f64 = 1e6;
    let rate = (bytes - from) as f64 / elapsed.as_secs_f64().max(1e-3);
    let (done, speed) = (bytes as f64 / MEGABYTE, rate / MEGABYTE);
    match total {
        Some(total) if total > bytes && rate > 0.0 => {
            let left = ((total - bytes) as f64 / rate).ceil();
            let whole = total as f64 / MEGABYTE;
            format!("{label}: {done:.0} of {whole:.0} MB, {speed:.1} MB/s, {left:.0} s left")
        }
        _ => format!("{label}: {done:.0} MB, {speed:.1} MB/s"),
    }
}

#[cfg(test)]
mod tests;
