//! Statistics of each kind of game in a run: length and fair compensation.

use engine::{GameResult, Rules, Size};
use selfplay::{Component, Mixture, TrainingRecord, kind_of};
use serde::{Deserialize, Serialize};

/// Number of games over which the mean length is averaged, exponentially.
const MEMORY: f32 = 50.0;

/// One kind of game on one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kind {
    /// Its identity in hexadecimal.
    pub kind: String,
    /// The board.
    pub size: Size,
    /// Games recorded.
    pub games: u64,
    /// Positions recorded.
    pub rows: u64,
    /// Mean number of positions in a game, the newest games weighing most.
    pub length: f32,
    /// The compensation at which both players win equally often, as far as known.
    pub fair: f32,
}

/// All kinds that a run has played.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kinds {
    #[serde(default)]
    kinds: Vec<Kind>,
}

impl Kinds {
    /// Each of them, in the order in which they were first seen.
    pub fn all(&self) -> &[Kind] {
        &self.kinds
    }

    /// Adds a finished game; the fair compensation moves by `step` towards what would have made it even.
    pub(crate) fn see(&mut self, game: &TrainingRecord, rules: &Rules, step: f32) {
        let (key, size) = (key_of(rules), rules.size);
        let known = self.kinds.iter().position(|kind| kind.size == size && kind.kind == key);
        let place = known.unwrap_or_else(|| {
            self.kinds.push(Kind {
                kind: key,
                size,
                games: 0,
                rows: 0,
                length: 0.0,
                fair: rules.usual_compensation(),
            });
            self.kinds.len() - 1
        });
        let kind = &mut self.kinds[place];
        let rows = game.rows() as f32;
        kind.games += 1;
        kind.rows += game.rows() as u64;
        let weight = (kind.games as f32).min(MEMORY);
        kind.length += (rows - kind.length) / weight;
        if game.result != GameResult::Draw {
            // If no compensation makes a game even, it would grow without bound.
            let most = size.area() as f32;
            kind.fair = (kind.fair + step * game.result.black_value()).clamp(-most, most);
        }
    }

    /// Keeps fair compensations and lengths, for a run that begins from another one's weights.
    pub(crate) fn forget_rows(&mut self) {
        for kind in &mut self.kinds {
            kind.rows = 0;
        }
    }

    /// Positions recorded.
    pub(crate) fn rows(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.rows).sum()
    }

    /// Positions recorded on boards of a size.
    pub(crate) fn rows_on(&self, size: Size) -> u64 {
        self.kinds.iter().filter(|kind| kind.size == size).map(|kind| kind.rows).sum()
    }

    /// The mixture with shares of games that give the wanted shares of positions, and with the known fair
    /// compensations.
    pub(crate) fn refine(&self, mixture: Mixture, variation: f32) -> Mixture {
        let size = mixture.size();
        let here = || self.kinds.iter().filter(|kind| kind.size == size);
        let mean = |of: &dyn Fn(&Kind) -> bool| {
            let lengths: Vec<f32> =
                here().filter(|kind| of(kind)).map(|kind| kind.length).collect();
            let mean = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
            if mean > 0.0 { mean } else { size.area() as f32 }
        };
        let shares: Vec<f32> = mixture
            .components()
            .iter()
            .map(|(component, share)| match component {
                Component::Named(rules) => {
                    let key = key_of(rules);
                    share / mean(&|kind: &Kind| kind.kind == key)
                }
                Component::Combined => share / mean(&|_: &Kind| true),
            })
            .collect();
        let fair =
            here().filter_map(|kind| Some((u64::from_str_radix(&kind.kind, 16).ok()?, kind.fair)));
        mixture.with_shares(&shares).with_fair(fair.collect(), variation)
    }

    #[cfg(test)]
    /// The fair compensation under these rules, if games of that kind have been played.
    pub(crate) fn fair(&self, rules: &Rules) -> Option<f32> {
        let key = key_of(rules);
        let of_kind = |kind: &&Kind| kind.size == rules.size && kind.kind == key;
        self.kinds.iter().find(of_kind).map(|kind| kind.fair)
    }
}

fn key_of(rules: &Rules) -> String {
    format!("{:016x}", kind_of(rules))
}

#[cfg(test)]
mod tests {
    use engine::{Color, GameResult, Variant};

    use super::*;

    fn game(rules: &Rules, result: GameResult) -> TrainingRecord {
        TrainingRecord {
            rules: rules.to_string(),
            size: rules.size,
            seed: 0,
            model: 0,
            turns: Vec::new(),
            result,
            capped: false,
        }
    }

    #[test]
    fn what_is_fair_follows_the_results() {
        let rules = Variant::Go.rules(7).unwrap();
        let given = rules.with_compensation(20.0).unwrap();
        let mut kinds = Kinds::default();
        assert_eq!(kinds.fair(&rules), None);
        for _ in 0..4 {
            kinds.see(&game(&given, GameResult::Won(Color::Black)), &given, 0.25);
        }
        assert_eq!(kinds.fair(&rules), Some(rules.compensated() + 1.0), "from where rules have it");
        kinds.see(&game(&rules, GameResult::Won(Color::White)), &rules, 0.25);
        kinds.see(&game(&rules, GameResult::Draw), &rules, 0.25);
        assert_eq!(kinds.fair(&given), Some(rules.compensated() + 0.75));
    }

    #[test]
    fn what_is_fair_stays_on_the_board() {
        let rules = Variant::AlterIgo.rules(3).unwrap();
        let mut kinds = Kinds::default();
        (0..40).for_each(|_| kinds.see(&game(&rules, GameResult::Won(Color::Black)), &rules, 1.0));
        assert_eq!(kinds.fair(&rules), Some(9.0));
    }

    #[test]
    fn they_are_the_same_after_a_checkpoint() {
        let mut kinds = Kinds::default();
        let rules = Variant::ALL.map(|variant| variant.rules(5).unwrap());
        rules.iter().for_each(|rules| kinds.see(&game(rules, GameResult::Draw), rules, 0.25));
        let mut again: Kinds = toml::from_str(&toml::to_string(&kinds).unwrap()).unwrap();
        rules.iter().for_each(|rules| again.see(&game(rules, GameResult::Draw), rules, 0.25));
        assert_eq!(again.kinds.len(), kinds.kinds.len());
        assert!(again.kinds.iter().all(|kind| kind.games == 2));
    }
}
