//! Learning curves: TensorBoard events, and one line of JSON per phase.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tensorboard_rs::summary_writer::SummaryWriter;

use crate::error::{RunError, at};

/// Writes learning curves. Losing a curve must never cost a run, and tensorboard-rs panics when it
/// cannot write: such a panic is caught here, reported once, and ends the TensorBoard file.
pub struct Curves {
    tensorboard: Option<SummaryWriter>,
    log: File,
    session: u64,
}

impl Curves {
    /// Opens the curves for a new session. Each has its own TensorBoard folder, because the writer
    /// truncates a file that another session began in the same second, and a number that identifies
    /// sessions cut short by a kill.
    ///
    /// # Errors
    /// The folder or the log cannot be written.
    pub fn open(tensorboard: &Path, log: &Path) -> Result<Curves, RunError> {
        let (folder, session) = next_session(tensorboard).map_err(at(tensorboard))?;
        let writer = catch_unwind(AssertUnwindSafe(|| SummaryWriter::new(&folder)));
        let log = open_lines(log).map_err(at(log))?;
        Ok(Curves { tensorboard: writer.ok(), log, session })
    }

    /// The number of this session, from 1.
    pub fn session(&self) -> u64 {
        self.session
    }

    /// Appends named values at a step.
    ///
    /// # Errors
    /// The log cannot be written. Errors of TensorBoard's file are only reported.
    pub fn write(&mut self, step: u64, values: &[(&str, f64)]) -> io::Result<()> {
        let mut line: Map<String, Value> = Map::new();
        line.insert("step".to_owned(), json!(step));
        for &(name, value) in values {
            line.insert(name.to_owned(), json!(value));
        }
        // With a single write: a kill in the middle of many would cut the line short more often.
        self.log.write_all(format!("{}\n", Value::Object(line)).as_bytes())?;

        let Some(writer) = &mut self.tensorboard else { return Ok(()) };
        let written = catch_unwind(AssertUnwindSafe(|| {
            for &(name, value) in values {
                writer.add_scalar(name, value as f32, step as usize);
            }
            writer.flush();
        }));
        if written.is_err() {
            // Dropping it would panic again.
            std::mem::forget(self.tensorboard.take());
            eprintln!("TensorBoard curves stop here: their file cannot be written");
        }
        Ok(())
    }
}

/// Opens a file of lines for appending, and removes the partial last line of a killed session,
/// which would corrupt the next one.
fn open_lines(path: &Path) -> io::Result<File> {
    // Not the file that is returned: Windows refuses to shorten one that was opened for appending.
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    let text = std::fs::read(path)?;
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    file.set_len(whole as u64)?;
    OpenOptions::new().append(true).open(path)
}

/// Creates the folder for the next session and returns it with the session's number.
fn next_session(tensorboard: &Path) -> io::Result<(PathBuf, u64)> {
    std::fs::create_dir_all(tensorboard)?;
    // Whatever comes before the number: earlier versions named them differently.
    let number_of = |name: &str| name.rsplit_once('-')?.1.parse::<u64>().ok();
    let folders = std::fs::read_dir(tensorboard)?.flatten();
    let numbers = folders.filter_map(|entry| number_of(entry.file_name().to_str()?));
    let session = numbers.max().unwrap_or_default().saturating_add(1);
    // No other process can take this number meanwhile: the run is locked.
    let folder = tensorboard.join(format!("session-{session:03}"));
    std::fs::create_dir(&folder)?;
    Ok((folder, session))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_numbered_from_one_in_folders_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let tensorboard = folder.path().join("tensorboard");
        std::fs::create_dir_all(tensorboard.join("a-stray-folder")).unwrap();
        for number in 1..=2 {
            let (created, session) = next_session(&tensorboard).unwrap();
            assert_eq!(session, number);
            assert!(created.ends_with(format!("session-00{number}")));
        }
        let error = Curves::open(&tensorboard, folder.path()).err().unwrap().to_string();
        assert!(error.starts_with(&folder.path().display().to_string()), "{error}");
    }

    #[test]
    fn a_line_that_a_kill_cut_short_does_not_spoil_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        std::fs::write(&log, "{\"step\":1}\n{\"step\":2,\"el").unwrap();
        let mut curves = Curves::open(&folder.path().join("tensorboard"), &log).unwrap();
        curves.write(3, &[]).unwrap();
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "{\"step\":1}\n{\"step\":3}\n");
    }
}
