//! What a move would do, or why it is not allowed, in a sentence for the player to move.

use engine::{Color, GameResult, Move, Position, counted};
use game::{Game, PlayError};

use crate::effect::Effect;

/// What `played` would do in the game, in a sentence.
///
/// # Errors
/// The rule that forbids it.
pub fn consequences(game: &Game, played: Move) -> Result<String, PlayError> {
    let before = game.position();
    let mut next = game.clone();
    next.play(played)?;
    let after = next.position();
    let effects = match played {
        Move::Pass => pass(before, after),
        Move::Place(_) | Move::PlaceStarred(_) => Effect::of(before, played, after).in_words(),
    };
    let sentence = match effects.as_str() {
        "" => format!("{played} is legal, and does no more than put a stone there."),
        effects => format!("{played} is legal: it {effects}."),
    };
    Ok(sentence + &ending(before.turn(), after))
}

fn pass(before: &Position, after: &Position) -> String {
    if before.rules().returns_prisoners() {
        let left = usize::from(after.prisoners(before.turn()));
        format!("returns a prisoner, which leaves you {}", counted(left, "prisoner"))
    } else if before.is_mid_turn() {
        "ends your turn".to_owned()
    } else {
        "gives your turn away".to_owned()
    }
}

/// A further sentence if the move ends the game.
fn ending(mover: Color, after: &Position) -> String {
    let Some(outcome) = after.outcome() else { return String::new() };
    let result = match outcome.result {
        GameResult::Draw => "drawn",
        GameResult::Won(winner) if winner == mover => "won for you",
        GameResult::Won(_) => "lost for you",
    };
    format!(" The game is then over, and {result} ({}).", outcome.reason)
}

#[cfg(test)]
mod tests {
    use engine::{Rules, Variant};

    use super::*;

    /// What the last of the moves would do after the others.
    fn effects(rules: &str, size: u8, moves: &str) -> String {
        let mut game = Game::new(Rules::parse(rules, size).expect("rules"));
        let mut moves: Vec<Move> =
            moves.split_whitespace().map(|text| text.parse().expect("a move")).collect();
        let last = moves.pop().expect("a move to ask about");
        moves.into_iter().for_each(|played| game.play(played).expect("a legal move"));
        match consequences(&game, last) {
            Ok(effects) => effects,
            Err(rule) => format!("{last}: {rule}"),
        }
    }

    /// Rules, size and moves; below each, what the last move does.
    const EFFECTS: &str = "\
go 5: C3
    C3 is legal, and does no more than put a stone there.
go 5: A1 B1 D4 A2
    A2 is legal: it captures 1 stone.
go 5: A1 B1 B2
    B2 is legal, and does no more than put a stone there.
go 2: A1 pass pass
    pass is legal: it gives your turn away. The game is then over, and won for you (passes).
go,komi=4 2: A1 pass pass
    pass is legal: it gives your turn away. The game is then over, and drawn (passes).
go 2: A1 B2 B1 A2
    A2 is legal: it captures 2 stones.
go 2: A1 pass pass pass
    pass: the game is over
go 3: A1 B1 C3 B2 A2 B3 A3
    A3 is legal: it removes 3 stones of your own.
incursion 5: C3 D3
    D3 is legal: it is an incursion.
incursion 5: C3 D3 B3
    B3 is legal, and does no more than put a stone there.
minimal-incursion 5: C3 D3
    D3 is legal: it is a minimal incursion.
tile 5: C3 D3 B3
    B3 is legal: it puts down a tile under its stone.
cushion 5: C3 D3 B3
    B3 is legal, and does no more than put a stone there.
tile,tile_limit=2 3: B1 A2 A1 B2 C2 C1 A1
    A1 is legal: it is an incursion and puts down tile number 2 under its stone.
tile,komi=1 5: C3 pass
    pass is legal: it returns a prisoner, which leaves you 0 prisoners.
hot-stone 5: B3 D2 C2 D4 C4 E3 D3 C3
    C3 is legal: it captures 1 stone and is a ko play, after which its stone is hot.
alter-igo 2: A1 B2 B1 A2
    A2 is legal: it captures 2 stones and removes 2 stones of your own.
alter-igo 2: A1 B1 B2 B1
    B1 is legal: it removes 1 stone of your own. The game is then over, and lost for you (suicide).
conquest 6: A3 A1 B2 E5 C1
    C1 is legal: it makes 3 points yours and captures 1 stone.
conquest 6: A1 F6 A3 F5 B2 F4 C1
    C1 is legal: it makes 2 points yours and turns 1 stone of your own into territory.
conquest 6: A3 A1 B2 E5 C1 E4 A2
    A2: A2 is conquered: no stone may be placed there
";

    #[test]
    fn effects_are_named_as_the_rules_have_them() {
        let lines: Vec<&str> = EFFECTS.lines().collect();
        for pair in lines.chunks(2) {
            let (rules, moves) = pair[0].split_once(": ").expect("rules and moves");
            let (rules, size) = rules.split_once(' ').expect("rules and a size");
            let found = effects(rules, size.parse().expect("a size"), moves);
            assert_eq!(found, pair[1].trim(), "{}", pair[0]);
        }
    }

    #[test]
    fn every_variant_has_words_for_every_move() {
        for variant in Variant::ALL {
            let mut game = Game::new(variant.rules(4).expect("a size that every variant has"));
            while game.end().is_none() {
                let moves = game.position().legal_moves();
                for &played in &moves {
                    let words = consequences(&game, played).expect("a legal move");
                    assert!(words.starts_with(&format!("{played} is legal")), "{words}");
                }
                let chosen = moves[game.turns().len() * 7 % moves.len()];
                game.play(chosen).expect("a legal move");
            }
        }
    }
}
