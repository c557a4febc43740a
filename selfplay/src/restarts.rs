//! Restarts: games that begin where the network misjudged an earlier game the most.
//!
//! After RGSC (Tsai et al. 2026) and Go-Exploit (Trudeau and Bowling 2023). The regret of a
//! position is the distance between the result that the search expected there and how the game
//! ended.

use engine::Size;
use rand::{Rng, RngExt};

use crate::{TrainingRecord, TurnRecord};

/// Minimum regret of a position that is kept.
const MIN_REGRET: f32 = 0.5;

/// The beginning of an earlier game, up to a position to restart from.
#[derive(Debug, Clone)]
pub(crate) struct Restart {
    pub rules: String,
    pub size: Size,
    pub turns: Vec<TurnRecord>,
    regret: f32,
}

/// The positions with the largest regret among recent games.
#[derive(Debug, Default)]
pub(crate) struct Archive {
    restarts: Vec<Restart>,
}

impl Archive {
    /// Offers the turn of a finished game with the largest regret; beyond `limit`, the position
    /// with the least regret is dropped.
    pub fn offer(&mut self, game: &TrainingRecord, limit: usize) {
        if limit == 0 || game.capped {
            return;
        }
        let result = game.result.black_value();
        // What comes before the first learnt turn is another game, which an older network judged,
        // or an opening, which did not follow the search.
        let own = game.turns.iter().enumerate().skip_while(|(_, turn)| turn.target.is_empty());
        let searched = own.filter(|(_, turn)| turn.simulations > 0);
        let regrets = searched.map(|(index, turn)| (index, (result - turn.root_value).abs()));
        let Some((turn, regret)) = regrets.max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
        if regret < MIN_REGRET || !self.make_room(regret, limit) {
            return;
        }
        let mut turns = game.turns[..turn].to_vec();
        turns.iter_mut().for_each(TurnRecord::clear_target);
        self.restarts.push(Restart { rules: game.rules.clone(), size: game.size, turns, regret });
    }

    /// Drops the position with the least regret if the archive is full; `false` if no position has
    /// less than this regret.
    fn make_room(&mut self, regret: f32, limit: usize) -> bool {
        if self.restarts.len() < limit {
            return true;
        }
        let least =
            self.restarts.iter().enumerate().min_by(|a, b| a.1.regret.total_cmp(&b.1.regret));
        let Some((index, _)) = least.filter(|(_, restart)| restart.regret < regret) else {
            return false;
        };
        self.restarts.swap_remove(index);
        true
    }

    /// Draws a position with probability proportional to its regret, and halves that regret,
    /// because the network learns from a replayed position.
    pub fn draw(&mut self, random: &mut impl Rng) -> Option<Restart> {
        let regrets: Vec<f32> = self.restarts.iter().map(|restart| restart.regret).collect();
        let drawn = &mut self.restarts[search::draw(&regrets, random.random())?];
        drawn.regret *= 0.5;
        Some(drawn.clone())
    }
}

#[cfg(test)]
mod tests {
    use engine::{Color, GameResult};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn game(values: &[f32]) -> TrainingRecord {
        let turn = |&root_value: &f32| TurnRecord {
            action: 0,
            root_value,
            proven: None,
            surprise: 1.0,
            simulations: 8,
            target: vec![(0, 65535)],
        };
        let turns = values.iter().map(turn).collect();
        let unfinished = TrainingRecord::begun("go", Size::try_from(5).unwrap(), 0, 0, turns);
        TrainingRecord { result: GameResult::Won(Color::Black), ..unfinished }
    }

    #[test]
    fn the_worst_misjudged_position_is_kept_and_nothing_before_it_is_learnt_again() {
        let mut archive = Archive::default();
        let mut random = ChaCha8Rng::seed_from_u64(1);
        archive.offer(&game(&[0.9, 0.8]), 2);
        assert!(archive.draw(&mut random).is_none(), "well judged");
        archive.offer(&game(&[0.0, 0.1, -0.9, 0.9]), 2);
        let restart = archive.draw(&mut random).unwrap();
        assert_eq!(restart.turns.len(), 2);
        assert!(restart.turns.iter().all(|turn| turn.target.is_empty()));
    }

    /// The turns before a restart are those of the earlier game and have been offered with it.
    #[test]
    fn what_an_earlier_game_misjudged_is_not_offered_again() {
        let mut archive = Archive::default();
        let mut restarted = game(&[-0.9, -0.8, 0.2, 0.9]);
        restarted.turns[..2].iter_mut().for_each(TurnRecord::clear_target);
        archive.offer(&restarted, 2);
        let lengths: Vec<usize> =
            archive.restarts.iter().map(|restart| restart.turns.len()).collect();
        assert_eq!(lengths, [2], "the position from which it was restarted, misjudged again");
    }

    #[test]
    fn the_archive_stays_as_small_as_it_should_and_keeps_the_largest_regrets() {
        let mut archive = Archive::default();
        for value in [0.4, 0.3, 0.0, -0.5, -0.2] {
            archive.offer(&game(&[1.0, value]), 2);
        }
        let mut regrets: Vec<f32> = archive.restarts.iter().map(|restart| restart.regret).collect();
        regrets.sort_by(f32::total_cmp);
        assert_eq!(regrets, [1.2, 1.5]);
    }
}
