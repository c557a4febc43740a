//! Runs that continue from a checkpoint of another run.

use std::fs::{self, File};
use std::path::Path;

use models::{Architecture, CARD, Card, ModelError, Rated, checkpoint_steps};
use selfplay::{GameKey, GameStore};

use crate::error::{RunError, at};
use crate::run::{CONFIG, sync_folder, write_renamed};
use crate::{Fork, RunConfig, RunFolder, RunState, TrainError};

impl RunFolder {
    /// Starts a run that continues from the newest checkpoint of another run, with its games.
    /// `configure` derives the configuration from that run's state.
    ///
    /// # Errors
    /// The other run is in use, has no checkpoint, lacks its games or does not fit the
    /// configuration, a run is here already, or the folder cannot be written.
    pub fn fork(
        from: &Path,
        root: &Path,
        configure: impl FnOnce(&RunState) -> RunConfig,
    ) -> Result<RunFolder, TrainError> {
        // Before the other run is locked: it may be the one that is here.
        if root.join(CONFIG).exists() {
            return Err(RunError::Exists(root.to_owned()).into());
        }
        let other = RunFolder::resume(from)?;
        let (checkpoint, mut state) =
            other.latest()?.ok_or_else(|| ModelError::NoCheckpoint(from.to_owned()))?;
        other.expect_games(&state)?;
        let config = configure(&state);
        check_fork(from, &checkpoint, &state, &config)?;
        let folder = RunFolder::prepare(root)?;
        let store = GameStore::open(&other.games())?;
        let mut used = store.keys()?;
        used.retain(|&key| key < state.used_below);
        folder.expect_leftovers_of(&store, state.step, &used)?;
        store.link_into(&used, &folder.games())?;
        // Links are only names. Without them, a run that has its configuration would lack its games.
        sync_folder(&folder.games())?;
        let progress = config.budget.progress(state.positions, 0.0);
        let elo = state.rated.last().map_or(0.0, |rated| rated.elo);
        state.kinds.fork();
        let state = RunState {
            forked: Fork { step: state.step, positions: state.positions },
            skipped_steps: 0,
            seconds: 0.0,
            rollbacks: 0,
            rated: vec![Rated { step: state.step, progress, elo, error: 0.0 }],
            ..state
        };
        folder.save(&state, |copy| -> Result<(), TrainError> {
            copy_files(&checkpoint, copy)?;
            let Card { weights_bytes, weights_sha256, inputs, .. } = Card::load(&checkpoint)?;
            // The fork may learn other rules or sizes, under which its matches with this checkpoint
            // are played, so the card must name those.
            let card = Card { weights_bytes, weights_sha256, inputs, ..config.card(state.step)? };
            Ok(write_renamed(&copy.join(CARD), card.text()?.as_bytes())?)
        })?;
        // The configuration comes last: without it the folder is not a run, and forking can be
        // retried.
        folder.begin(&config)?;
        Ok(folder)
    }

    /// Checks that whatever an interrupted attempt to fork has left here is of this fork: its
    /// checkpoint may be a later one, and its games would count. `other` has the games of the run
    /// that is forked.
    fn expect_leftovers_of(
        &self,
        other: &GameStore,
        step: u64,
        used: &[GameKey],
    ) -> Result<(), RunError> {
        let own = GameStore::open(&self.games())?;
        let is_same = |&key: &GameKey| {
            let length = own.length(key);
            used.binary_search(&key).is_ok() && length.is_some() && length == other.length(key)
        };
        let is_of_fork = checkpoint_steps(self.root())?.iter().all(|&left| left == step)
            && own.keys()?.iter().all(is_same);
        if is_of_fork { Ok(()) } else { Err(RunError::Leftover(self.root().to_owned())) }
    }
}

/// Checks that a fork continues with the run's network, and learns from more positions than the run has.
fn check_fork(
    run: &Path,
    checkpoint: &Path,
    state: &RunState,
    config: &RunConfig,
) -> Result<(), RunError> {
    let unfit = |problem| Err(RunError::Unforkable { run: run.to_owned(), problem });
    let own = Card::load(checkpoint)?.architecture;
    if own != config.network {
        let Architecture { blocks, channels } = own;
        return unfit(format!(
            "its network has {blocks} blocks × {channels} channels: set network.blocks and network.channels so, or begin \
             from its model with --from"
        ));
    }
    let left = config.budget.positions.map(|all| all.saturating_sub(state.positions));
    match left {
        Some(left) if config.learning.steps_at(left) == 0 => unfit(format!(
            "it has {} positions already, and {left} more are too few for a step of learning: set budget.positions, which \
             counts all of them, to more, or --positions of an ablation",
            state.positions
        )),
        Some(_) | None => Ok(()),
    }
}

/// Copies all files of a folder to another one, and syncs.
fn copy_files(from: &Path, to: &Path) -> Result<(), RunError> {
    for entry in fs::read_dir(from).map_err(at(from))? {
        let path = entry.map_err(at(from))?.path();
        let copy = to.join(path.file_name().unwrap_or_default());
        fs::copy(&path, &copy).map_err(at(&copy))?;
        let file = File::options().write(true).open(&copy);
        file.and_then(|file| file.sync_all()).map_err(at(&copy))?;
    }
    Ok(())
}
