//! Unconditional life (Benson 1976): stones that live however often their owner passes.

use crate::position::Common;
use crate::strings::liberties;
use crate::{Bitboard, Color};

/// The stones of `color` that live unconditionally, and the points that keep them alive; `in_atari`
/// holds the stones of both colours in strings with one liberty.
pub(crate) fn pass_alive(common: &Common, color: Color, in_atari: &Bitboard) -> Bitboard {
    let own = &common.stones[color.index()];
    benson(own, &common.board(), &common.empty(), common.rules.suicide, in_atari)
}

/// The strings of `own` that live unconditionally, with the regions that keep them alive. Bans on
/// captures and incursions are ignored, so under some rule sets this is a strong hint rather than a
/// proof.
///
/// A region is a maximal connected set of points without own stones. It is vital to a string if
/// each of its empty points (each of its points, where the opponent may fill it by suicide) is a
/// liberty of that string. Strings with fewer than two vital regions are dropped together with the
/// regions that they border, until nothing changes. `in_atari` holds strings with one liberty,
/// which cannot have two vital regions.
fn benson(
    own: &Bitboard,
    board: &Bitboard,
    empty: &Bitboard,
    suicide: bool,
    in_atari: &Bitboard,
) -> Bitboard {
    let others = board.without(own);
    let must_touch = if suicide { others } else { others & *empty };
    // Most regions are too large, or border a string that cannot live: one flood fill finds all of
    // them.
    let large = must_touch.without(&own.neighbours());
    let unfit = large | (*own & *in_atari).neighbours();
    let fit = others.without(&unfit.flood(&others));
    if fit.has_at_most_one() {
        return Bitboard::EMPTY;
    }
    let mut regions = Vec::with_capacity(8);
    for points in fit.strings() {
        let beside = points.neighbours().flood(own);
        regions.push(Region { points, needed: points & must_touch, beside });
    }
    let candidates = strings_beside_two(&mut regions);
    if candidates.is_empty() {
        return Bitboard::EMPTY;
    }
    let mut alive: Vec<Bitboard> = candidates.strings().collect();
    while !alive.is_empty() {
        let before = (alive.len(), regions.len());
        alive.retain(|string| {
            let liberties = liberties(string, &must_touch);
            let vital = |region: &&Region| region.needed.without(&liberties).is_empty();
            regions.iter().filter(vital).nth(1).is_some()
        });
        let living = alive.iter().fold(Bitboard::EMPTY, |all, string| all | *string);
        regions.retain(|region| region.beside.without(&living).is_empty());
        if (alive.len(), regions.len()) == before {
            return regions.iter().fold(living, |all, region| all | region.points);
        }
    }
    Bitboard::EMPTY
}

/// A region small enough to be vital.
struct Region {
    points: Bitboard,
    /// The points that must be liberties of a string for the region to be vital to it.
    needed: Bitboard,
    /// The strings that the region borders.
    beside: Bitboard,
}

/// Drops the regions bordering a string that borders no second region, and returns the strings next
/// to the rest. This is the rule of life without the condition that regions be vital; it is cheap,
/// and on most boards leaves nothing.
fn strings_beside_two(regions: &mut Vec<Region>) -> Bitboard {
    loop {
        let before = regions.len();
        let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for region in regions.iter() {
            twice |= once & region.beside;
            once |= region.beside;
        }
        regions.retain(|region| region.beside.without(&twice).is_empty());
        if regions.len() == before {
            return twice;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Point, Size};

    fn alive(rows: [&str; 5], suicide: bool) -> usize {
        let size = Size::try_from(5).expect("a size");
        let own: Bitboard = size
            .points()
            .filter(|point: &Point| rows[4 - point.row()].as_bytes()[point.column()] == b'X')
            .collect();
        let opposing: Bitboard = size
            .points()
            .filter(|point: &Point| rows[4 - point.row()].as_bytes()[point.column()] == b'O')
            .collect();
        let empty = size.board().without(&(own | opposing));
        benson(&own, &size.board(), &empty, suicide, &Bitboard::EMPTY).count()
    }

    #[test]
    fn two_eyes_live_and_one_does_not() {
        assert_eq!(alive([".....", ".....", ".....", "XXXX.", ".X.X."], false), 8);
        assert_eq!(alive([".....", ".....", ".....", "XXXX.", "...X."], false), 0);
        assert_eq!(alive([".....", ".....", ".....", ".....", "....."], false), 0);
    }

    #[test]
    fn a_stone_inside_matters_where_it_may_be_joined_by_suicide() {
        // The corner region has three points: the two empty ones touch the string, the one with
        // the white stone does not.
        let rows = ["O.X..", ".XX..", "XX...", ".X...", "XX..."];
        assert_eq!(alive(rows, false), 8 + 3 + 1);
        assert_eq!(alive(rows, true), 0);
    }

    #[test]
    fn two_strings_live_by_shared_eyes() {
        let rows = [".XO..", "X.XO.", ".X.XO", "XOXXO", "OOOOO"];
        assert_eq!(alive(rows, false), 0);
        let rows = ["X.XO.", ".XXO.", "XXOO.", ".....", "....."];
        assert_eq!(alive(rows, false), 6 + 2);
    }
}
