//! The checkpoints of a run as models: the newest and, as far as known, the strongest.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ModelError;

/// The subfolder of a run with one model folder per checkpoint, named by its training step.
pub const CHECKPOINTS: &str = "checkpoints";

/// A checkpoint's file about the state of its run.
pub const STATE: &str = "state.toml";

/// A checkpoint and its measured strength.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rated {
    /// Its training step.
    pub step: u64,
    /// Fraction of the run that was complete, 0 to 1.
    pub progress: f32,
    /// Elo over the first network of the run, or of the run that it was forked from, summed over
    /// matches between successive checkpoints.
    pub elo: f64,
    /// Uncertainty of the last of these matches in Elo: half the width of its 95 % interval.
    /// Earlier versions did not write it.
    #[serde(default = "unknown")]
    pub error: f64,
}

fn unknown() -> f64 {
    f64::INFINITY
}

/// The folder of the checkpoint of a step.
pub fn checkpoint_folder(run: &Path, step: u64) -> PathBuf {
    run.join(CHECKPOINTS).join(format!("{step:08}"))
}

/// The training steps of a run's checkpoints, in increasing order.
///
/// # Errors
/// The folder cannot be read.
pub fn checkpoint_steps(run: &Path) -> Result<Vec<u64>, ModelError> {
    let folder = run.join(CHECKPOINTS);
    let mut steps = Vec::new();
    for entry in fs::read_dir(&folder).map_err(ModelError::io(&folder))? {
        let name = entry.map_err(ModelError::io(&folder))?.file_name();
        let step = name.to_str().and_then(|name| name.parse::<u64>().ok());
        // A copy that somebody has named by its step alone is none.
        let is_named =
            |&step: &u64| checkpoint_folder(run, step).file_name() == Some(name.as_os_str());
        steps.extend(step.filter(is_named));
    }
    steps.sort_unstable();
    Ok(steps)
}

/// Resolves a path to a model folder: the path itself if it is one, or the newest checkpoint of a
/// run folder.
///
/// # Errors
/// The path is a run folder without a checkpoint.
pub fn model_folder(path: &Path) -> Result<PathBuf, ModelError> {
    if !path.join(CHECKPOINTS).is_dir() {
        return Ok(path.to_owned());
    }
    let steps = checkpoint_steps(path)?;
    let newest = steps.last().ok_or_else(|| ModelError::NoCheckpoint(path.to_owned()))?;
    Ok(checkpoint_folder(path, *newest))
}

/// The part of a checkpoint's state that matters here.
#[derive(Deserialize, Default)]
struct Ratings {
    #[serde(default)]
    rated: Vec<Rated>,
}

/// The model folder to play with: the path itself if it is one; for a run folder the newest
/// checkpoint, unless the run's own matches found an earlier one to be stronger by more than their
/// uncertainty.
///
/// # Errors
/// The path is a run folder without a checkpoint, or one that cannot be read.
pub fn best_model_folder(path: &Path) -> Result<PathBuf, ModelError> {
    let newest = model_folder(path)?;
    if newest == path {
        return Ok(newest);
    }
    // A run that was never rated, or whose state has another version's format, offers only the
    // newest.
    let state = fs::read_to_string(newest.join(STATE)).unwrap_or_default();
    let ratings: Ratings = toml::from_str(&state).unwrap_or_default();
    let steps = checkpoint_steps(path)?;
    let kept = stronger(&ratings.rated).filter(|rated| steps.contains(&rated.step));
    let best = kept.max_by(|a, b| a.elo.total_cmp(&b.elo));
    Ok(match best {
        Some(best) => checkpoint_folder(path, best.step),
        None => newest,
    })
}

/// The rated checkpoints that are stronger than the last. Ratings are sums over matches, and so are
/// their squared errors: the highest rating alone may be luck, and misses what was learnt since at
/// falling learning rates.
fn stronger(rated: &[Rated]) -> impl Iterator<Item = &Rated> {
    let last = rated.last().map_or(0.0, |last| last.elo);
    rated.iter().enumerate().filter_map(move |(index, earlier)| {
        let matches = &rated[index + 1..];
        let error = matches.iter().map(|later| later.error.powi(2)).sum::<f64>().sqrt();
        (earlier.elo - last > error).then_some(earlier)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The step chosen in a run with checkpoints at 0, 10, 20 and 30 and these ratings and errors.
    fn chosen(ratings: &[(u64, f64, f64)]) -> String {
        let run = tempfile::tempdir().expect("a folder");
        for step in [0, 10, 20, 30] {
            let folder = checkpoint_folder(run.path(), step);
            fs::create_dir_all(&folder).expect("a folder");
            let rated = ratings.iter().map(|(step, elo, error)| {
                format!(
                    "[[rated]]\nstep = {step}\nprogress = 0.5\nelo = {elo:?}\nerror = {error:?}\n"
                )
            });
            let text = format!("step = {step}\nunknown = true\n{}", rated.collect::<String>());
            fs::write(folder.join(STATE), text).expect("written");
        }
        let best = best_model_folder(run.path()).expect("a checkpoint");
        best.file_name().expect("a name").to_string_lossy().into_owned()
    }

    #[test]
    fn ratings_decide_where_they_say_something() {
        assert_eq!(chosen(&[]), "00000030");
        let untrained = (0, 0.0, 0.0);
        assert_eq!(chosen(&[untrained]), "00000030", "what was learnt since counts");
        assert_eq!(chosen(&[untrained, (10, 200.0, 60.0)]), "00000030");
        assert_eq!(chosen(&[untrained, (10, 200.0, 60.0), (20, 110.0, 60.0)]), "00000010");
        assert_eq!(chosen(&[untrained, (10, 200.0, 60.0), (20, 150.0, 60.0)]), "00000030", "luck");
        assert_eq!(chosen(&[untrained, (10, 200.0, 60.0), (30, 200.0, 60.0)]), "00000030");
        assert_eq!(chosen(&[untrained, (15, 900.0, 60.0), (20, 150.0, 60.0)]), "00000030", "gone");
    }

    #[test]
    fn errors_add_up_over_matches() {
        let ratings =
            |last| [(0, 0.0, 0.0), (10, 300.0, 60.0), (20, 260.0, 60.0), (30, last, 60.0)];
        assert_eq!(chosen(&ratings(230.0)), "00000030", "70 of 85");
        assert_eq!(chosen(&ratings(210.0)), "00000010", "90 of 85");
    }

    #[test]
    fn a_rating_of_unknown_error_decides_nothing() {
        assert_eq!(
            chosen(&[(0, 0.0, 0.0), (10, 900.0, 60.0), (20, 150.0, f64::INFINITY)]),
            "00000030"
        );
        let old: Rated = toml::from_str("step = 1\nprogress = 0.5\nelo = 9.0").expect("a rating");
        assert_eq!(old.error, f64::INFINITY);
    }

    #[test]
    fn only_what_is_named_like_a_checkpoint_is_one() {
        let run = tempfile::tempdir().expect("a folder");
        for name in ["00000030", "30", "+0000040", "00000020.damaged", "100000000"] {
            fs::create_dir_all(run.path().join(CHECKPOINTS).join(name)).expect("a folder");
        }
        assert_eq!(checkpoint_steps(run.path()).expect("steps"), [30, 100_000_000]);
    }

    #[test]
    fn a_model_folder_is_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(best_model_folder(folder.path()).expect("a folder"), folder.path());
        fs::create_dir(folder.path().join("checkpoints")).expect("a folder");
        assert!(matches!(best_model_folder(folder.path()), Err(ModelError::NoCheckpoint(_))));
    }
}
