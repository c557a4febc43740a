//! A position with the solver's additional state, and a key of everything except the history.

use engine::hash::mix;
use engine::{
    Bitboard, Color, GameResult, HistoryDependence, IllegalMove, Move, Point, Position, Rules, Size,
};

/// The stones of a board of up to 5×5, with two bits per point.
pub(super) type Stones = u64;

/// Points of such a board, one bit each.
pub(super) type Points = u32;

/// Constants of a rule set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) history: HistoryDependence,
    /// No game has a lower value for Black than this, in half points; the next field is the upper
    /// bound.
    pub(super) lowest: i32,
    pub(super) highest: i32,
    /// Whether stones that can never be captured bound the score: there is a score, passing is
    /// free, and no turn ends the game in a draw.
    pub(super) life_counts: bool,
    /// Whether every game ends with a score, which is a whole number before komi.
    pub(super) scores_only: bool,
    /// Whether a repeated position ends the game, instead of being forbidden.
    pub(super) draws: bool,
    pub(super) max_moves: usize,
    /// In half points.
    pub(super) komi: i32,
    pub(super) points: i32,
}

impl Limits {
    pub(super) fn of(rules: &Rules) -> Limits {
        let points = rules.size.area() as i32;
        let komi = (rules.komi.value() * 2.0) as i32;
        let draws = rules.draws_by_repetition();
        let (mut lowest, mut highest) =
            if rules.has_score() { (-2 * points - komi, 2 * points - komi) } else { (-1, 1) };
        if draws {
            (lowest, highest) = (lowest.min(0), highest.max(0));
        }
        // A game decided by captures is a win without a score: half a point, the least of all wins.
        let may_end_by_captures = rules.has_capture_goal();
        if may_end_by_captures {
            (lowest, highest) = (lowest.min(-1), highest.max(1));
        }
        Limits {
            history: rules.history_dependence(),
            lowest,
            highest,
            life_counts: rules.is_scored_by_area() && !draws && !may_end_by_captures,
            scores_only: rules.has_score() && !draws && !may_end_by_captures,
            draws,
            max_moves: rules.max_moves.into(),
            komi,
            points,
        }
    }
}

/// A position on a path.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) position: Position,
    pub(super) stones: Stones,
    /// Where each colour has ever had a stone; the hot-stone rules check this first.
    pub(super) ever_occupied: [Points; 2],
    /// Passes that White has made.
    white_passes: u16,
}

impl Node {
    pub(super) fn start(position: Position) -> Node {
        let ever_occupied = Color::BOTH.map(|color| {
            position.stones(color).iter().fold(0, |set, point| set | bit(point, position.size()))
        });
        Node { stones: stones(&position), position, ever_occupied, white_passes: 0 }
    }

    /// The node after a move, which may be one that only the history forbids.
    pub(super) fn after(&self, played: Move) -> Node {
        let mover = self.position.turn();
        let mut position = self.position.clone();
        position.play_unchecked(played);
        let mut ever_occupied = self.ever_occupied;
        ever_occupied[mover.index()] |=
            played.point().map_or(0, |point| bit(point, position.size()));
        // The number of White's passes matters under rules that limit them. With hot stones it does
        // not, but positions have so many histories there that distinguishing some of them halves
        // the work.
        let rules = position.rules();
        let counts = rules.history_dependence() == HistoryDependence::Counts
            || rules.history_dependence() == HistoryDependence::Plays;
        let passed = u16::from(counts && played == Move::Pass && mover == Color::White);
        Node {
            stones: stones(&position),
            position,
            ever_occupied,
            white_passes: self.white_passes + passed,
        }
    }

    /// The value of a finished game in half points.
    pub(super) fn result(&self) -> Option<i32> {
        result(&self.position)
    }

    /// Whether a placement is forbidden because of earlier turns.
    pub(super) fn bans_odd_cycle(&self) -> bool {
        let position = &self.position;
        position.empty().without(&position.legal_points()).iter().any(|point| {
            matches!(position.check_move(Move::Place(point)), Err(IllegalMove::OddCycle))
        })
    }

    /// A key of everything except the history that decides how the game continues.
    ///
    /// Bans that depend only on the last turn affect only which moves are legal now, so the legal
    /// points represent them.
    pub(super) fn key(&self, limits: &Limits) -> u128 {
        let position = &self.position;
        let rules = position.rules();
        let mut key = Key::new(self.stones);
        key.add(
            position.turn().index() as u64
                | u64::from(position.passes()) << 1
                | position.last_incursion().map_or(0, |incursion| 1 + u64::from(incursion)) << 4
                | u64::from(self.white_passes) << 8,
        );
        match limits.history {
            HistoryDependence::Nothing => key.add_set(&position.legal_points()),
            // Which repetition rule applies decides whether legal points say something that the
            // stones do not; the ban by the last turn does under each of them.
            HistoryDependence::StonesAndMover => key.add_set(&position.legal_points()),
            HistoryDependence::Stones | HistoryDependence::Counts => {
                key.add(u64::from(position.is_ban_in_force()))
            }
            HistoryDependence::Plays => {
                key.add_set(&position.hot_stones());
                key.add(u64::from(position.is_ban_in_force()));
            }
        }
        if rules.returns_prisoners() {
            Color::BOTH.iter().for_each(|&color| key.add(position.prisoners(color).into()));
        }
        if rules.has_capture_goal() {
            Color::BOTH.iter().for_each(|&color| key.add(position.taken(color).into()));
        }
        if rules.has_several_stones_a_turn() {
            key.add(u64::from(position.placements_left()) << 1 | u64::from(position.is_mid_turn()));
        }
        if rules.has_tiles() {
            rules.size.points().for_each(|point| key.add(position.tiles(point).into()));
        }
        key.add_owners(position);
        key.finish()
    }
}

/// The value of a finished game in half points.
pub(super) fn result(position: &Position) -> Option<i32> {
    let outcome = position.outcome()?;
    let sign = outcome.result.black_value() as i32;
    // A draw by repetition has no score, although an even score is also 0.
    Some(match (position.score(), outcome.result) {
        (Some(score), GameResult::Won(_)) => (2.0 * score) as i32,
        (Some(_) | None, GameResult::Won(_) | GameResult::Draw) => sign,
    })
}

pub(super) fn bit(point: Point, size: Size) -> Points {
    1 << point.index(size)
}

pub(super) fn stones(position: &Position) -> Stones {
    let size = position.size();
    let bits = |color: Color| {
        position
            .stones(color)
            .iter()
            .fold(0, |bits, point| bits | (1 + color.index() as u64) << (2 * point.index(size)))
    };
    bits(Color::Black) | bits(Color::White)
}

/// Two independent 64-bit hashes: equal for different states with a probability of 2⁻¹²⁸.
pub(super) struct Key([u64; 2]);

impl Key {
    pub(super) fn new(word: u64) -> Key {
        let mut key = Key([0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344]);
        key.add(word);
        key
    }

    pub(super) fn add(&mut self, word: u64) {
        let [first, second] = &mut self.0;
        *first = mix(*first ^ word);
        *second =
            mix(second.rotate_left(17).wrapping_add(word.wrapping_mul(0xd6e8_feb8_6659_fd93)));
    }

    pub(super) fn add_set(&mut self, set: &Bitboard) {
        // A board of 5×5 fits into the first two words.
        set.words().iter().take(2).for_each(|&word| self.add(word));
    }

    /// Adds who owns which points, if the rules have owners.
    pub(super) fn add_owners(&mut self, position: &Position) {
        let rules = position.rules();
        if rules.has_owners() {
            Color::BOTH.iter().for_each(|&color| self.add_set(position.owned(color)));
            // Which quadrants stones in the middle of an edge are fixed to is not visible; only odd
            // sides have such points.
            if rules.size.width() % 2 == 1 || rules.size.height() % 2 == 1 {
                self.add(position.hash());
            }
        }
    }

    pub(super) fn finish(self) -> u128 {
        u128::from(self.0[0]) << 64 | u128::from(self.0[1])
    }
}
