//! Runs spread over many machines.
//!
//! Workers play and put files of games into an object store; a single learner takes them out, keeps
//! the commit log, and publishes weights. Workers also play matches, in units that each can play
//! independently ([`Judge`]). Nothing listens for connections anywhere: the store is all that the
//! machines share. Its objects and their names are in [`names`].

pub mod blocking;
mod check;
mod claim;
mod commit;
mod commit_log;
mod content;
mod courier;
mod digest;
mod exit;
mod frame;
pub mod game_file;
mod health;
mod inbox;
mod intake;
mod learner;
mod marks;
mod matches;
mod model;
pub mod names;
mod outbox;
mod parking;
mod run;
pub mod segment;
mod silence;
mod status;
mod store;
mod worker;

pub use check::{CheckReport, WRITERS, check};
pub use claim::Claim;
pub use commit::{CheckpointRecord, Commit, Event, Latest, ModelRecord, Refused, SegmentRecord};
pub use commit_log::{AppendOutcome, CommitLog};
pub use content::{get_content, put_content};
pub use courier::{CourierTiming, Player};
pub use digest::sha256;
pub use exit::Exit;
pub use health::{Health, LearnerHealth};
pub use intake::Examiner;
pub use learner::{
    Archive, GarbageCounts, Learner, LearnerError, LearnerSettings, PastGames, Publication, Saved,
    Taken, collect_garbage,
};
pub use marks::{Mark, Marks};
pub use matches::{Assignment, Check, Claimant, Holder, Judge, MatchPlan, Standing};
pub use model::{FindModelError, Model};
pub use names::matches::{MatchId, MatchIdError};
pub use names::{FileName, Process, Slot, SlotError};
pub use outbox::{Backlog, Delivered, Orders, Outbox};
pub use parking::{Parked, ReadParkedError};
pub use run::{FORMAT, Run, RunError};
pub use status::{Liveness, Observer, SlotStatus, Status};
pub use store::{Created, Fetched, Listed, Requests, Store, StoreError};
pub use worker::{Worker, WorkerSettings};
