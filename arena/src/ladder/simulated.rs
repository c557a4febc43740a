//! Simulated games of players whose strengths are known.

use search::Random;

use super::{Encounter, Ladder, PairResult};
use crate::logistic;

/// What the results of games depend on, in natural units.
pub struct Simulated {
    /// Strength of each player.
    pub strengths: Vec<f64>,
    /// What moving first is worth.
    pub advantage: f64,
    /// The share of draws between equals. The less equal the players, the fewer draws.
    pub draws: f64,
}

impl Simulated {
    /// A ladder of these players, without games.
    pub fn ladder(&self) -> Ladder {
        Ladder::new((0..self.strengths.len()).map(|n| format!("p{n}")).collect())
    }

    /// Simulates pairs of games between two players.
    pub fn encounter(
        &self,
        (first, second): (usize, usize),
        pairs: usize,
        random: &mut Random,
    ) -> Encounter {
        let pairs = (0..pairs)
            .map(|_| [self.game(first, second, random), 2 - self.game(second, first, random)])
            .collect::<Vec<PairResult>>();
        Encounter { first, second, pairs }
    }

    fn game(&self, black: usize, white: usize, random: &mut Random) -> u8 {
        let expected = logistic(self.strengths[black] - self.strengths[white] + self.advantage);
        let draw = 2.0 * self.draws * expected.min(1.0 - expected);
        let win = expected - draw / 2.0;
        let unit = (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        if unit < win { 2 } else { u8::from(unit < win + draw) }
    }
}

/// A round robin: everybody plays everybody.
pub fn round_robin(truth: &Simulated, pairs: usize, seed: u64) -> Ladder {
    let (mut ladder, mut random) = (truth.ladder(), Random::new(seed));
    for second in 0..truth.strengths.len() {
        for first in 0..second {
            ladder.encounters.push(truth.encounter((first, second), pairs, &mut random));
        }
    }
    ladder
}
