//! Copies a run that is stored elsewhere into a folder on this machine.

use std::fs;
use std::path::Path;

use models::{CARD, Device, Learner, ModelError, Precision, STATE, WEIGHTS};
use selfplay::format::{LIMITS, Limits, fitting};
use selfplay::{GameStore, TrainingRecord};

use crate::error::at;
use crate::run::{KINDS, LEARNER};
use crate::sealed::sealed;
use crate::source::{Archive, Arrived};
use crate::training::recovery::is_damage;
use crate::{RunConfig, RunFolder, RunState, TrainError};

/// The files of a checkpoint.
pub(super) const FILES: [&str; 5] = [LEARNER, WEIGHTS, CARD, KINDS, STATE];
/// The last rated model, needed for the next match.
pub(super) const RATED: [(&str, &str); 2] = [("rated.safetensors", WEIGHTS), ("rated.toml", CARD)];

/// Makes the source's newest intact checkpoint the folder's newest one, and `tell`s of later ones,
/// which are damaged. What had been learnt after an older one is learnt again.
///
/// # Errors
/// The error of the newest checkpoint if none is intact, or the source or the folder fails.
pub(super) fn import_checkpoint(
    folder: &RunFolder,
    config: &RunConfig,
    source: &mut dyn Archive,
    tell: impl Fn(&str),
) -> Result<(), TrainError> {
    let mut damaged = Vec::new();
    for (place, step) in source.saved().into_iter().enumerate() {
        let imported = import_saved(folder, source, place, step);
        match imported.and_then(|()| check_learner(folder, config, step)) {
            Ok(()) => {
                for (later, error) in damaged {
                    tell(&format!(
                        "checkpoint {later} in the run's store is left aside ({error}): back to step {step}"
                    ));
                }
                return Ok(());
            }
            Err(error) if is_damage(&error) || matches!(error, TrainError::Incomplete { .. }) => {
                damaged.push((step, error));
            }
            Err(error) => return Err(error),
        }
    }
    match damaged.into_iter().next() {
        Some((_, error)) => Err(error),
        None => Ok(folder.remove_all()?),
    }
}

/// Checks that the learner can be restored from a checkpoint in the folder.
fn check_learner(folder: &RunFolder, config: &RunConfig, step: u64) -> Result<(), TrainError> {
    // Where it will run does not matter here.
    let (device, precision) = (Device::Cpu, Precision::F32);
    let settings = config.learning.learner();
    let mut learner = Learner::new(&config.network, device, precision, settings, config.seed)?;
    Ok(learner.restore(&RunFolder::learner_file(&folder.checkpoint(step)))?)
}

/// Makes the source's checkpoint at this place, which is that of `step`, the folder's newest one.
pub(super) fn import_saved(
    folder: &RunFolder,
    source: &mut dyn Archive,
    place: usize,
    step: u64,
) -> Result<(), TrainError> {
    let mut file = |name: &str| source.read_saved(place, name).map_err(TrainError::Source);
    let mut files = Vec::new();
    for name in FILES {
        files.push((name, file(name)?.ok_or(TrainError::Incomplete { step, name })?));
    }
    let mut rated = Vec::new();
    for (name, own) in RATED {
        rated.extend(file(name)?.map(|bytes| (own, bytes)));
    }
    folder.remove_after(step)?;
    folder.import(step, &files)?;
    let state = RunFolder::state(&folder.checkpoint(step))?;
    // Even if the folder has a checkpoint of that step: it may be that of a learner that was shut
    // out, which has learnt other weights.
    if let Some(earlier) = state.rated.last()
        && rated.len() == RATED.len()
        && earlier.step != step
    {
        folder.import(earlier.step, &rated)?;
    }
    Ok(())
}

/// Creates a run folder from a run whose games are played by others: its newest intact checkpoint,
/// with the games to learn from. It can be forked, or continued on one machine. Returns the state
/// of the run at that checkpoint.
///
/// # Errors
/// The folder holds a run or cannot be written, there is no checkpoint yet, or the archive fails.
pub fn fetch_run(
    root: &Path,
    config: &RunConfig,
    archive: &mut dyn Archive,
) -> Result<RunState, TrainError> {
    fetch_in_files(root, config, archive, LIMITS)
}

/// The same, with game files that hold no more than `most`.
pub(super) fn fetch_in_files(
    root: &Path,
    config: &RunConfig,
    archive: &mut dyn Archive,
    most: Limits,
) -> Result<RunState, TrainError> {
    let folder = RunFolder::prepare(root)?;
    import_checkpoint(&folder, config, archive, |line| eprintln!("{line}"))?;
    let newest = folder.latest()?;
    let (checkpoint, mut state) =
        newest.ok_or_else(|| ModelError::NoCheckpoint(root.to_owned()))?;
    if folder.games().exists() {
        // Leftovers of an earlier attempt would count as new games.
        fs::remove_dir_all(folder.games()).map_err(at(&folder.games()))?;
    }
    let store = GameStore::open(&folder.games())?;
    let later = archive.counted().positions - state.positions;
    let (positions, mark) = (config.learning.capacity(state.positions), state.used_below);
    // Games counted together may be more than one file can hold, so files get numbers of their own.
    state.used_below = 0;
    let mut outcome = Ok(());
    let mut take = |Arrived { below, games, refusals, .. }: Arrived| {
        if below > mark {
            return;
        }
        refusals.iter().for_each(|refusal| eprintln!("{refusal}"));
        for part in parts(games.into_iter().map(|game| game.record).collect(), most) {
            if outcome.is_ok() {
                outcome = store.write(state.used_below, &part);
                state.used_below += 1;
            }
        }
    };
    // The checkpoint has counted all games that are wanted.
    archive.past(positions + later, u64::MAX, &mut take).map_err(TrainError::Source)?;
    outcome?;
    rewrite(&folder, &checkpoint, &state)?;
    // The configuration comes last: without it the folder is not a run.
    folder.begin(config)?;
    Ok(state)
}

/// Splits games, in order, into as many parts as the limits on files require.
fn parts(mut games: Vec<TrainingRecord>, most: Limits) -> Vec<Vec<TrainingRecord>> {
    let mut parts = Vec::new();
    while !games.is_empty() {
        // A game that fits into no file has one of its own.
        let rest = games.split_off(fitting(&games, most).max(1));
        parts.push(std::mem::replace(&mut games, rest));
    }
    parts
}

/// Changes the state in a checkpoint.
fn rewrite(folder: &RunFolder, checkpoint: &Path, state: &RunState) -> Result<(), TrainError> {
    let mut files = Vec::new();
    for name in FILES {
        let bytes = match name {
            STATE => sealed(&toml::to_string(state).unwrap_or_default()).into_bytes(),
            _ => read(&checkpoint.join(name))?,
        };
        files.push((name, bytes));
    }
    Ok(folder.import(state.step, &files)?)
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, TrainError> {
    Ok(fs::read(path).map_err(at(path))?)
}
