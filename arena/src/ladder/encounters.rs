//! Players and their games against each other.

use std::collections::BTreeMap;

use crate::MatchReport;

/// The first player's half points in a pair: as Black in one game, as White in the other.
pub type PairResult = [u8; 2];

/// All pairs of games between two players.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encounter {
    /// The index of the first player.
    pub first: usize,
    /// The index of the second player.
    pub second: usize,
    /// The first player's results.
    pub pairs: Vec<PairResult>,
}

/// Players and the results between them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ladder {
    /// Names by index.
    pub players: Vec<String>,
    /// Results in any order; two players may meet more than once.
    pub encounters: Vec<Encounter>,
}

impl Ladder {
    /// A ladder of players who have not met yet.
    pub fn new(players: Vec<String>) -> Ladder {
        Ladder { players, encounters: Vec::new() }
    }

    /// Adds the games of a match.
    pub fn enter(&mut self, first: usize, second: usize, report: &MatchReport) {
        let pairs = report.pair_results();
        self.encounters.push(Encounter { first, second, pairs });
    }

    /// One encounter per two players who have met, with all their pairs.
    pub(super) fn merged_encounters(&self) -> Vec<Encounter> {
        let mut met: BTreeMap<(usize, usize), Vec<PairResult>> = BTreeMap::new();
        for Encounter { first, second, pairs } in &self.encounters {
            let known = met.entry((*first.max(second), *first.min(second))).or_default();
            if first < second {
                known.extend(pairs);
            } else {
                known
                    .extend(pairs.iter().map(|&[as_black, as_white]| [2 - as_white, 2 - as_black]));
            }
        }
        let encounter = |((second, first), pairs)| Encounter { first, second, pairs };
        met.into_iter().map(encounter).collect()
    }

    /// The share of the games that were drawn; 0 without games.
    pub(super) fn drawn(&self) -> f64 {
        let results = || self.encounters.iter().flat_map(|one| one.pairs.iter().flatten());
        let drawn = results().filter(|&&half| half == 1).count();
        drawn as f64 / results().count().max(1) as f64
    }

    /// Number of a player's games, and the points scored in them.
    pub(super) fn games_and_points(&self, player: usize) -> (usize, f64) {
        let mut total = (0, 0.0);
        for encounter in &self.encounters {
            let games = 2 * encounter.pairs.len();
            let half: u32 = encounter.pairs.iter().flatten().map(|&half| u32::from(half)).sum();
            let points = f64::from(half) / 2.0;
            if encounter.first == player {
                total = (total.0 + games, total.1 + points);
            } else if encounter.second == player {
                total = (total.0 + games, total.1 + games as f64 - points);
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encounter_is_the_same_whoever_is_named_first() {
        // Whoever wins as Black wins the other's game as White.
        let pairs = vec![[2, 0], [2, 1], [2, 2], [1, 2]];
        let turned = vec![[2, 0], [1, 0], [0, 0], [0, 1]];
        let mut ladder = Ladder::new(["first", "second"].map(String::from).into());
        ladder.encounters.push(Encounter { first: 0, second: 1, pairs: pairs.clone() });
        ladder.encounters.push(Encounter { first: 1, second: 0, pairs: turned });
        let both = [pairs.clone(), pairs].concat();
        assert_eq!(ladder.merged_encounters(), [Encounter { first: 0, second: 1, pairs: both }]);
        assert_eq!([0, 1].map(|player| ladder.games_and_points(player)), [(16, 12.0), (16, 4.0)]);
        assert_eq!(ladder.drawn(), 0.25);
        assert_eq!(Ladder::default().drawn(), 0.0);
    }
}
