//! What a learner publishes: weights for workers, checkpoints for its successor, and orders for
//! workers.

use bytes::Bytes;

use super::state::{Learner, LearnerError, nonce};
use crate::commit::{CheckpointRecord, Event, ModelRecord};
use crate::digest::sha256;
use crate::names;

/// Number of checkpoints that are kept.
const KEPT: usize = 2;

/// New weights.
#[derive(Debug, Clone)]
pub struct Publication {
    /// Training step.
    pub step: u64,
    /// The weights, as safetensors.
    pub weights: Bytes,
    /// The model's card.
    pub card: String,
    /// What the run knows about its kinds of games, as text. It determines how new games are drawn.
    pub kinds: String,
    /// Simulations per search with them.
    pub simulations: u32,
    /// Number of completed learning phases.
    pub phase: u64,
    /// Number of samples that have been learnt from.
    pub samples: u64,
    /// Samples per second during the last learning; `None` before the first.
    pub samples_per_second: Option<f64>,
}

/// One object of a checkpoint.
#[derive(Debug, Clone)]
pub struct Saved {
    /// Its name in the checkpoint, such as `learner.safetensors`.
    pub name: String,
    /// Its contents.
    pub bytes: Bytes,
}

impl Learner {
    /// Publishes weights: workers use them from their next poll on.
    ///
    /// # Errors
    /// The store fails, or another learner has taken over.
    pub async fn publish(&mut self, new: Publication) -> Result<(), LearnerError> {
        let sha256 = sha256(&new.weights);
        self.store.put(&names::weights(new.step, &sha256), new.weights).await?;
        self.store.put(&names::card(new.step, &sha256), Bytes::from(new.card)).await?;
        self.store.put(&names::kinds(new.step, &sha256), Bytes::from(new.kinds)).await?;
        let mut commit = self.successor(Event::Published);
        commit.model = Some(ModelRecord { step: new.step, sha256 });
        commit.simulations = new.simulations;
        commit.phase = new.phase;
        commit.samples = new.samples;
        if new.samples_per_second.is_some() {
            (self.samples_per_second, self.told_health) = (new.samples_per_second, None);
        }
        self.append_commit(commit).await
    }

    /// Saves a state of the learner that includes everything taken by commits so far. The newest
    /// two are kept.
    ///
    /// # Errors
    /// The store fails, or another learner has taken over.
    pub async fn save(&mut self, step: u64, objects: Vec<Saved>) -> Result<(), LearnerError> {
        let nonce = nonce(&mut self.nonces);
        let folder = names::checkpoint(step, &nonce);
        for Saved { name, bytes } in objects {
            self.store.put(&folder.clone().join(name), bytes).await?;
        }
        let mut commit = self.newest.successor(Event::Saved, nonce.clone());
        let record = CheckpointRecord { step, nonce, commit: self.newest.number };
        commit.checkpoints.insert(0, record);
        let old = commit.checkpoints.split_off(KEPT.min(commit.checkpoints.len()));
        self.append_commit(commit).await?;
        for CheckpointRecord { step, nonce, .. } in old {
            // Anything left of it is removed by `collect_garbage`.
            if let Ok(listed) = self.store.list(&names::checkpoint(step, &nonce)).await {
                let _ = self.store.delete(listed.into_iter().map(|it| it.name).collect()).await;
            }
        }
        Ok(())
    }

    /// Tells workers to wait or to continue.
    ///
    /// # Errors
    /// The store fails, or another learner has taken over.
    pub async fn hold(&mut self, hold: bool) -> Result<(), LearnerError> {
        if self.newest.hold == hold {
            return Ok(());
        }
        let mut commit = self.successor(Event::Told);
        commit.hold = hold;
        self.append_commit(commit).await
    }

    /// Tells workers that the run is over or, if it was extended, that it is not.
    ///
    /// # Errors
    /// The store fails, or another learner has taken over.
    pub async fn end(&mut self, ended: bool) -> Result<(), LearnerError> {
        if self.newest.ended == ended {
            return Ok(());
        }
        let mut commit = self.successor(Event::Told);
        commit.ended = ended;
        self.append_commit(commit).await
    }
}
