//! How the processes of a fleet end.

use std::error::Error;
use std::fmt;

use fleet::{Exit, LearnerError, RunError, StoreError};
use train::TrainError;

/// A process that stopped before everything was done.
#[derive(Debug)]
pub struct Stopped(pub Exit);

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Exit::Ended => "the run is over",
            Exit::Idle => "there was nothing to do",
            Exit::Spare => "the run had nothing to do for this worker: start it again later",
            Exit::Superseded => "a newer worker has this slot",
            Exit::Interrupted => "stopped as it was told to: it goes on when it is started again",
            Exit::Unreachable => "the store was out of reach for too long: start it again",
            Exit::Fenced => "another learner has the run",
            Exit::Unfit => "it would fail in the same way if it were started again",
        })
    }
}

impl Error for Stopped {}

/// How a process ends with this error, if schedulers should know.
pub fn of(error: &anyhow::Error) -> Option<Exit> {
    // Contexts are found only in the error itself, not among its causes.
    let said = error.downcast_ref::<Stopped>().map(|stopped| stopped.0);
    said.or_else(|| error.chain().find_map(exit_of_cause))
}

fn exit_of_cause(cause: &(dyn Error + 'static)) -> Option<Exit> {
    let stopped = cause.downcast_ref::<Stopped>().map(|stopped| stopped.0);
    let learner = || cause.downcast_ref::<LearnerError>().map(LearnerError::exit);
    let run = || cause.downcast_ref::<RunError>().map(RunError::exit);
    let store = || cause.downcast_ref::<StoreError>().map(StoreError::exit);
    let folder = || cause.downcast_ref::<train::RunError>().and_then(exit_of_folder);
    let training = || match cause.downcast_ref::<TrainError>()? {
        TrainError::Run(error) => exit_of_folder(error),
        // A learner that goes on from its checkpoint takes the same steps again.
        TrainError::Diverged { .. }
        | TrainError::Incomplete { .. }
        | TrainError::Miscounted { .. } => Some(Exit::Unfit),
        TrainError::Model(error) => error.is_damage().then_some(Exit::Unfit),
        TrainError::Config(_)
        | TrainError::Store(_)
        | TrainError::Evaluator(_)
        | TrainError::Match(_)
        | TrainError::Source(_)
        | TrainError::Log(_) => None,
    };
    stopped.or_else(learner).or_else(run).or_else(store).or_else(folder).or_else(training)
}

/// A folder of another run remains so however often a learner is started, and what is damaged in the
/// store is damaged when it comes from there again.
fn exit_of_folder(error: &train::RunError) -> Option<Exit> {
    match error {
        train::RunError::OtherConfig(_)
        | train::RunError::NothingToResume(_)
        | train::RunError::NoGames(_)
        | train::RunError::Leftover(_)
        | train::RunError::OwnGames(_)
        | train::RunError::OtherOrigin(_)
        | train::RunError::Unforkable { .. }
        | train::RunError::Damaged { .. }
        | train::RunError::OtherVersion { .. } => Some(Exit::Unfit),
        train::RunError::Exists(_)
        | train::RunError::Missing(_)
        | train::RunError::InUse(_)
        | train::RunError::Model(_)
        | train::RunError::Io { .. }
        | train::RunError::Store(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn contexts_and_causes_say_how_a_process_ends() {
        let unfit = anyhow!("no such configuration").context(Stopped(Exit::Unfit));
        assert!(matches!(of(&unfit.context("more")), Some(Exit::Unfit)));
        let other = train::RunError::OtherConfig("runs/x".into());
        assert!(matches!(of(&TrainError::from(other).into()), Some(Exit::Unfit)));
        let advised =
            train::command::run_error_with_advice(train::RunError::OtherConfig("runs/x".into()));
        assert!(matches!(of(&advised), Some(Exit::Unfit)), "{advised:#}");
        let (path, message) = ("state.toml".into(), "it is cut short".to_owned());
        let damaged = TrainError::from(train::RunError::Damaged { path, message });
        assert!(matches!(of(&damaged.into()), Some(Exit::Unfit)));
        let damaged = TrainError::from(models::ModelError::Damaged("learner".into()));
        assert!(matches!(of(&damaged.into()), Some(Exit::Unfit)));
        let error = models::ModelError::NotFinite { step: 5, what: "loss" };
        let diverged = TrainError::Diverged { times: 3, error };
        assert!(matches!(of(&diverged.into()), Some(Exit::Unfit)));
        assert!(of(&TrainError::from(models::ModelError::Stopped).into()).is_none());
        assert!(of(&anyhow!("something else")).is_none());
    }
}
