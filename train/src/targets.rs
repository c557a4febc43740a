//! The training targets of a finished game's positions.

use engine::{
    Bitboard, Color, Encoding, GameResult, Move, Position, Reason, Size, Symmetry, actions, plane,
};
use models::{FUTURES, HORIZONS, Head, PLIES_CLASSES, PerHead, TrainingSample};
use search::winrate;
use selfplay::{RecordError, TrainingRecord};

/// Horizons of the short-term values, as fractions of the area: a value is weighted 1/e after 1 +
/// area · fraction turns. These are KataGo's.
const HORIZON_SHARES: [f32; HORIZONS] = [0.176, 0.056, 0.016];

/// How many turns ahead the stones are predicted.
const FUTURE_PLIES: [usize; FUTURES] = [8, 32];

/// Horizon in turns within which the variant's own rules are predicted to matter.
const RULE_PLIES: usize = 8;

/// The planes that are empty where the variant's own rules do not matter.
const RULE_PLANES: [usize; 8] = [
    plane::BANNED,
    plane::WINNING,
    plane::NEEDS_TILE,
    plane::OWN_HOT,
    plane::OPPONENT_HOT,
    plane::OWN_OWNED,
    plane::OPPONENT_OWNED,
    plane::LOSING,
];

/// Whether a game is held out from learning; determined by its seed.
pub(crate) fn is_held_out(record: &TrainingRecord, share: f32) -> bool {
    ((record.seed >> 32) as f64) < f64::from(share) * 2f64.powi(32)
}

/// Turns between the stored positions of a game. Replaying it from the first move would take half
/// of the work for a sample, and nine tenths under the hot-stone rule; storing these makes a window
/// take 1.5 times the memory.
const KEPT: usize = 8;

/// A finished game with random access: every position is at most a few turns after a stored one.
pub struct FinishedGame {
    pub(crate) record: TrainingRecord,
    /// Every [`KEPT`]th position, beginning with the first.
    kept: Vec<Position>,
    pub(crate) end: Position,
    /// Whether the variant's own rules mattered in each turn.
    binds: Vec<bool>,
    /// Whether there was a choice between tied regions in each turn. Which one is settled first by a
    /// plain move depends on the board's orientation, so such moves must not be turned with it.
    ties: Vec<bool>,
}

impl FinishedGame {
    /// Replays the record, checking every rule and every target.
    ///
    /// # Errors
    /// It is not a game of its rules, or its search data or result is impossible.
    pub fn new(record: TrainingRecord) -> Result<FinishedGame, RecordError> {
        let turns = record.turns.len();
        let (mut kept, mut binds) = (Vec::new(), Vec::with_capacity(turns));
        let mut ties = Vec::with_capacity(turns);
        let end = record.replay_with(|turn, position| {
            let encoding = Encoding::of(position);
            if binds.len().is_multiple_of(KEPT) {
                kept.push(position.clone());
            }
            binds.push(RULE_PLANES.iter().any(|&plane| !encoding.planes[plane].is_empty()));
            ties.push(!encoding.planes[plane::STARRED].is_empty());
            turn.check(&encoding.legal_moves(), record.size)
        })?;
        record.check_end(&end)?;
        Ok(FinishedGame { record, kept, end, binds, ties })
    }

    /// The position before a turn, or the last position.
    fn position(&self, turn: usize) -> Position {
        if turn >= self.record.turns.len() {
            return self.end.clone();
        }
        let mut position = self.kept[turn / KEPT].clone();
        for earlier in turn - turn % KEPT..turn {
            if let Ok(played) = self.record.played(earlier) {
                // The game was checked move by move when it was taken in.
                position.play_unchecked(played);
            }
        }
        position
    }

    /// The training sample for a turn, from the perspective of the player to move.
    pub fn sample(&self, turn: usize, symmetry: Symmetry) -> TrainingSample {
        let position = self.position(turn);
        let size = position.size();
        let mut legal = vec![false; actions(size)];
        let symmetry = if self.ties[turn] { Symmetry::IDENTITY } else { symmetry };
        for possible in position.legal_moves() {
            legal[symmetry.map_move(possible, size).action(size)] = true;
        }
        let targets = PerHead::new(|head| self.target(head, turn, &position, symmetry));
        TrainingSample {
            encoding: Encoding::of(&position).transformed(symmetry, size),
            policy: self.policy(turn, symmetry),
            legal,
            targets,
        }
    }

    /// The target of a head for the position before a turn; empty if unknown.
    fn target(&self, head: Head, turn: usize, position: &Position, symmetry: Symmetry) -> Vec<f32> {
        let (mover, size) = (position.turn(), position.size());
        match head {
            Head::Value => match self.record.result_of(turn) {
                GameResult::Won(winner) if winner == mover => vec![1.0, 0.0, 0.0],
                GameResult::Draw => vec![0.0, 1.0, 0.0],
                GameResult::Won(_) => vec![0.0, 0.0, 1.0],
            },
            Head::Occupancy => {
                let classes = classes(self.end.ownership(), mover, symmetry, size);
                classes.into_iter().map(f32::from).collect()
            }
            // Derived from the policy target.
            Head::SoftPolicy => Vec::new(),
            Head::Reply if self.has_reply(turn, symmetry) => self.policy(turn + 1, symmetry),
            Head::Reply => Vec::new(),
            Head::ShortTerm => self.short_term(turn).map(|value| winrate(value, mover)).to_vec(),
            Head::Margin => {
                black_margin(&self.end).map(|margin| mover.sign() * margin).into_iter().collect()
            }
            Head::Plies => one_hot([plies_class(self.record.turns.len() - turn)], PLIES_CLASSES),
            Head::Future => {
                let futures = FUTURE_PLIES.map(|plies| {
                    let later = self.position(turn + plies);
                    let stones = Color::BOTH.map(|color| *later.stones(color));
                    classes(stones, mover, symmetry, size)
                });
                let of_point = |point| futures.each_ref().map(|classes| classes[point]);
                one_hot((0..size.area()).flat_map(of_point), 3)
            }
            Head::RuleBinds => {
                let binds = self.binds[turn..].iter().take(RULE_PLIES).any(|&binds| binds);
                vec![f32::from(u8::from(binds))]
            }
        }
    }

    /// Whether the policy target of the turn after this one can be learnt under a symmetry of this
    /// one's position.
    fn has_reply(&self, turn: usize, symmetry: Symmetry) -> bool {
        let is_searched = self.record.turns.get(turn + 1).is_some_and(|it| !it.target.is_empty());
        is_searched && (symmetry == Symmetry::IDENTITY || !self.ties[turn + 1])
    }

    /// The recorded policy target of a turn, over all actions.
    fn policy(&self, turn: usize, symmetry: Symmetry) -> Vec<f32> {
        let size = self.record.size;
        let mut policy = vec![0.0; actions(size)];
        for &(action, weight) in &self.record.turns[turn].target {
            if let Some(target) = Move::from_action(action.into(), size) {
                policy[symmetry.map_move(target, size).action(size)] = f32::from(weight) / 65535.0;
            }
        }
        let total: f32 = policy.iter().sum();
        policy.iter_mut().for_each(|weight| *weight /= total);
        policy
    }

    /// Black's expected results over three horizons: exponentially weighted means of the searched
    /// values from this turn on, ending with the game's result (KataGo's "td-values").
    fn short_term(&self, turn: usize) -> [f32; HORIZONS] {
        let area = self.record.size.area() as f32;
        let result = self.record.result.black_value();
        HORIZON_SHARES.map(|share| {
            let now = 1.0 / (1.0 + area * share);
            let later = self.record.turns[turn..].iter().rev();
            later.fold(result, |value, turn| value + now * (turn.root_value - value))
        })
    }
}

/// One row per entry, with all probability on its class.
fn one_hot(rows: impl IntoIterator<Item = u8>, classes: usize) -> Vec<f32> {
    let mut numbers = Vec::new();
    for class in rows {
        numbers.resize(numbers.len() + classes, 0.0);
        let row = numbers.len() - classes;
        numbers[row + usize::from(class)] = 1.0;
    }
    numbers
}

/// The class of a number of turns to the end.
fn plies_class(plies: usize) -> u8 {
    (plies.max(1).ilog2() as u8).min(PLIES_CLASSES as u8 - 1)
}

/// The class of each point for the player to move, given each colour's points.
fn classes(of_colors: [Bitboard; 2], mover: Color, symmetry: Symmetry, size: Size) -> Vec<u8> {
    let mut classes = vec![TrainingSample::NEITHER; size.area()];
    for (set, owner) in of_colors.into_iter().zip(Color::BOTH) {
        let class = if owner == mover { TrainingSample::MINE } else { TrainingSample::THEIRS };
        for point in symmetry.map_board(&set, size).iter() {
            classes[point.index(size)] = class;
        }
    }
    classes
}

/// Black's margin of victory as a fraction of the board's area, −1 to 1.
///
/// Where the rules have a score, it is the score, and a game that was not decided by it has no
/// margin. Otherwise it is what the winner has left to play: prisoners where the loser had none to
/// return, and empty points elsewhere. In a draw nobody has won anything.
fn black_margin(end: &Position) -> Option<f32> {
    let outcome = end.outcome()?;
    let area = end.size().area() as f32;
    let points = if end.rules().has_score() {
        end.score().filter(|_| outcome.reason.is_by_score())?
    } else if end.rules().returns_prisoners() && outcome.reason == Reason::NoMove {
        f32::from(end.prisoners(Color::Black)) - f32::from(end.prisoners(Color::White))
    } else {
        outcome.result.black_value() * end.empty().count() as f32
    };
    Some((points / area).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests;
