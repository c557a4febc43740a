//! The most points that stones of one player can own in Conquest, by exact search:
//! `cargo run --release -p solver --example most_territory -- 8`
//!
//! A set of stones, alone on the board, owns the points of the regions that a settling conquers.
//! The search goes through the board point by point and decides for each whether it is a stone, in
//! a region that is to be conquered, or in one that is not. All that the rest of the board needs to
//! know is kept: which of the last points belong to the same region, and for each region that is to
//! be conquered its walls and the quadrants of its connections. Among equal ones only the
//! arrangements that own more than those with fewer stones are kept, so nothing is missed. The
//! engine then settles the stones that were found.
//!
//! The side of the board may be followed by the most stones and the most walls of a region that
//! counts: 2 by the rules; 1 or 0 tells what regions with fewer walls cost.
//!
//! On boards with odd sides the first region that needs a stone in the middle of an edge decides in which half it counts.
//! Here it counts in whichever is better, which gives an upper bound; without such stones there is nothing to
//! decide, which gives a lower one.

use std::collections::HashMap;
use std::process::ExitCode;

use engine::{Bitboard, Color, Point, Position, Rules, Size};

/// Walls of a region that can be conquered.
const MAX_WALLS: u32 = 2;

/// What a point is. Higher numbers are regions to be conquered.
const STONE: u8 = 0;
/// A stone in the middle of an edge of odd length, which counts for the half with the higher points; others of its kind
/// count for the lower half.
const HIGH_BONE: u8 = 1;
const LOST: u8 = 2;
const FIRST: u8 = 3;

/// A region to be conquered, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Region {
    walls: u8,
    quadrants: u8,
}

impl Region {
    fn join(&mut self, other: Region) {
        self.walls |= other.walls;
        self.quadrants |= other.quadrants;
    }

    /// Whether it may still be conquered; at its end, whether it is.
    fn holds(self, most_walls: u32) -> bool {
        let opposite = |diagonal| self.quadrants & diagonal == diagonal;
        let walls = self.walls.count_ones();
        walls <= most_walls && (walls < MAX_WALLS || !opposite(0b1001) && !opposite(0b0110))
    }
}

/// The last points, one for each column, and the regions among them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Front {
    points: Vec<u8>,
    regions: Vec<Region>,
}

/// Stones that lead to a front.
#[derive(Debug, Clone, Copy)]
struct Found {
    stones: u32,
    owned: u32,
    places: u128,
}

struct Board {
    side: usize,
    /// Walls of a region that counts.
    most_walls: u32,
    /// Whether stones may stand in the middle of edges of odd length.
    bones: bool,
}

impl Board {
    fn walls(&self, row: usize, column: usize) -> u8 {
        let last = self.side - 1;
        let walls = [row == 0, row == last, column == 0, column == last];
        walls.iter().rev().fold(0, |bits, &wall| bits << 1 | u8::from(wall))
    }

    fn is_bone(&self, row: usize, column: usize) -> bool {
        let middle = |place| 2 * place + 1 == self.side;
        let ends = |place| place == 0 || place == self.side - 1;
        middle(row) && ends(column) || middle(column) && ends(row)
    }

    /// The quadrant of an edge stone, as a bit.
    fn quadrant(&self, row: usize, column: usize, high: bool) -> u8 {
        let half = |place: usize| match (2 * place + 1).cmp(&self.side) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => usize::from(high),
            std::cmp::Ordering::Greater => 1,
        };
        1 << (2 * half(row) + half(column))
    }

    /// The fronts after one more point.
    fn next(
        &self,
        front: &Front,
        row: usize,
        column: usize,
        next: &mut HashMap<Front, Vec<Found>>,
        found: &[Found],
    ) {
        let bone = self.is_bone(row, column);
        let mut put = |front: Option<Front>, stones, owned| {
            let Some(front) = front else { return };
            let place = u128::from(stones) << (row * self.side + column);
            let list = next.entry(front).or_default();
            for one in found {
                add(
                    list,
                    Found {
                        stones: one.stones + stones,
                        owned: one.owned + owned,
                        places: one.places | place,
                    },
                );
            }
        };
        if !bone || self.bones {
            put(self.stone(front, row, column, STONE), 1, 0);
        }
        if bone && self.bones {
            put(self.stone(front, row, column, HIGH_BONE), 1, 0);
        }
        put(self.lost(front, row, column), 0, 0);
        put(self.owned(front, row, column), 0, 1);
    }

    fn above(&self, front: &Front, row: usize, column: usize) -> Option<u8> {
        (row > 0).then(|| front.points[column])
    }

    fn before(&self, front: &Front, column: usize) -> Option<u8> {
        (column > 0).then(|| front.points[column - 1])
    }

    /// The neighbours that come earlier, each with its place and whether it lies along an edge.
    fn earlier(&self, front: &Front, row: usize, column: usize) -> Vec<(u8, usize, usize, bool)> {
        let last = self.side - 1;
        let mut earlier = Vec::with_capacity(2);
        if let Some(point) = self.above(front, row, column) {
            earlier.push((point, row - 1, column, column == 0 || column == last));
        }
        if let Some(point) = self.before(front, column) {
            earlier.push((point, row, column - 1, row == 0 || row == last));
        }
        earlier
    }

    fn stone(&self, front: &Front, row: usize, column: usize, kind: u8) -> Option<Front> {
        let mut regions = front.regions.clone();
        for (point, _, _, along) in self.earlier(front, row, column) {
            if point >= FIRST && along {
                regions[usize::from(point - FIRST)].quadrants |=
                    self.quadrant(row, column, kind == HIGH_BONE);
            }
        }
        self.finish(front, column, kind, regions)
    }

    fn lost(&self, front: &Front, row: usize, column: usize) -> Option<Front> {
        let meets = self.earlier(front, row, column).iter().any(|&(point, ..)| point >= FIRST);
        if meets { None } else { self.finish(front, column, LOST, front.regions.clone()) }
    }

    fn owned(&self, front: &Front, row: usize, column: usize) -> Option<Front> {
        let mut front = front.clone();
        let mut own = Region { walls: self.walls(row, column), quadrants: 0 };
        let mut joined = Vec::with_capacity(2);
        for (point, at_row, at_column, along) in self.earlier(&front, row, column) {
            match point {
                STONE | HIGH_BONE if along => {
                    own.quadrants |= self.quadrant(at_row, at_column, point == HIGH_BONE);
                }
                STONE | HIGH_BONE => {}
                LOST => return None,
                region => joined.push(region),
            }
        }
        let label = FIRST + front.regions.len() as u8;
        for &region in &joined {
            own.join(front.regions[usize::from(region - FIRST)]);
        }
        front
            .points
            .iter_mut()
            .filter(|point| joined.contains(point))
            .for_each(|point| *point = label);
        let mut regions = front.regions.clone();
        regions.push(own);
        self.finish(&front, column, label, regions)
    }

    /// Puts the point into the front and numbers the regions that are left in the order of their points.
    fn finish(
        &self,
        front: &Front,
        column: usize,
        kind: u8,
        regions: Vec<Region>,
    ) -> Option<Front> {
        if !regions.iter().all(|region| region.holds(self.most_walls)) {
            return None;
        }
        let mut points = front.points.clone();
        points[column] = kind;
        let mut order: Vec<u8> = Vec::with_capacity(regions.len());
        for point in points.iter_mut().filter(|point| **point >= FIRST) {
            let place = order.iter().position(|label| label == point).unwrap_or_else(|| {
                order.push(*point);
                order.len() - 1
            });
            *point = FIRST + place as u8;
        }
        let regions = order.iter().map(|label| regions[usize::from(label - FIRST)]).collect();
        Some(Front { points, regions })
    }
}

/// Keeps what owns more than all with as few stones.
fn add(list: &mut Vec<Found>, new: Found) {
    if list.iter().any(|one| one.stones <= new.stones && one.owned >= new.owned) {
        return;
    }
    list.retain(|one| one.stones < new.stones || one.owned > new.owned);
    list.push(new);
}

/// The most points for each number of stones, up to `most` of them.
fn search(side: usize, most: u32, most_walls: u32, bones: bool) -> (Vec<Found>, usize) {
    let board = Board { side, most_walls, bones };
    let start = Front { points: vec![STONE; side], regions: Vec::new() };
    let empty = Found { stones: 0, owned: 0, places: 0 };
    let mut fronts = HashMap::from([(start, vec![empty])]);
    let mut seen = 0;
    for row in 0..side {
        for column in 0..side {
            let mut next = HashMap::new();
            for (front, found) in &fronts {
                board.next(front, row, column, &mut next, found);
            }
            next.retain(|_, found: &mut Vec<Found>| {
                found.retain(|one| one.stones <= most);
                !found.is_empty()
            });
            seen += next.len();
            fronts = next;
        }
    }
    let mut best = Vec::new();
    fronts.into_values().flatten().for_each(|found| add(&mut best, found));
    best.sort_by_key(|found| found.stones);
    (best, seen)
}

/// The points that the engine gives to these stones, and the board.
fn settled(side: usize, places: u128) -> Result<(usize, String), String> {
    let size = Size::try_from(side).map_err(|error| error.to_string())?;
    let rules = Rules::parse("conquest", size).map_err(|error| error.to_string())?;
    let stones: Bitboard = (0..side * side)
        .filter(|place| places >> place & 1 == 1)
        .map(|place| Point::from_index(place, size))
        .collect();
    let position = Position::with_stones(rules, stones, Bitboard::EMPTY, Color::White)
        .map_err(|error| error.to_string())?;
    let owned = position.owned(Color::Black);
    let mut picture = String::new();
    for row in (0..side).rev() {
        for column in 0..side {
            let point = Point::new(row, column);
            picture.push(match (stones.contains(point), owned.contains(point)) {
                (true, false) => 'X',
                (_, true) => 'b',
                (false, false) => '.',
            });
            picture.push(' ');
        }
        picture.push('\n');
    }
    Ok((owned.count(), picture))
}

fn main() -> ExitCode {
    let arguments: Result<Vec<u32>, _> =
        std::env::args().skip(1).map(|argument| argument.parse()).collect();
    let (side, most, most_walls) = match arguments.as_deref() {
        Ok(&[side @ 2..=11]) => (side as usize, 2 * side, MAX_WALLS),
        Ok(&[side @ 2..=11, most]) => (side as usize, most, MAX_WALLS),
        Ok(&[side @ 2..=11, most, most_walls @ 0..=MAX_WALLS]) => (side as usize, most, most_walls),
        _ => {
            eprintln!(
                "expected the side of the board, 2 to 11, then the most stones if they are to be few, then the most \
                 walls of a region, 0 to {MAX_WALLS}"
            );
            return ExitCode::FAILURE;
        }
    };
    let odd = side % 2 == 1;
    if odd {
        let (best, fronts) = search(side, most, most_walls, true);
        println!("{side}x{side}, {fronts} fronts: at most");
        best.iter().for_each(|found| println!("{} stones: {} points", found.stones, found.owned));
        println!("without stones in the middle of edges:");
    }
    let (best, fronts) = search(side, most, most_walls, !odd);
    println!("{side}x{side}, {fronts} fronts");
    match tell(side, most_walls, &best) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what was found; an error if the engine sees it otherwise.
fn tell(side: usize, most_walls: u32, best: &[Found]) -> Result<(), String> {
    for found in best {
        let (owned, picture) = settled(side, found.places)?;
        let counted = found.owned as usize;
        // The stones also own regions with more walls, which do not count here.
        let may_own_more = most_walls < MAX_WALLS && owned > counted;
        if owned != counted && !may_own_more {
            return Err(format!("the engine gives {owned} points, not {counted}:\n{picture}"));
        }
        println!("{} stones: {counted} points of {}\n{picture}", found.stones, side * side);
    }
    Ok(())
}
