//! The evidence for a result, and the history of the current path against which it is checked.

use engine::{Color, HistoryDependence, Move};

use crate::state::{Key, Limits, Node, Points, Stones};

/// Number of classes into which earlier positions are grouped, by the number of black stones, of
/// white stones, and a few bits of the stones themselves.
const CLASSES: usize = 512;
const WORDS: usize = CLASSES / 64;

/// A set of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Classes([u64; WORDS]);

impl Classes {
    pub(super) fn insert(&mut self, class: usize) {
        self.0[class / 64] |= 1 << (class % 64);
    }

    fn remove(&mut self, class: usize) {
        self.0[class / 64] &= !(1 << (class % 64));
    }

    fn unite(&mut self, other: &Classes) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    fn common(&self, other: &Classes) -> impl Iterator<Item = usize> {
        let both: [u64; WORDS] = std::array::from_fn(|word| self.0[word] & other.0[word]);
        both.into_iter().enumerate().flat_map(|(index, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(64 * index + bit)
            })
        })
    }
}

/// What a proof depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Evidence {
    /// Number of turns in its longest line.
    pub(super) height: u16,
    /// Whether the move limit ended some line.
    pub(super) limit: bool,
    /// Whether the order of the plays may have mattered.
    pub(super) plays: bool,
    /// Points where it mattered that a colour had never had a stone, one bit each.
    pub(super) fresh: [Points; 2],
    /// Classes of the positions compared with the history.
    pub(super) compared: Classes,
}

impl Evidence {
    /// The evidence as seen one turn earlier.
    pub(super) fn after_a_turn(mut self) -> Evidence {
        self.height += 1;
        self
    }

    /// The union of both.
    pub(super) fn join(&mut self, other: &Evidence) {
        self.height = self.height.max(other.height);
        self.limit |= other.limit;
        self.plays |= other.plays;
        self.fresh.iter_mut().zip(other.fresh).for_each(|(points, other)| *points |= other);
        self.compared.unite(&other.compared);
    }
}

/// The history of the current node, as far as the rules depend on it.
#[derive(Debug)]
pub(super) struct Path {
    history: HistoryDependence,
    points: i32,
    /// One entry per turn: the class and the key of the position that it added, if any.
    turns: Vec<Option<(usize, u128)>>,
    /// The sum of the keys in each class, and the classes that are not empty.
    sums: Vec<u128>,
    counts: Vec<u16>,
    occupied: Classes,
    /// A key of the plays in order, after each turn.
    plays: Vec<u128>,
    /// Where each colour has had a stone, after each turn.
    ever_occupied: Vec<[Points; 2]>,
}

impl Path {
    pub(super) fn new(limits: &Limits) -> Path {
        Path {
            history: limits.history,
            points: limits.points,
            turns: Vec::new(),
            sums: vec![0; CLASSES],
            counts: vec![0; CLASSES],
            occupied: Classes::default(),
            plays: vec![0],
            ever_occupied: vec![[0; 2]],
        }
    }

    /// The start counts as a position for superko and for repetition counts, and is neither
    /// player's turn.
    pub(super) fn enter_start(&mut self, node: &Node) {
        match self.history {
            HistoryDependence::Nothing => {}
            HistoryDependence::Plays => self.ever_occupied = vec![node.ever_occupied],
            HistoryDependence::Stones | HistoryDependence::Counts => self.add(node.stones, 0),
            HistoryDependence::StonesAndMover => {
                // Situational superko compares with the start; draws by repetition do not.
                if !node.position.rules().draws_by_repetition() {
                    self.add(node.stones, mover(node));
                }
            }
        }
    }

    /// Advances to `node` by `played`.
    pub(super) fn enter(&mut self, node: &Node, played: Move) {
        match (self.history, played) {
            (HistoryDependence::Nothing, _) | (HistoryDependence::Counts, Move::Pass) => {
                self.turns.push(None)
            }
            (HistoryDependence::Stones | HistoryDependence::Counts, _) => self.add(node.stones, 0),
            (HistoryDependence::StonesAndMover, _) => self.add(node.stones, mover(node)),
            (HistoryDependence::Plays, _) => self.add_play(node, played),
        }
    }

    fn add_play(&mut self, node: &Node, played: Move) {
        self.turns.push(None);
        let before = self.plays.last().copied().unwrap_or_default();
        let after = played.point().map_or(before, |point| {
            let mut key = Key::new(before as u64);
            key.add((before >> 64) as u64);
            key.add(2 * point.index(node.position.size()) as u64 + mover(node));
            key.finish()
        });
        self.plays.push(after);
        self.ever_occupied.push(node.ever_occupied);
    }

    fn add(&mut self, stones: Stones, mover: u64) {
        let class = self.class(stones, mover);
        let key = element(stones, mover);
        // A position that occurs twice is no more forbidden than one that occurs once; only Alter
        // Igo counts occurrences.
        let known = self.history != HistoryDependence::Counts
            && self.turns.iter().flatten().any(|&(_, other)| other == key);
        self.turns.push((!known).then_some((class, key)));
        if !known {
            self.sums[class] = self.sums[class].wrapping_add(key);
            self.counts[class] += 1;
            self.occupied.insert(class);
        }
    }

    /// Undoes one turn.
    pub(super) fn leave(&mut self) {
        if let Some(Some((class, key))) = self.turns.pop() {
            self.sums[class] = self.sums[class].wrapping_sub(key);
            self.counts[class] -= 1;
            if self.counts[class] == 0 {
                self.occupied.remove(class);
            }
        }
        if self.history == HistoryDependence::Plays {
            self.plays.pop();
            self.ever_occupied.pop();
        }
    }

    /// The part of this history on which a result with this evidence depends.
    pub(super) fn fingerprint(&self, evidence: &Evidence) -> u128 {
        let positions = self
            .occupied
            .common(&evidence.compared)
            .fold(0_u128, |sum, class| sum.wrapping_add(self.sums[class]));
        let plays = if evidence.plays { self.plays.last().copied().unwrap_or_default() } else { 0 };
        let [black, white] = self.ever_occupied.last().copied().unwrap_or_default();
        let [no_black, no_white] = evidence.fresh;
        let stale = u128::from(black & no_black) | u128::from(white & no_white) << Points::BITS;
        positions.wrapping_add(plays).wrapping_add(stale)
    }

    /// Records that the rules compare the node after `played` with the history.
    pub(super) fn compare(&self, node: &Node, played: Move, evidence: &mut Evidence) {
        let mover = match (self.history, played) {
            (HistoryDependence::Nothing | HistoryDependence::Plays, _) | (_, Move::Pass) => return,
            (HistoryDependence::Stones | HistoryDependence::Counts, _) => 0,
            (HistoryDependence::StonesAndMover, _) => mover(node),
        };
        evidence.compared.insert(self.class(node.stones, mover));
    }

    fn class(&self, stones: Stones, mover: u64) -> usize {
        const BLACK: u64 = 0x5555_5555_5555_5555;
        let black = (stones & BLACK).count_ones() as usize;
        let white = (stones & !BLACK).count_ones() as usize;
        let side = self.points as usize + 1;
        // The index of (black, white) with black + white ≤ points, row by row of a triangle.
        let pair = black * side - black * black.saturating_sub(1) / 2 + white;
        let pairs = side * (side + 1) / 2;
        let each = (CLASSES / pairs).max(1);
        let part = (element(stones, mover) % each as u128) as usize;
        (pair * each + part) % CLASSES
    }
}

/// The player who has just moved.
fn mover(node: &Node) -> u64 {
    match node.position.turn() {
        Color::Black => 1,
        Color::White => 0,
    }
}

fn element(stones: Stones, mover: u64) -> u128 {
    let mut key = Key::new(stones);
    key.add(mover);
    key.finish()
}
