//! Where helpers complain, and the lock that keeps two setups apart.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Seek;
use std::path::PathBuf;

use anyhow::{Context, Result};

/// A locked file. Helpers inherit it as their standard error and the lock with it: one that outlives a killed
/// setup keeps the next setup waiting until it has written its last byte.
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Waits for any other setup that uses the same file.
    pub fn lock(path: PathBuf) -> Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                eprintln!("waiting for another setup to end");
                file.lock().context("cannot wait for another setup")?;
            }
            Err(TryLockError::Error(error)) => return Err(error).context("cannot lock"),
        }
        Ok(Self { path, file })
    }

    /// The file, emptied for the next helper.
    pub fn fresh(&self) -> Result<File> {
        self.file.set_len(0)?;
        let mut file = self.file.try_clone()?;
        file.rewind()?;
        Ok(file)
    }

    /// Python says what went wrong on the last line of its traceback.
    pub fn last_line(&self) -> String {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let last = text.lines().rfind(|line| !line.trim().is_empty());
        last.unwrap_or("Python gave no answer and no reason").to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_helper_that_lives_on_keeps_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = Log::lock(path.clone()).unwrap();
        let mut inherited = log.fresh().unwrap();
        drop(log);
        let other = OpenOptions::new().append(true).open(&path).unwrap();
        assert!(other.try_lock().is_err());
        writeln!(inherited, "Traceback:\nConnectionError: no route\n").unwrap();
        drop(inherited);
        assert_eq!(Log::lock(path).unwrap().last_line(), "ConnectionError: no route");
    }
}
