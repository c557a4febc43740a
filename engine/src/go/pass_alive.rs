//! Unconditional life (Benson 1976): stones that live however often their owner passes.

use crate::Bitboard;
use crate::strings::{liberties, strings};

/// The strings of `own` that live unconditionally, with the regions that keep them alive. Bans on captures and
/// incursions are not looked at, so under some rule sets this is a strong hint and no proof.
///
/// A region is a maximal set of joined points without own stones. It is vital to a string if each of its empty points
/// (each of its points, where the opponent may fill it by suicide) is a liberty of that string. Strings with fewer than
/// two vital regions are dropped, and with them the regions that they border, until nothing changes.
pub(crate) fn pass_alive(
    own: &Bitboard,
    board: &Bitboard,
    empty: &Bitboard,
    suicide: bool,
) -> Bitboard {
    let others = board.without(own);
    let must_touch = if suicide { others } else { others & *empty };
    // Most regions are too large, and one flood finds them all.
    let hopeless = must_touch.without(&own.neighbours()).flood(&others);
    let small = others.without(&hopeless);
    if small.is_empty() {
        return Bitboard::EMPTY;
    }
    let mut regions: Vec<Bitboard> = strings(small).collect();
    let mut alive: Vec<Bitboard> = strings(*own).collect();
    loop {
        let before = alive.len();
        alive.retain(|string| {
            let liberties = liberties(string, &must_touch);
            let vital = |region: &&Bitboard| (**region & must_touch).without(&liberties).is_empty();
            regions.iter().filter(vital).nth(1).is_some()
        });
        if alive.is_empty() {
            return Bitboard::EMPTY;
        }
        let living = union(&alive);
        if alive.len() == before {
            return regions.iter().fold(living, |all, region| all | *region);
        }
        let dropped = own.without(&living);
        regions.retain(|region| !region.neighbours().meets(&dropped));
    }
}

fn union(sets: &[Bitboard]) -> Bitboard {
    sets.iter().fold(Bitboard::EMPTY, |all, set| all | *set)
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
        pass_alive(&own, &size.board(), &empty, suicide).count()
    }

    #[test]
    fn two_eyes_live_and_one_does_not() {
        assert_eq!(alive([".....", ".....", ".....", "XXXX.", ".X.X."], false), 8);
        assert_eq!(alive([".....", ".....", ".....", "XXXX.", "...X."], false), 0);
        assert_eq!(alive([".....", ".....", ".....", ".....", "....."], false), 0);
    }

    #[test]
    fn a_stone_inside_matters_where_it_may_be_joined_by_suicide() {
        // The corner has three points; its middle one touches the string, the white stone's does not.
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
