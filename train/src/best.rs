//! The checkpoint of a run that plays best, as far as is known.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::run::{RunError, checkpoint_steps, model_folder};

/// What is read of a checkpoint's state; the rest does not matter here.
#[derive(Deserialize, Default)]
struct Ratings {
    #[serde(default)]
    rated: Vec<Rating>,
}

#[derive(Deserialize, Clone, Copy)]
struct Rating {
    step: u64,
    elo: f64,
}

/// The model folder to play with: a model folder itself; of a run folder the newest checkpoint, unless the run's own
/// matches have found an earlier one to be stronger.
///
/// # Errors
/// A run folder without a checkpoint, or one that cannot be read.
pub fn best_model_folder(path: &Path) -> Result<PathBuf, RunError> {
    let newest = model_folder(path)?;
    if newest == path {
        return Ok(newest);
    }
    // A run that was never rated, or whose state another version wrote, has nothing better to offer than the newest.
    let state = fs::read_to_string(newest.join("state.toml")).unwrap_or_default();
    let ratings: Ratings = toml::from_str(&state).unwrap_or_default();
    let steps = checkpoint_steps(path)?;
    let kept = ratings.rated.iter().filter(|rating| steps.contains(&rating.step));
    let best = kept.copied().reduce(|best, next| if next.elo >= best.elo { next } else { best });
    let is_latest =
        |rating: Rating| ratings.rated.last().is_some_and(|last| last.step == rating.step);
    Ok(match best {
        // Nothing later has been found to be weaker: what was learnt since counts.
        Some(best) if !is_latest(best) => newest.with_file_name(format!("{:08}", best.step)),
        Some(_) | None => newest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The step that is chosen in a run with checkpoints at 0, 10, 20 and 30 and such ratings.
    fn chosen(ratings: &[(u64, f64)]) -> String {
        let run = tempfile::tempdir().expect("a folder");
        for step in [0, 10, 20, 30] {
            let folder = run.path().join("checkpoints").join(format!("{step:08}"));
            fs::create_dir_all(&folder).expect("a folder");
            let rated: Vec<String> = ratings
                .iter()
                .map(|(step, elo)| {
                    format!("[[rated]]\nstep = {step}\nprogress = 0.5\nelo = {elo:?}\n")
                })
                .collect();
            let text = format!("step = {step}\nunknown = true\n{}", rated.concat());
            fs::write(folder.join("state.toml"), text).expect("written");
        }
        let best = best_model_folder(run.path()).expect("a checkpoint");
        best.file_name().expect("a name").to_string_lossy().into_owned()
    }

    #[test]
    fn ratings_decide_where_they_say_something() {
        assert_eq!(chosen(&[]), "00000030");
        assert_eq!(chosen(&[(0, 0.0)]), "00000030", "what was learnt since counts");
        assert_eq!(chosen(&[(0, 0.0), (10, 200.0)]), "00000030");
        assert_eq!(chosen(&[(0, 0.0), (10, 200.0), (20, 150.0)]), "00000010");
        assert_eq!(chosen(&[(0, 0.0), (10, 200.0), (30, 200.0)]), "00000030");
        assert_eq!(chosen(&[(0, 0.0), (15, 900.0), (20, 150.0)]), "00000030", "15 is gone");
    }

    #[test]
    fn a_model_folder_is_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(best_model_folder(folder.path()).expect("a folder"), folder.path());
        fs::create_dir(folder.path().join("checkpoints")).expect("a folder");
        assert!(matches!(best_model_folder(folder.path()), Err(RunError::NoCheckpoint(_))));
    }
}
