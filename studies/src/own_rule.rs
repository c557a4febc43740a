//! Which moves use the rule that sets a rule set apart.

use engine::{Bitboard, Color, Move, PendingEffect, Position};

/// The legal moves of a position that use what sets its rules apart, in order.
///
/// Such a move is one after which a part of the rules that Go does not have
/// ([`engine::Rules::distinctive_parts`]) takes effect: compared with the same move under the same
/// rules without the part, it leaves different stones, adds a tile, makes a stone hot, imposes
/// something on the next turn, ends the game, returns a prisoner, or is not legal there. A move
/// that conquers uses the rules of Conquest, a second stone in one turn those of several stones per
/// turn, and a capture those of Go itself.
///
/// ```
/// use engine::{Position, Rules};
/// use studies::own_rule_moves;
///
/// let mut position = Position::new(Rules::parse("incursion", 5)?);
/// assert_eq!(own_rule_moves(&position), []);
/// position.play("C3".parse()?)?;
/// // Every stone is an incursion now, after which no incursion may follow; a pass is none.
/// assert_eq!(own_rule_moves(&position).len(), 24);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn own_rule_moves(position: &Position) -> Vec<Move> {
    let parts = position.rules().distinctive_parts();
    let free: Vec<Position> =
        parts.iter().filter_map(|part| position.under(part.without).ok()).collect();
    let uses = |played: &Move| {
        let mut after = position.clone();
        after.play_unchecked(*played);
        let is_further_stone = position.is_mid_turn() && *played != Move::Pass;
        is_further_stone
            || conquers(position, &after)
            || free.iter().any(|free| acts(position, *played, &after, free))
    };
    position.legal_moves().iter().copied().filter(uses).collect()
}

/// The moves of a player who may not use what sets the rules apart: the other legal moves. If
/// nothing but a pass were left, all legal moves.
pub(crate) fn moves_without_own_rule(position: &Position) -> Vec<Move> {
    let legal = position.legal_moves();
    let using = own_rule_moves(position);
    let others: Vec<Move> =
        legal.iter().copied().filter(|played| !using.contains(played)).collect();
    // A pass in the middle of a turn of several stones only ends that turn.
    let is_enough = |played: &Move| *played != Move::Pass || position.is_mid_turn();
    if others.iter().any(is_enough) { others } else { legal.to_vec() }
}

fn conquers(before: &Position, after: &Position) -> bool {
    let player = before.turn();
    let gained = after.owned(player).without(before.owned(player));
    !gained.without(before.stones(player)).is_empty()
}

/// Whether a move has a different effect than in the same position without a part of the rules.
fn acts(before: &Position, played: Move, after: &Position, free: &Position) -> bool {
    let mut free_after = free.clone();
    if free_after.play(played).is_err() {
        return played != Move::Pass;
    }
    let [with, without] = [(before, after), (free, &free_after)]
        .map(|(before, after)| Consequences::of(before, played, after));
    let ends = after.outcome().is_some() && free_after.outcome().is_none();
    with != without || ends
}

/// The effects of a move that parts of the rules can make a difference to.
#[derive(PartialEq)]
struct Consequences {
    stones: [Bitboard; 2],
    lays_tile: bool,
    hot: Bitboard,
    pending_effects: Vec<PendingEffect>,
    returns_prisoner: bool,
}

impl Consequences {
    fn of(before: &Position, played: Move, after: &Position) -> Consequences {
        let player = before.turn();
        Consequences {
            stones: Color::BOTH.map(|color| *after.stones(color)),
            lays_tile: played.point().is_some_and(|point| after.tiles(point) > before.tiles(point)),
            hot: after.hot_stones(),
            pending_effects: after.pending_effects().collect(),
            returns_prisoner: after.prisoners(player) < before.prisoners(player),
        }
    }
}

#[cfg(test)]
mod tests {
    use arena::random_move;
    use engine::{Rules, Variant};
    use search::Random;

    use super::*;
    use crate::test_positions::{THREE_KOS, position};

    /// The moves that use the rule after these, with nothing for none; passes too.
    fn using(rules: &str, size: usize, moves: &str) -> Vec<String> {
        let mut position = Position::new(Rules::parse(rules, size).expect("rules"));
        for text in moves.split_whitespace() {
            position.play(text.parse().expect(text)).expect("a legal move");
        }
        own_rule_moves(&position).iter().map(ToString::to_string).collect()
    }

    fn using_on(rules: &str, rows: &str, moves: &str) -> Vec<String> {
        let mut position = position(rules, rows, "");
        for text in moves.split_whitespace() {
            position.play(text.parse().expect(text)).expect("a legal move");
        }
        own_rule_moves(&position).iter().map(ToString::to_string).collect()
    }

    const THREE_AREAS: &str = ".XO.. .XO.. .XO.. .XO.. .XO..";

    #[test]
    fn incursions_use_the_ban_on_incursions() {
        // White's side of the board is foreign to Black.
        let foreign = ["D1", "E1", "D2", "E2", "D3", "E3", "D4", "E4", "D5", "E5"];
        for rules in ["incursion", "minimal-incursion", "cushion", "tile"] {
            assert_eq!(using_on(rules, THREE_AREAS, ""), foreign, "{rules}");
        }
        // After one, only what is none is legal, and uses nothing.
        assert!(using_on("incursion", THREE_AREAS, "E3").is_empty());
    }

    #[test]
    fn stones_on_tiles_use_the_tiles() {
        let all = using_on("tile", THREE_AREAS, "E3");
        assert_eq!(all.len(), 14, "every placement gets a tile: {all:?}");
        let incursions = using_on("cushion", THREE_AREAS, "E3");
        assert_eq!(incursions, ["A1", "A2", "A3", "A4", "A5"]);
    }

    #[test]
    fn captures_use_the_rules_of_go_and_the_stoical_ban() {
        for rules in ["go", "stoical", "atari-go"] {
            assert_eq!(using(rules, 3, "A1 C1 C3").len(), 0, "{rules}");
            assert_eq!(using(rules, 3, "B1 A1 C3 C1"), ["A2", "C2"], "{rules}");
        }
        assert_eq!(using("nogo", 3, "B1 A1 C3 C1").len(), 0);
    }

    #[test]
    fn ko_plays_use_hot_stones() {
        assert_eq!(using_on("hot-stone", THREE_KOS, ""), ["C2", "C8"]);
        assert_eq!(using_on("hot-stone", THREE_KOS, "C8"), ["A1", "G8"]);
    }

    #[test]
    fn own_strings_that_go_use_the_rules_of_alter_igo() {
        // The last point empties the board; in Go it would take two stones.
        assert_eq!(using("alter-igo", 2, "A1 B1 A2"), ["B2"]);
        assert!(using("alter-igo", 3, "A1 B1 C3").is_empty());
    }

    #[test]
    fn conquests_use_the_rules_of_conquest() {
        let using = using_on("conquest", "..... ..... ..... XX... O....", "");
        assert!(using.contains(&"B1".to_owned()) && !using.contains(&"D4".to_owned()), "{using:?}");
    }

    #[test]
    fn second_stones_use_several_stones_a_turn() {
        let rules = "go,stones_per_turn=2";
        assert_eq!(using(rules, 3, "A1").len(), 0);
        assert_eq!(using(rules, 3, "A1 B2").len(), 7);
    }

    /// Whoever may not use the rule has a move wherever there is a legal one, and one other than a
    /// pass wherever a legal move other than a pass exists.
    #[test]
    fn there_is_always_a_move_left() {
        for variant in Variant::ALL {
            let rules = variant.rules(4).expect("rules");
            let mut random = Random::new(2);
            for _ in 0..5 {
                let mut position = Position::new(rules);
                while let Some(played) = random_move(&position, &mut random) {
                    let legal = position.legal_moves();
                    let left = moves_without_own_rule(&position);
                    assert!(left.iter().all(|played| legal.contains(played)), "{variant}");
                    let placements = |moves: &[Move]| moves.iter().any(|&one| one != Move::Pass);
                    assert_eq!(placements(&left), placements(&legal), "{variant}");
                    if left.len() < legal.len() {
                        assert_eq!(left.len() + own_rule_moves(&position).len(), legal.len());
                    }
                    position.play(played).expect("a legal move");
                }
            }
        }
    }
}
