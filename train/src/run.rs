//! The folder of a run, which contains everything about it.

#[cfg(test)]
mod tests;

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;
use models::{CHECKPOINTS, STATE, checkpoint_folder, checkpoint_steps};
use selfplay::GameStore;

use crate::error::{RunError, at};
use crate::sealed::{read_sealed, sealed};
use crate::{Kinds, RunConfig, RunState, TrainError};

pub(crate) const CONFIG: &str = "config.toml";
/// A checkpoint's file about its kinds of games.
pub const KINDS: &str = "kinds.toml";
/// The file in a run folder that is locked by the process that uses the run.
const LOCK: &str = "lock";
/// Is there while a run begins, which has a checkpoint before it has its configuration.
const BEGINNING: &str = "beginning";
const PARTIAL: &str = "partial";
/// Suffix of a checkpoint that is about to be replaced by a new version.
const REPLACED: &str = "replaced";
/// Number of checkpoints that keep the learner's state; older ones keep only the weights for play.
const RESUMABLE: usize = 2;
/// A checkpoint's file that only resuming needs.
pub(crate) const LEARNER: &str = "learner.safetensors";

/// A run folder, locked by this process.
pub struct RunFolder {
    root: PathBuf,
    /// Locked while open; the system releases the lock however the process ends.
    _lock: File,
}

impl RunFolder {
    /// Starts a run in a folder that contains none.
    ///
    /// # Errors
    /// A run or a part of one is there, or the folder cannot be written.
    pub fn create(root: &Path, config: &RunConfig) -> Result<RunFolder, RunError> {
        let folder = RunFolder::prepare(root)?;
        folder.expect_nothing_left()?;
        folder.begin(config)?;
        Ok(folder)
    }

    /// Prepares a folder for a new run, which exists only once its configuration has been written.
    pub(crate) fn prepare(root: &Path) -> Result<RunFolder, RunError> {
        fs::create_dir_all(root).map_err(at(root))?;
        let folder = RunFolder::lock(root)?;
        if root.join(CONFIG).exists() {
            return Err(RunError::Exists(root.to_owned()));
        }
        folder.clear_beginning()?;
        fs::create_dir_all(folder.checkpoints()).map_err(at(root))?;
        Ok(folder)
    }

    /// Removes the first checkpoint of a run that was killed while it began. Nothing has been
    /// played with it.
    fn clear_beginning(&self) -> Result<(), RunError> {
        let (marker, first) = (self.beginning(), self.checkpoint(0));
        if !marker.exists() {
            return Ok(());
        }
        if first.exists() {
            fs::remove_dir_all(&first).map_err(at(&first))?;
        }
        fs::remove_file(&marker).map_err(at(&marker))
    }

    /// Says that the first checkpoint is only this run's, until [`begin`](Self::begin) completes it.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn mark_beginning(&self) -> Result<(), RunError> {
        write_renamed(&self.beginning(), b"")
    }

    fn beginning(&self) -> PathBuf {
        self.root.join(BEGINNING)
    }

    /// Checks that nothing is here of another run, as of an interrupted fork: its games would count
    /// as those of the run that begins, and its checkpoints would be lost.
    ///
    /// # Errors
    /// There are checkpoints, games or a log, or the folder cannot be read.
    pub(crate) fn expect_nothing_left(&self) -> Result<(), RunError> {
        if self.has_checkpoint()? || self.has_games()? || self.has_log() {
            return Err(RunError::Leftover(self.root.clone()));
        }
        Ok(())
    }

    /// Whether there are any games.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub(crate) fn has_games(&self) -> Result<bool, RunError> {
        Ok(!GameStore::open(&self.games())?.keys()?.is_empty())
    }

    /// Checks that the folder has games if the run in it has learnt from any. That of a run in a
    /// store has none: going on from there would be learning without them.
    ///
    /// # Errors
    /// There are none, or the folder cannot be read.
    pub(crate) fn expect_games(&self, state: &RunState) -> Result<(), RunError> {
        let has_any = GameStore::open(&self.games())?.next_key()? > 0;
        if has_any || state.games == 0 { Ok(()) } else { Err(RunError::NoGames(self.root.clone())) }
    }

    /// Completes a run that lacks only its configuration.
    pub(crate) fn begin(&self, config: &RunConfig) -> Result<(), RunError> {
        write_renamed(&self.config(), config.to_toml().as_bytes())?;
        // Of no use any more, but no reason not to train either.
        let _ = fs::remove_file(self.beginning());
        Ok(())
    }

    /// Opens a run to resume it.
    ///
    /// # Errors
    /// No run is there, or it is in use.
    pub fn resume(root: &Path) -> Result<RunFolder, RunError> {
        if !root.join(CONFIG).exists() {
            return Err(RunError::Missing(root.to_owned()));
        }
        let folder = RunFolder::lock(root)?;
        folder.clear_partial()?;
        Ok(folder)
    }

    /// Opens a folder for a run whose authoritative state is elsewhere, starting or resuming it.
    ///
    /// # Errors
    /// The folder is in use, contains another run, a part of one, or one with games of its own,
    /// whose checkpoints would be lost, or cannot be written.
    pub fn serve(root: &Path, config: &RunConfig) -> Result<RunFolder, TrainError> {
        if !RunFolder::config_of(root).exists() {
            return Ok(RunFolder::create(root, config)?);
        }
        RunFolder::expect_config(root, config)?;
        let folder = RunFolder::resume(root)?;
        if folder.has_games()? {
            return Err(RunError::OwnGames(root.to_owned()).into());
        }
        Ok(folder)
    }

    /// Checks that the run in a folder, if there is one, has this configuration.
    ///
    /// # Errors
    /// It has another one, or one that cannot be read.
    pub fn expect_config(root: &Path, config: &RunConfig) -> Result<(), TrainError> {
        let own = RunFolder::config_of(root);
        if own.exists() && RunConfig::load(&own, &[])? != *config {
            return Err(RunError::OtherConfig(root.to_owned()).into());
        }
        Ok(())
    }

    fn lock(root: &Path) -> Result<RunFolder, RunError> {
        let path = root.join(LOCK);
        // A file of that name in a folder without a run is not emptied.
        let lock = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(at(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(RunFolder { root: root.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(RunError::InUse(root.to_owned())),
            Err(TryLockError::Error(cause)) => Err(RunError::Io { path, cause }),
        }
    }

    /// Removes what is in `root`: a run, a part of one, or other files. Does nothing if there is no
    /// such folder.
    ///
    /// # Errors
    /// A run there is in use, or the folder cannot be removed.
    pub fn discard(root: &Path) -> Result<(), RunError> {
        if !root.exists() {
            return Ok(());
        }
        // Its lock is released before it is removed, as some systems demand.
        if root.join(LOCK).exists() {
            drop(RunFolder::lock(root)?);
        }
        fs::remove_dir_all(root).map_err(at(root))
    }

    /// Removes what a killed process left half-written, and restores what it was about to replace.
    fn clear_partial(&self) -> Result<(), RunError> {
        let checkpoints = self.checkpoints();
        for entry in fs::read_dir(&checkpoints).map_err(at(&checkpoints))? {
            let path = entry.map_err(at(&checkpoints))?.path();
            let ends_in = |ending: &str| path.extension().is_some_and(|found| found == ending);
            let target = path.with_extension("");
            if ends_in(REPLACED) && !target.exists() {
                fs::rename(&path, &target).map_err(at(&path))?;
            } else if ends_in(PARTIAL) || ends_in(REPLACED) {
                fs::remove_dir_all(&path).map_err(at(&path))?;
            }
        }
        Ok(())
    }

    /// The folder's path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of the configuration file.
    pub fn config(&self) -> PathBuf {
        RunFolder::config_of(&self.root)
    }

    /// The path of the configuration file of the run in `root`.
    pub fn config_of(root: &Path) -> PathBuf {
        root.join(CONFIG)
    }

    /// The folder of game records.
    pub fn games(&self) -> PathBuf {
        self.root.join("games")
    }

    /// The folder of TensorBoard's files.
    pub fn tensorboard(&self) -> PathBuf {
        self.root.join("tensorboard")
    }

    /// The path of the log, with one line of JSON per phase.
    pub fn log(&self) -> PathBuf {
        self.root.join("log.jsonl")
    }

    /// Whether anything has been logged.
    pub(crate) fn has_log(&self) -> bool {
        self.log().metadata().is_ok_and(|log| log.len() > 0)
    }

    fn checkpoints(&self) -> PathBuf {
        self.root.join(CHECKPOINTS)
    }

    /// The folder of the checkpoint of a step.
    pub fn checkpoint(&self, step: u64) -> PathBuf {
        checkpoint_folder(&self.root, step)
    }

    /// Creates the checkpoint of `state.step`: `write` fills a temporary folder, which is then
    /// renamed as a whole.
    ///
    /// # Errors
    /// It could not be written completely; the run still has its earlier checkpoints.
    pub fn save<E: From<RunError>>(
        &self,
        state: &RunState,
        write: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), E> {
        let saved = self.place(state.step, |partial| {
            write(partial)?;
            let text = toml::to_string(state).unwrap_or_default();
            let kinds = toml::to_string(&state.kinds).unwrap_or_default();
            write_renamed(&partial.join(KINDS), sealed(&kinds).as_bytes())?;
            write_renamed(&partial.join(STATE), sealed(&text).as_bytes())?;
            Ok(())
        });
        if saved.is_ok() {
            self.prune(state);
        }
        saved
    }

    /// Creates the checkpoint of a step from these files.
    ///
    /// # Errors
    /// The files cannot be written completely.
    pub fn import(&self, step: u64, files: &[(&str, Vec<u8>)]) -> Result<(), RunError> {
        let write = |(name, bytes): &(&str, Vec<u8>), folder: &Path| {
            write_renamed(&folder.join(name), bytes)
        };
        self.place(step, |partial| files.iter().try_for_each(|file| write(file, partial)))
    }

    /// Lets `write` fill a temporary folder, then renames it to become the checkpoint of the step.
    fn place<E: From<RunError>>(
        &self,
        step: u64,
        write: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), E> {
        let target = self.checkpoint(step);
        let partial = target.with_extension(PARTIAL);
        let attempt = (|| {
            if partial.exists() {
                fs::remove_dir_all(&partial).map_err(at(&partial))?;
            }
            fs::create_dir_all(&partial).map_err(at(&partial))?;
            write(&partial)?;
            sync_folder(&partial)?;
            // At every moment either the old or the new one exists.
            let replaced = target.with_extension(REPLACED);
            if target.exists() {
                // Left by a process that was killed after both renames.
                if replaced.exists() {
                    fs::remove_dir_all(&replaced).map_err(at(&replaced))?;
                }
                fs::rename(&target, &replaced).map_err(at(&target))?;
            }
            fs::rename(&partial, &target).map_err(at(&target))?;
            sync_folder(&self.checkpoints())?;
            if replaced.exists() {
                fs::remove_dir_all(&replaced).map_err(at(&replaced))?;
            }
            Ok(())
        })();
        if attempt.is_err() {
            // Clean up for another attempt; the first error is the one that counts.
            let _ = fs::remove_dir_all(&partial);
        }
        attempt
    }

    /// Removes the checkpoints after `step`, when the run goes back to it.
    ///
    /// # Errors
    /// One of them cannot be removed.
    pub fn remove_after(&self, step: u64) -> Result<(), RunError> {
        self.remove_checkpoints(|later| later > step)
    }

    /// Removes all checkpoints.
    ///
    /// # Errors
    /// One of them cannot be removed.
    pub fn remove_all(&self) -> Result<(), RunError> {
        self.remove_checkpoints(|_| true)
    }

    fn remove_checkpoints(&self, unwanted: impl Fn(u64) -> bool) -> Result<(), RunError> {
        // Newest first: if killed in between, the run continues from a good checkpoint, or judges
        // this one again.
        for step in checkpoint_steps(&self.root)?.into_iter().rev().filter(|&step| unwanted(step)) {
            let folder = self.checkpoint(step);
            fs::remove_dir_all(&folder).map_err(at(&folder))?;
        }
        Ok(())
    }

    /// Removes older unrated checkpoints, and from rated ones the files that only resuming needs.
    /// The last rated one keeps them, because the run may go back to it.
    fn prune(&self, state: &RunState) {
        let Ok(steps) = checkpoint_steps(&self.root) else { return };
        for step in steps.into_iter().rev().skip(RESUMABLE) {
            let folder = self.checkpoint(step);
            if state.rated.last().is_some_and(|last| last.step == step) {
                continue;
            }
            // A failed removal only wastes space.
            let _ = if state.rated.iter().any(|rated| rated.step == step) {
                fs::remove_file(folder.join(LEARNER))
            } else {
                fs::remove_dir_all(folder)
            };
        }
    }

    /// The newest checkpoint that can be resumed, with its state; `None` if the run was stopped
    /// before its first one.
    ///
    /// # Errors
    /// Its state cannot be read.
    pub fn latest(&self) -> Result<Option<(PathBuf, RunState)>, RunError> {
        let Some(newest) = self.resumable()?.into_iter().next() else { return Ok(None) };
        let state = RunFolder::state(&newest)?;
        Ok(Some((newest, state)))
    }

    /// Whether there is any checkpoint, complete or not.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn has_checkpoint(&self) -> Result<bool, RunError> {
        Ok(!checkpoint_steps(&self.root)?.is_empty())
    }

    /// The checkpoints that can be resumed unless they are damaged, newest first.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn resumable(&self) -> Result<Vec<PathBuf>, RunError> {
        let folders = checkpoint_steps(&self.root)?.into_iter().rev();
        Ok(folders
            .map(|step| self.checkpoint(step))
            .filter(|folder| folder.join(LEARNER).exists() && folder.join(STATE).exists())
            .collect())
    }

    /// The run's state at a checkpoint.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn state(checkpoint: &Path) -> Result<RunState, RunError> {
        let kinds = kinds_in(checkpoint)?;
        Ok(RunState { kinds, ..read_sealed(&checkpoint.join(STATE))? })
    }

    /// Renames a damaged checkpoint so that it is no longer recognised as one, and returns its new
    /// path.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub fn set_aside(&self, checkpoint: &Path) -> Result<PathBuf, RunError> {
        let aside = checkpoint.with_extension("damaged");
        if aside.exists() {
            fs::remove_dir_all(&aside).map_err(at(&aside))?;
        }
        fs::rename(checkpoint, &aside).map_err(at(checkpoint))?;
        Ok(aside)
    }

    /// The file with the learner's state in a checkpoint folder.
    pub fn learner_file(checkpoint: &Path) -> PathBuf {
        checkpoint.join(LEARNER)
    }
}

/// The kinds of games stored next to a model; empty if there is no such file.
pub(crate) fn kinds_in(folder: &Path) -> Result<Kinds, RunError> {
    let path = folder.join(KINDS);
    if path.exists() { read_sealed(&path) } else { Ok(Kinds::default()) }
}

/// Makes names in a folder survive a power cut. Windows cannot open a folder as a file, and NTFS
/// does not need it because it keeps a journal.
pub(crate) fn sync_folder(path: &Path) -> Result<(), RunError> {
    if cfg!(windows) {
        return Ok(());
    }
    File::open(path).and_then(|file| file.sync_all()).map_err(at(path))
}

pub(crate) fn write_renamed(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    let attempt = || {
        let mut file = AtomicWriteFile::open(path)?;
        file.write_all(bytes)?;
        file.commit()
    };
    attempt().map_err(at(path))
}
