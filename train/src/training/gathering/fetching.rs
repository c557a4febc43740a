//! What is kept of a run elsewhere, in a folder of this machine.

use std::path::Path;

use models::{CARD, ModelError, WEIGHTS};
use selfplay::GameStore;

use crate::run::{KINDS, LEARNER, STATE};
use crate::source::{Archive, Arrived, SourceError};
use crate::{RunConfig, RunFolder, RunState, TrainError};

/// The files of a checkpoint.
pub(super) const FILES: [&str; 5] = [LEARNER, WEIGHTS, CARD, KINDS, STATE];
/// The last rated model, with which the next match is played.
pub(super) const RATED: [(&str, &str); 2] = [("rated.safetensors", WEIGHTS), ("rated.toml", CARD)];

/// Makes a folder's newest checkpoint the source's.
pub(super) fn bring(folder: &RunFolder, source: &mut dyn Archive) -> Result<(), TrainError> {
    let Some(step) = source.saved() else { return Ok(folder.remove_all()?) };
    let mut file = |name: &str| source.read_saved(name).map_err(TrainError::Source);
    let mut files = Vec::new();
    for name in FILES {
        let missing = || -> SourceError { format!("checkpoint {step} has no {name}").into() };
        let bytes = file(name)?.ok_or_else(|| TrainError::Source(missing()))?;
        files.push((name, bytes));
    }
    let mut rated = Vec::new();
    for (name, own) in RATED {
        rated.extend(file(name)?.map(|bytes| (own, bytes)));
    }
    folder.remove_after(step)?;
    folder.bring(step, &files)?;
    let state = RunFolder::state(&folder.checkpoint(step))?;
    if let Some(earlier) = state.rated.last()
        && rated.len() == RATED.len()
        && !folder.checkpoint(earlier.step).exists()
    {
        folder.bring(earlier.step, &rated)?;
    }
    Ok(())
}

/// Makes a folder of a run whose games others play: its newest checkpoint, with the games that are learnt from. It can be
/// forked, or gone on with on one machine. Returns the state of the run at that checkpoint.
///
/// # Errors
/// The folder holds a run or cannot be written, there is no checkpoint yet, or the archive fails.
pub fn fetch_run(
    root: &Path,
    config: &RunConfig,
    archive: &mut dyn Archive,
) -> Result<RunState, TrainError> {
    let folder = RunFolder::prepare(root)?;
    bring(&folder, archive)?;
    let newest = folder.latest()?;
    let (_, state) = newest.ok_or_else(|| ModelError::NoCheckpoint(root.to_owned()))?;
    let store = GameStore::open(&folder.games())?;
    let later = archive.counted().positions - state.positions;
    let (positions, mark) = (config.learning.capacity(state.positions), state.used_below);
    let mut outcome = Ok(());
    let mut take = |Arrived { below, games, .. }: Arrived| {
        if below <= mark && outcome.is_ok() {
            let records: Vec<_> = games.into_iter().map(|game| game.record).collect();
            outcome = store.write(below - 1, &records);
        }
    };
    archive.past(positions + later, mark, &mut take).map_err(TrainError::Source)?;
    outcome?;
    // The configuration comes last: without it the folder is not a run.
    folder.begin(config)?;
    Ok(state)
}
