//! The finished games of a match by index, and the running score.

use engine::Color;

use crate::report::Tally;
use crate::{MatchError, MatchGame, PLAYERS, Pentanomial, Sprt, Verdict};

/// The progress of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// Number of games finished.
    pub games: usize,
    /// Total number of games.
    pub of: usize,
    /// The first player's results in the complete pairs.
    pub tally: Tally,
    /// The pairs before the first incomplete one. A sequential test must use these: pairs of short
    /// games are completed first, and short games are not representative.
    pub in_order: Pentanomial,
    /// The index of the game that has just ended, and the game.
    pub last: (usize, &'a MatchGame),
}

/// The finished games of a match, which may arrive in any order.
#[derive(Debug, Clone)]
pub struct Table {
    games: Vec<Option<MatchGame>>,
    names: [String; PLAYERS],
    finished: usize,
    tally: Tally,
    test: Option<Sprt>,
    in_order: Pentanomial,
    pairs_in_order: usize,
    is_decided: bool,
}

impl Table {
    /// The table of a match with this many pairs before its first game, in which the first player
    /// is Black.
    pub(crate) fn new(names: [String; PLAYERS], pairs: usize, test: Option<Sprt>) -> Table {
        Table {
            games: vec![None; PLAYERS * pairs],
            names,
            finished: 0,
            tally: Tally::default(),
            test,
            in_order: Pentanomial::default(),
            pairs_in_order: 0,
            is_decided: false,
        }
    }

    /// Adds a finished game, unless it is already there.
    ///
    /// # Errors
    /// The game does not belong to this match.
    pub fn enter(&mut self, index: usize, game: MatchGame) -> Result<(), MatchError> {
        let mut names = self.names.clone();
        names.rotate_left(index % PLAYERS);
        let free = self.games.get_mut(index).filter(|_| game.players == names);
        let free = free.ok_or(MatchError::Foreign(index))?;
        if free.is_some() {
            return Ok(());
        }
        *free = Some(game);
        self.finished += 1;
        if let Some([as_black, as_white]) = self.half_points(index / PLAYERS) {
            self.tally.add(as_black, as_white);
        }
        while !self.is_decided
            && let Some([as_black, as_white]) = self.half_points(self.pairs_in_order)
        {
            self.in_order.add(as_black + as_white);
            self.pairs_in_order += 1;
            self.is_decided =
                self.test.is_some_and(|test| test.verdict(&self.in_order) != Verdict::Undecided);
        }
        Ok(())
    }

    /// Whether the match's test has reached a verdict. It is applied after each pair in order, so
    /// neither the order in which games end nor the number of simultaneous games makes a
    /// difference.
    pub fn is_decided(&self) -> bool {
        self.is_decided
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

    /// The indices of the games still to be played.
    pub(crate) fn missing(&self) -> Vec<usize> {
        (0..self.games.len()).filter(|&index| self.games[index].is_none()).collect()
    }

    /// The progress of the match after the game with this index.
    pub fn progress(&self, index: usize) -> Option<Progress<'_>> {
        Some(Progress {
            games: self.finished,
            of: self.games.len(),
            tally: self.tally,
            in_order: self.in_order,
            last: (index, self.games.get(index)?.as_ref()?),
        })
    }

    /// The games of the complete pairs; once the test is decided, only those that it has used.
    pub(crate) fn complete_pairs(self) -> Vec<MatchGame> {
        let pairs = if self.is_decided { self.pairs_in_order } else { usize::MAX };
        let mut games = self.games.into_iter().take(pairs.saturating_mul(PLAYERS));
        let mut complete = Vec::new();
        while let (Some(first), Some(second)) = (games.next(), games.next()) {
            if let (Some(first), Some(second)) = (first, second) {
                complete.extend([first, second]);
            }
        }
        complete
    }
}
