//! The finished games of a match by number, and the running score.

use engine::Color;

use crate::report::Tally;
use crate::{MatchGame, PLAYERS, Pentanomial};

/// The progress of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// Games finished.
    pub games: usize,
    /// Total number of games.
    pub of: usize,
    /// The first player's results in the complete pairs.
    pub tally: Tally,
    /// The pairs before the first incomplete one. A sequential test must use these: among all
    /// complete pairs short games come first, and short games are not representative.
    pub in_order: Pentanomial,
    /// The number of the game that has just ended, and the game.
    pub last: (usize, &'a MatchGame),
}

pub(crate) struct Table {
    games: Vec<Option<MatchGame>>,
    finished: usize,
    tally: Tally,
    in_order: Pentanomial,
    pairs_in_order: usize,
}

impl Table {
    pub(crate) fn new(games: usize) -> Table {
        Table {
            games: vec![None; games],
            finished: 0,
            tally: Tally::default(),
            in_order: Pentanomial::default(),
            pairs_in_order: 0,
        }
    }

    /// Adds a finished game, unless it is already there.
    pub(crate) fn enter(&mut self, index: usize, game: MatchGame) {
        if self.games[index].is_some() {
            return;
        }
        self.games[index] = Some(game);
        self.finished += 1;
        if let Some([as_black, as_white]) = self.half_points(index / PLAYERS) {
            self.tally.add(as_black, as_white);
        }
        while let Some([as_black, as_white]) = self.half_points(self.pairs_in_order) {
            self.in_order.add(as_black + as_white);
            self.pairs_in_order += 1;
        }
    }

    /// The first player's half points in the two games of a complete pair.
    fn half_points(&self, pair: usize) -> Option<[usize; PLAYERS]> {
        match self.games.get(PLAYERS * pair..PLAYERS * (pair + 1))? {
            [Some(as_black), Some(as_white)] => {
                Some([as_black.half_points(Color::Black), as_white.half_points(Color::White)])
            }
            _ => None,
        }
    }

    /// The numbers of the games still to be played.
    pub(crate) fn missing(&self) -> Vec<usize> {
        (0..self.games.len()).filter(|&index| self.games[index].is_none()).collect()
    }

    /// The progress of the match after the game of this number.
    pub(crate) fn progress(&self, index: usize) -> Option<Progress<'_>> {
        Some(Progress {
            games: self.finished,
            of: self.games.len(),
            tally: self.tally,
            in_order: self.in_order,
            last: (index, self.games.get(index)?.as_ref()?),
        })
    }

    pub(crate) fn complete_pairs(self) -> Vec<MatchGame> {
        let mut games = self.games.into_iter();
        let mut complete = Vec::new();
        while let (Some(first), Some(second)) = (games.next(), games.next()) {
            if let (Some(first), Some(second)) = (first, second) {
                complete.extend([first, second]);
            }
        }
        complete
    }
}
