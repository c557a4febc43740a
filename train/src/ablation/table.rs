//! The table of an ablation's results.

use std::path::Path;

use arena::{Estimate, elo_texts};

use crate::progress::duration;
use crate::{Fork, RunState, TrainError};

/// A heading that says how the arms were compared, and a line for each match.
pub(super) struct Table {
    heading: String,
    rows: Vec<String>,
}

impl Table {
    /// The table under a heading. If `path` holds one with the same, its rows are kept.
    pub fn open(path: &Path, heading: String) -> Table {
        let heading = heading
            + "\n\n| arm | against | seed | Elo | 95 % of matches | steps | time |\n\
               |---|---|---|---|---|---|---|\n";
        let earlier = std::fs::read_to_string(path).unwrap_or_default();
        let rows = earlier.strip_prefix(&heading).unwrap_or_default().split_inclusive('\n');
        // Whatever else has been written there is no row.
        let rows = rows.filter(|row| row.ends_with(" |\n")).map(ToOwned::to_owned).collect();
        Table { heading, rows }
    }

    /// Adds the result of an arm with one seed, in place of an earlier one, and returns its row.
    /// `end` is the arm's final state, or why it failed.
    pub fn add(
        &mut self,
        arm: &str,
        rival: &str,
        seed: u64,
        end: &Result<RunState, TrainError>,
        elo: Option<Estimate>,
    ) -> String {
        let (elo, interval) = elo.map_or(("–".to_owned(), "–".to_owned()), |elo| {
            let [low, value, high] = elo_texts(elo);
            (value, format!("{low} to {high}"))
        });
        let (steps, time) = match end {
            Ok(state) => {
                let Fork { step, .. } = state.forked;
                ((state.step - step).to_string(), duration(state.seconds))
            }
            Err(_) => ("diverged".to_owned(), "–".to_owned()),
        };
        let compared = format!("| {arm} | {rival} | {seed} |");
        let row = format!("{compared} {elo} | {interval} | {steps} | {time} |\n");
        match self.rows.iter_mut().find(|known| known.starts_with(&compared)) {
            Some(known) => known.clone_from(&row),
            None => self.rows.push(row.clone()),
        }
        row
    }

    /// The table as text.
    pub fn text(&self) -> String {
        self.heading.clone() + &self.rows.concat()
    }
}
