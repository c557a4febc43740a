//! Stones that can never be captured.

use engine::{Bitboard, Color, Position};

/// The number of points of `color` that are safe for the rest of the game even if that player only
/// passes: the stones of unconditionally alive strings (Benson, *Life in the game of Go*, 1976) and
/// their one-point eyes.
///
/// The opponent may fill larger eyes, so these do not count: left unanswered, they could end up
/// neutral. Where suicide is legal, an eye may be filled, emptied and filled again, so all of its
/// points must be liberties, not only the empty ones. A single stone on a one-point eye captures
/// nothing and disappears at once.
pub(super) fn safe_points(position: &Position, color: Color) -> usize {
    let own = position.stones(color);
    let empty = position.empty();
    let others = empty | *position.stones(color.opponent());
    let must_touch = if position.rules().has_suicide() { others } else { empty };
    let mut strings: Vec<Bitboard> = own.strings().collect();
    let mut regions: Vec<Bitboard> = others.strings().collect();
    loop {
        let vital = |string: &Bitboard, region: &Bitboard| {
            (*region & must_touch).without(&string.neighbours()).is_empty()
        };
        let before = (strings.len(), regions.len());
        strings.retain(|string| regions.iter().filter(|region| vital(string, region)).count() >= 2);
        let alive = all(&strings);
        regions.retain(|region| (region.neighbours() & *own).without(&alive).is_empty());
        if before == (strings.len(), regions.len()) {
            let eyes = regions.iter().filter(|region| region.count() == 1).count();
            return if strings.is_empty() { 0 } else { alive.count() + eyes };
        }
    }
}

fn all(sets: &[Bitboard]) -> Bitboard {
    sets.iter().fold(Bitboard::EMPTY, |all, set| all | *set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Rules;

    #[test]
    fn two_eyes_live_and_one_does_not() {
        let [rules, with_suicide] =
            ["go,suicide=false", "go"].map(|text| Rules::parse(text, 3).expect("rules"));
        let points = |text: &str| {
            text.split(' ').map(|point| point.parse().expect("a point")).collect::<Bitboard>()
        };
        let under = |rules: Rules, black: &str, white: &str| {
            let white = if white.is_empty() { Bitboard::EMPTY } else { points(white) };
            let position = Position::with_stones(rules, points(black), white, Color::White);
            safe_points(&position.expect("a position"), Color::Black)
        };
        let safe = |black: &str, white: &str| under(rules, black, white);
        assert_eq!(safe("A2 B2 C2 B1 B3 A3 C3", ""), 9);
        // An eye that the opponent may fill counts as an eye, but its points do not.
        assert_eq!(safe("B2 A2 C2 A3 B3", ""), 6);
        // In a region with an empty point that is not a liberty the opponent could live.
        assert_eq!(safe("A2 B2 B1", ""), 0);
        assert_eq!(safe("A2 B2 C2", ""), 3);
        assert_eq!(safe("A2 B2 C2", "B1"), 3);
        assert_eq!(safe("B2", ""), 0);
        // By suicide White may empty the corner, which is no liberty of Black's, and live or
        // capture there.
        assert_eq!(safe("A2 B2 B1", "C3"), 4);
        assert_eq!(under(with_suicide, "A2 B2 B1", "C3"), 0);
        assert_eq!(under(with_suicide, "A2 B2 C2", "B1"), 3);
    }
}
