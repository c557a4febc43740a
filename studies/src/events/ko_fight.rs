//! Ko fights.

use engine::{Color, IllegalMove, KoRule, Move, Point, Position, Rules};

use super::turn::Turn;

/// Maximum number of turns from one capture of a fight to the next: a threat, its answer, and the
/// capture.
const MAX_GAP: usize = 3;

/// A fight over one or more kos.
///
/// A *ko capture* is a placement that takes a single stone in such a way that the simple ko rule
/// would forbid recapturing at once; its *ko* consists of the point of the stone and that of the
/// stone taken. A ko capture follows another if it comes at most three turns later (with a threat
/// and an answer between them) and either recaptures in a ko of the fight, or takes another ko
/// while the last one could still be recaptured. A *ko fight* is a maximal chain of ko captures
/// that follow each other, at least one of which is a recapture. It does not depend on which
/// repetition rule is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KoFight {
    /// Turns before its first capture.
    pub first: usize,
    /// Turns before its last capture.
    pub last: usize,
    /// Its captures.
    pub captures: usize,
    /// Number of placements right after one capture and two turns before the next.
    pub threats: usize,
    /// Number of turns right after and between its captures in which a ban beyond capture and
    /// suicide forbids a point.
    pub banned: usize,
}

impl KoFight {
    /// Turns from the first capture to the last, both included.
    pub fn turns(&self) -> usize {
        self.last - self.first + 1
    }
}

/// A stone, and the point of the stone that it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KoCapture {
    placed: Point,
    taken: Point,
}

impl KoCapture {
    fn of(turn: &Turn<'_>) -> Option<KoCapture> {
        let placed = turn.played.point()?;
        let taken = ko_shape(turn.before, turn.before.turn(), placed)?;
        Some(KoCapture { placed, taken })
    }

    fn is_same_ko(self, other: KoCapture) -> bool {
        self == other || self == KoCapture { placed: other.taken, taken: other.placed }
    }

    /// Whether the capturing stone could be recaptured if it were the other player's turn.
    fn is_open(self, position: &Position) -> bool {
        let owner =
            Color::BOTH.into_iter().find(|&color| position.stones(color).contains(self.placed));
        owner.is_some_and(|owner| {
            ko_shape(position, owner.opponent(), self.taken) == Some(self.placed)
        })
    }
}

/// The point of the stone that a placement by this player takes, if it has the shape of a simple
/// ko: it takes nothing else, and simple ko would forbid recapturing at once. No other rule is
/// considered.
pub(crate) fn ko_shape(position: &Position, player: Color, point: Point) -> Option<Point> {
    let [black, white] = Color::BOTH.map(|color| *position.stones(color));
    let rules = Rules::plain_go(position.size(), KoRule::Simple, false);
    let mut plain = Position::with_stones(rules, black, white, player).ok()?;
    plain.play(Move::Place(point)).ok()?;
    let other = player.opponent();
    let taken = position.stones(other).without(plain.stones(other)).single()?;
    (plain.check_move(Move::Place(taken)) == Err(IllegalMove::Ko)).then_some(taken)
}

/// A chain of ko captures that may become a fight.
struct Chain {
    fight: KoFight,
    captures: Vec<KoCapture>,
    is_fight: bool,
}

impl Chain {
    fn new(turn: usize, capture: KoCapture) -> Chain {
        let fight = KoFight { first: turn, last: turn, captures: 1, threats: 0, banned: 0 };
        Chain { fight, captures: vec![capture], is_fight: false }
    }

    /// Adds a capture that follows the chain; `false` if it does not follow.
    fn goes_on(&mut self, turn: &Turn<'_>, capture: KoCapture, after_last: Option<Move>) -> bool {
        let gap = turn.number - self.fight.last;
        let takes_back = self.captures.iter().any(|known| known.is_same_ko(capture));
        let is_open = || self.captures.last().is_some_and(|last| last.is_open(turn.before));
        if gap > MAX_GAP || !(takes_back || is_open()) {
            return false;
        }
        let is_threat = gap == MAX_GAP && after_last.is_some_and(|move_| move_ != Move::Pass);
        self.fight.threats += usize::from(is_threat);
        self.fight.captures += 1;
        self.fight.last = turn.number;
        self.is_fight |= takes_back;
        self.captures.push(capture);
        true
    }
}

/// The ko fights of a game; `is_banned` says whether a ban forbids a point in a turn.
pub(super) fn ko_fights<'a>(
    turns: impl Iterator<Item = Turn<'a>>,
    moves: &[Move],
    is_banned: impl Fn(usize) -> bool,
) -> Vec<KoFight> {
    let mut chains: Vec<Chain> = Vec::new();
    for turn in turns.filter(takes_one_stone) {
        let Some(capture) = KoCapture::of(&turn) else { continue };
        let goes_on = chains.last_mut().is_some_and(|chain| {
            let after_last = moves.get(chain.fight.last + 1).copied();
            chain.goes_on(&turn, capture, after_last)
        });
        if !goes_on {
            chains.push(Chain::new(turn.number, capture));
        }
    }
    let banned = |fight: &KoFight| {
        (fight.first + 1..=fight.last + 1).filter(|&turn| is_banned(turn)).count()
    };
    let fights = chains.into_iter().filter(|chain| chain.is_fight).map(|chain| chain.fight);
    fights.map(|fight| KoFight { banned: banned(&fight), ..fight }).collect()
}

/// Whether a turn takes a single stone: a quick check before the exact one.
fn takes_one_stone(turn: &Turn<'_>) -> bool {
    let other = turn.before.turn().opponent();
    turn.before.stones(other).without(turn.after.stones(other)).single().is_some()
}
