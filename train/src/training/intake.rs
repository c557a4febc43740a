//! Checks recorded games before they enter the windows. Files may contain anything: a game of
//! another run, or one that cannot have been played, is left out with a reason, and the run
//! continues.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::Size;
use rayon::prelude::*;
use selfplay::{Mixture, RecordError, TrainingRecord};
use thiserror::Error;

use super::rules::RunRules;
use crate::progress::Progress;
use crate::targets::FinishedGame;
use crate::{ConfigError, RunConfig};

/// Why a recorded game is not used.
#[derive(Debug, Error)]
enum Refusal {
    /// The game is of rules or a board size that the run does not play.
    #[error("{rules} on {size:#}")]
    Foreign { rules: String, size: Size },
    /// The game is impossible.
    #[error(transparent)]
    Unsound(#[from] RecordError),
}

impl Refusal {
    /// A description of such games.
    fn kind(&self) -> &'static str {
        match self {
            Refusal::Foreign { .. } => "of rules that this run does not play",
            Refusal::Unsound(_) => "that are invalid",
        }
    }
}

/// Recorded games that are left out: their number for each reason, and the first one's description.
#[derive(Debug, Default)]
pub(super) struct LeftOut(BTreeMap<&'static str, (usize, String)>);

impl LeftOut {
    fn add(&mut self, refusal: &Refusal) {
        // Text from a file may be long and contain control characters.
        let text = || refusal.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
        let (count, _) = self.0.entry(refusal.kind()).or_insert_with(|| (0, text()));
        *count += 1;
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        let line = |(kind, (count, first)): (&&str, &(usize, String))| {
            format!("recorded games {kind}, left out: {count} (the first: {first})")
        };
        self.0.iter().map(line)
    }

    pub fn report(&self, progress: &Progress) {
        self.lines().for_each(|line| progress.line(&line));
    }
}

/// Decides which games a run may learn from. Clones are equivalent.
#[derive(Clone)]
pub struct Intake(Arc<RunRules>);

impl Intake {
    /// The intake of a run.
    ///
    /// # Errors
    /// The run's rules are invalid.
    pub fn new(config: &RunConfig) -> Result<Intake, ConfigError> {
        Ok(Intake(Arc::new(RunRules::new(config)?)))
    }

    /// Replays a game with every rule, target and value checked.
    ///
    /// # Errors
    /// Why the run cannot learn from the game.
    pub fn examine(&self, game: TrainingRecord) -> Result<FinishedGame, String> {
        accept(game, &self.0.mixtures).map_err(|refusal| refusal.to_string())
    }
}

/// Replays a record, provided that the run may have played it.
fn accept(record: TrainingRecord, mixtures: &[(Mixture, f32)]) -> Result<FinishedGame, Refusal> {
    let rules = record.rule_set()?;
    if mixtures.iter().any(|(mixture, _)| mixture.plays(&rules)) {
        Ok(FinishedGame::new(record)?)
    } else {
        Err(Refusal::Foreign { rules: record.rules, size: record.size })
    }
}

/// The games that can be learnt from, in their original order.
pub(super) fn accept_sound(
    games: Vec<TrainingRecord>,
    mixtures: &[(Mixture, f32)],
    left_out: &mut LeftOut,
) -> Vec<FinishedGame> {
    let accepted: Vec<_> = games.into_par_iter().map(|game| accept(game, mixtures)).collect();
    accepted
        .into_iter()
        .filter_map(|game| game.map_err(|refusal| left_out.add(&refusal)).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use engine::{Color, GameResult, Rules};
    use search::evaluators::Scripted;
    use selfplay::{Component, Phase, SelfPlaySettings, Worker};

    use super::*;

    fn game(rules: &str, size: u8) -> TrainingRecord {
        let rules = Rules::parse(rules, size).unwrap();
        let settings = SelfPlaySettings { komi_share: 0.0, ..SelfPlaySettings::default() };
        let mut worker = Worker::new(rules, settings, Phase { simulations: 4, model: 0 }, 4, 5);
        loop {
            if let Some(game) = worker.step(&mut Scripted { seed: 1 }).unwrap().1.pop() {
                return game;
            }
        }
    }

    #[test]
    fn only_sound_games_of_the_runs_rules_are_learnt_from() {
        let go = Rules::parse("go", 4).unwrap();
        let one = vec![(Mixture::of(go), 1.0)];
        let mut wrong = game("go", 4);
        wrong.result = match wrong.result {
            GameResult::Draw => GameResult::Won(Color::Black),
            GameResult::Won(_) => GameResult::Draw,
        };
        let mut nonsense = game("go", 4);
        nonsense.rules = "og".to_owned();
        let own = [game("go", 4), game("go,komi=3", 4)];
        let foreign = [game("go", 5), game("tile", 4), game("go,suicide=false", 4)];
        let all = own.iter().chain(&foreign).chain([&wrong, &nonsense]).cloned().collect();
        let mut left_out = LeftOut::default();
        let sound = accept_sound(all, &one, &mut left_out);
        assert!(sound.iter().map(|game| &game.record).eq(&own));
        let lines: Vec<String> = left_out.lines().collect();
        assert_eq!(
            lines[0],
            "recorded games of rules that this run does not play, left out: 3 (the first: go on 5×5)"
        );
        assert!(lines[1].contains("left out: 2 (the first: the recorded result is"), "{lines:?}");
        for repeats in [100, 1 << 20] {
            nonsense.rules = "\x1b[2J".repeat(repeats);
            let mut left_out = LeftOut::default();
            assert!(accept_sound(vec![nonsense.clone()], &one, &mut left_out).is_empty());
            let line: String = left_out.lines().collect();
            assert!(line.len() < 400 && !line.contains('\x1b'), "{line}");
        }

        let combined = vec![(Mixture::new(go.size, vec![(Component::Combined, 1.0)], 0), 1.0)];
        assert!(accept(game("tile,komi=2", 4), &combined).is_ok());
        assert!(accept(game("tile,tile_limit=4", 4), &combined).is_err());
    }
}
