//! The strongest checkpoint of a run, as far as known.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{Rated, RunError, checkpoint_steps, model_folder};

/// The part of a checkpoint's state that matters here.
#[derive(Deserialize, Default)]
struct Ratings {
    #[serde(default)]
    rated: Vec<Rated>,
}

/// The model folder to play with: a model folder itself; of a run folder the newest checkpoint, unless the run's own
/// matches have found an earlier one to be stronger by more than their uncertainty.
///
/// # Errors
/// A run folder without a checkpoint, or one that cannot be read.
pub fn best_model_folder(path: &Path) -> Result<PathBuf, RunError> {
    let newest = model_folder(path)?;
    if newest == path {
        return Ok(newest);
    }
    // A run that was never rated, or whose state is of another version, offers only the newest.
    let state = fs::read_to_string(newest.join("state.toml")).unwrap_or_default();
    let ratings: Ratings = toml::from_str(&state).unwrap_or_default();
    let steps = checkpoint_steps(path)?;
    let kept = stronger(&ratings.rated).filter(|rated| steps.contains(&rated.step));
    let best = kept.max_by(|a, b| a.elo.total_cmp(&b.elo));
    Ok(match best {
        Some(best) => newest.with_file_name(format!("{:08}", best.step)),
        None => newest,
    })
}

/// The rated checkpoints that are stronger than the last. Ratings are sums of matches, and so are the squares of their
/// errors: the highest rating alone may be luck, and lacks what was learnt since at falling learning rates.
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
            let folder = run.path().join("checkpoints").join(format!("{step:08}"));
            fs::create_dir_all(&folder).expect("a folder");
            let rated = ratings.iter().map(|(step, elo, error)| {
                format!(
                    "[[rated]]\nstep = {step}\nprogress = 0.5\nelo = {elo:?}\nerror = {error:?}\n"
                )
            });
            let text = format!("step = {step}\nunknown = true\n{}", rated.collect::<String>());
            fs::write(folder.join("state.toml"), text).expect("written");
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
    fn a_model_folder_is_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(best_model_folder(folder.path()).expect("a folder"), folder.path());
        fs::create_dir(folder.path().join("checkpoints")).expect("a folder");
        assert!(matches!(best_model_folder(folder.path()), Err(RunError::NoCheckpoint(_))));
    }
}
