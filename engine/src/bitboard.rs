//! Sets of points as words of bits.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

use crate::point::STRIDE;
use crate::{MAX_SIZE, Point, Size};

/// Words in a [`Bitboard`].
pub const WORDS: usize = (MAX_SIZE * STRIDE).div_ceil(64);

/// Words needed for up to nine rows. Most boards fit, at half the work.
const LOW_WORDS: usize = (9 * STRIDE).div_ceil(64);

/// The bits adjacent to those in `words`.
#[inline]
fn neighbours<const N: usize>(words: &[u64; N]) -> [u64; N] {
    std::array::from_fn(|i| {
        let below = if i > 0 { words[i - 1] } else { 0 };
        let above = if i + 1 < N { words[i + 1] } else { 0 };
        (words[i] << 1 | below >> 63)
            | (words[i] >> 1 | above << 63)
            | (words[i] << STRIDE | below >> (64 - STRIDE))
            | (words[i] >> STRIDE | above << (64 - STRIDE))
    })
}

/// Every bit of `within` connected through it to a bit in `filled`.
#[inline]
fn flood<const N: usize>(mut filled: [u64; N], within: &[u64; N]) -> [u64; N] {
    loop {
        let around = neighbours(&filled);
        let grown: [u64; N] = std::array::from_fn(|i| around[i] & within[i] & !filled[i]);
        if grown.iter().fold(0, |all, word| all | word) == 0 {
            return filled;
        }
        filled = std::array::from_fn(|i| filled[i] | grown[i]);
    }
}

/// The points of every board, by height and width.
static BOARDS: [[Bitboard; MAX_SIZE + 1]; MAX_SIZE + 1] = {
    let mut boards = [[Bitboard::EMPTY; MAX_SIZE + 1]; MAX_SIZE + 1];
    let mut height = 1;
    while height <= MAX_SIZE {
        let mut width = 1;
        while width <= MAX_SIZE {
            boards[height][width] = Bitboard::rectangle(width, height);
            width += 1;
        }
        height += 1;
    }
    boards
};

impl Size {
    /// All points of the board.
    pub fn board(self) -> Bitboard {
        BOARDS[self.height()][self.width()]
    }
}

/// A set of points. Point (row, column) is bit row · 20 + column, so that neighbours are shifts by
/// 1 and 20, and the unused twentieth column keeps rows apart.
///
/// ```
/// use engine::{Bitboard, Point, Size};
///
/// let stones: Bitboard = ["A1", "B1", "D4"].into_iter().map(str::parse).collect::<Result<_, _>>()?;
/// let corner: Point = "A1".parse()?;
/// let string = Bitboard::of(corner).flood(&stones);
/// assert_eq!(string.count(), 2);
/// let liberties = (string.neighbours() & Size::try_from(5)?.board()).without(&stones);
/// assert_eq!(liberties.iter().map(|point| point.to_string()).collect::<Vec<_>>(), ["C1", "A2", "B2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Eq, Hash, Default)]
#[allow(clippy::derived_hash_with_manual_eq)] // Equality is the derived one, only without a call of memcmp.
pub struct Bitboard([u64; WORDS]);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Bitboard = Bitboard([0; WORDS]);

    const fn rectangle(width: usize, height: usize) -> Bitboard {
        let row = (1_u64 << width) - 1;
        let mut words = [0; WORDS];
        let mut start = 0;
        while start < height * STRIDE {
            words[start / 64] |= row << (start % 64);
            if start % 64 + width > 64 {
                words[start / 64 + 1] |= row >> (64 - start % 64);
            }
            start += STRIDE;
        }
        Bitboard(words)
    }

    /// The set of one point.
    #[inline]
    pub const fn of(point: Point) -> Bitboard {
        let mut words = [0; WORDS];
        words[point.bit() / 64] = 1 << (point.bit() % 64);
        Bitboard(words)
    }

    /// The underlying words, lowest points first.
    pub const fn words(&self) -> &[u64; WORDS] {
        &self.0
    }

    /// Whether the set holds `point`.
    #[inline]
    pub const fn contains(&self, point: Point) -> bool {
        self.0[point.bit() / 64] >> (point.bit() % 64) & 1 == 1
    }

    /// Adds `point`.
    #[inline]
    pub fn insert(&mut self, point: Point) {
        self.0[point.bit() / 64] |= 1 << (point.bit() % 64);
    }

    /// Removes `point`.
    #[inline]
    pub fn remove(&mut self, point: Point) {
        self.0[point.bit() / 64] &= !(1 << (point.bit() % 64));
    }

    /// Whether the set has no point.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// Number of points.
    #[inline]
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set has fewer than two points.
    #[inline]
    pub(crate) fn has_at_most_one(&self) -> bool {
        let mut more = 0;
        let mut seen = 0;
        for word in self.0 {
            more |= word & word.wrapping_sub(1) | if seen == 0 { 0 } else { word };
            seen |= word;
        }
        more == 0
    }

    /// Whether the two sets intersect.
    #[inline]
    pub fn intersects(&self, other: &Bitboard) -> bool {
        !(*self & *other).is_empty()
    }

    /// The points of this set that are not in `other`.
    #[inline]
    pub fn without(&self, other: &Bitboard) -> Bitboard {
        Bitboard(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// The lowest point.
    #[inline]
    pub fn first(&self) -> Option<Point> {
        let index = self.0.iter().position(|&word| word != 0)?;
        Some(Point::from_bit(index * 64 + self.0[index].trailing_zeros() as usize))
    }

    /// The point with exactly `n` lower points in the set; `None` if there are not that many.
    #[inline]
    pub fn nth(&self, mut n: usize) -> Option<Point> {
        for (index, &word) in self.0.iter().enumerate() {
            let count = word.count_ones() as usize;
            if n < count {
                let rest = (0..n).fold(word, |word, _| word & (word - 1));
                return Some(Point::from_bit(index * 64 + rest.trailing_zeros() as usize));
            }
            n -= count;
        }
        None
    }

    /// The only point, if there is exactly one.
    #[inline]
    pub fn single(&self) -> Option<Point> {
        if self.has_at_most_one() { self.first() } else { None }
    }

    /// Every place adjacent to a point of the set, including places off the board: mask the result.
    #[inline]
    pub fn neighbours(&self) -> Bitboard {
        Bitboard(neighbours(&self.0))
    }

    /// The set shifted up and down by `distance` bits (1 or [`STRIDE`]): the first result holds the
    /// places whose lower neighbour is in the set, the second those whose higher neighbour is. Mask
    /// the results.
    #[inline]
    pub(crate) fn shifted(&self, distance: usize) -> [Bitboard; 2] {
        let w = &self.0;
        let up = std::array::from_fn(|i| {
            w[i] << distance | if i > 0 { w[i - 1] >> (64 - distance) } else { 0 }
        });
        let down = std::array::from_fn(|i| {
            w[i] >> distance | if i + 1 < WORDS { w[i + 1] << (64 - distance) } else { 0 }
        });
        [Bitboard(up), Bitboard(down)]
    }

    /// The set and every place adjacent to it in one of the eight directions. Mask the result.
    pub(crate) fn surroundings(&self) -> Bitboard {
        let [right, left] = self.shifted(1);
        let row = *self | right | left;
        let [above, below] = row.shifted(STRIDE);
        row | above | below
    }

    /// The places adjacent to at least one, two, three and four points of the set, including places
    /// off the board.
    pub(crate) fn next_to_counts(&self) -> [Bitboard; 4] {
        let [right, left] = self.shifted(1);
        let [above, below] = self.shifted(STRIDE);
        let (one_beside, two_beside) = (right | left, right & left);
        let (one_along, two_along) = (above | below, above & below);
        [
            one_beside | one_along,
            two_beside | two_along | (one_beside & one_along),
            (two_beside & one_along) | (one_beside & two_along),
            two_beside & two_along,
        ]
    }

    /// The places adjacent to at least `count` points of the set, including places off the board.
    pub(crate) fn next_to(&self, count: usize) -> Bitboard {
        match count.checked_sub(1) {
            None => !Bitboard::EMPTY,
            Some(index) => self.next_to_counts().get(index).copied().unwrap_or(Bitboard::EMPTY),
        }
    }

    /// The points of the set that come after `point`.
    pub(crate) fn above(&self, point: Point) -> Bitboard {
        let (word, bit) = (point.bit() / 64, point.bit() % 64);
        Bitboard(std::array::from_fn(|i| match i.cmp(&word) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => self.0[i] & (!1 << bit),
            std::cmp::Ordering::Greater => self.0[i],
        }))
    }

    /// Flood fill: all points of `within` connected inside `within` to a point of this set. Points
    /// of this set outside `within` are left out.
    #[inline]
    pub fn flood(&self, within: &Bitboard) -> Bitboard {
        if within.is_low() {
            self.flood_words::<LOW_WORDS>(within)
        } else {
            self.flood_words::<WORDS>(within)
        }
    }

    /// Whether all points are in the first [`LOW_WORDS`].
    #[inline]
    fn is_low(&self) -> bool {
        self.0[LOW_WORDS..].iter().fold(0, |all, word| all | word) == 0
    }

    /// [`Bitboard::flood`] restricted to the first `N` words.
    #[inline]
    fn flood_words<const N: usize>(&self, within: &Bitboard) -> Bitboard {
        let within: [u64; N] = within.low_words();
        let mut filled = self.low_words();
        (0..N).for_each(|i| filled[i] &= within[i]);
        Bitboard::of_words(&flood(filled, &within))
    }

    #[inline]
    fn low_words<const N: usize>(&self) -> [u64; N] {
        std::array::from_fn(|i| self.0[i])
    }

    #[inline]
    fn of_words<const N: usize>(words: &[u64; N]) -> Bitboard {
        Bitboard(std::array::from_fn(|i| if i < N { words[i] } else { 0 }))
    }

    /// Calls `with` for each string of these stones, with its number of liberties among the `empty`
    /// points.
    #[inline]
    pub(crate) fn count_liberties(&self, empty: &Bitboard, with: impl FnMut(Bitboard, u32)) {
        if self.is_low() && empty.is_low() {
            self.count_liberties_in::<LOW_WORDS>(empty, with);
        } else {
            self.count_liberties_in::<WORDS>(empty, with);
        }
    }

    #[inline]
    fn count_liberties_in<const N: usize>(
        &self,
        empty: &Bitboard,
        mut with: impl FnMut(Bitboard, u32),
    ) {
        let empty: [u64; N] = empty.low_words();
        let mut rest: [u64; N] = self.low_words();
        while let Some(word) = rest.iter().position(|&word| word != 0) {
            let mut first = [0; N];
            first[word] = rest[word] & rest[word].wrapping_neg();
            let string = flood(first, &rest);
            let around = neighbours(&string);
            let liberties = (0..N).map(|i| (around[i] & empty[i]).count_ones()).sum();
            with(Bitboard::of_words(&string), liberties);
            (0..N).for_each(|i| rest[i] &= !string[i]);
        }
    }

    /// Like [`Bitboard::flood`], but stops as soon as the fill reaches a point of `enough`.
    #[inline]
    pub(crate) fn flood_until(&self, within: &Bitboard, enough: &Bitboard) -> Bitboard {
        let mut filled = *self & *within;
        while !filled.intersects(enough) {
            let next = (filled | filled.neighbours()) & *within;
            if next.without(&filled).is_empty() {
                break;
            }
            filled = next;
        }
        filled
    }

    /// The connected parts of the set, lowest point first: the strings, if these are stones of one
    /// colour.
    pub fn strings(self) -> impl Iterator<Item = Bitboard> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let first = rest.first()?;
            let string = Bitboard::of(first).flood(&rest);
            rest = rest.without(&string);
            Some(string)
        })
    }

    /// The points in order.
    pub fn iter(&self) -> Points {
        Points { words: self.0, word: 0 }
    }
}

/// Iterates over the points of a [`Bitboard`] in order.
pub struct Points {
    words: [u64; WORDS],
    word: usize,
}

impl Iterator for Points {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        while self.word < WORDS {
            let word = self.words[self.word];
            if word != 0 {
                self.words[self.word] = word & (word - 1);
                return Some(Point::from_bit(self.word * 64 + word.trailing_zeros() as usize));
            }
            self.word += 1;
        }
        None
    }
}

impl FromIterator<Point> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        points.into_iter().for_each(|point| set.insert(point));
        set
    }
}

impl PartialEq for Bitboard {
    /// Comparing six words in registers is faster than memcmp, and flood fills compare constantly.
    #[inline]
    fn eq(&self, other: &Bitboard) -> bool {
        (0..WORDS).fold(0, |differing, i| differing | (self.0[i] ^ other.0[i])) == 0
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(std::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(std::array::from_fn(|i| !self.0[i]))
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Bitboard) {
        *self = *self & other;
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Bitboard) {
        *self = *self | other;
    }
}
