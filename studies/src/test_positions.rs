//! Positions and games for tests.

use arena::{MatchGame, Openings, SelfPlayer};
use engine::{Position, Rules};
use search::Settings;
use search::evaluators::Scripted;

/// Black can take at C8 and C2, White at G8.
pub(crate) const THREE_KOS: &str = "
    .XO..OX..
    XO.OOX.X.
    .XO..OX..
    .........
    .........
    .........
    .XO......
    XO.O.....
    .XO......";

/// Rows from the top, separated by spaces, and lines of a position's text.
pub(crate) fn position(rules: &str, rows: &str, lines: &str) -> Position {
    let rows: Vec<&str> = rows.split_whitespace().collect();
    let (size, rows) = (rows.len(), rows.join("\n"));
    let text = format!("rules {rules}\nsize {size}\n{rows}\nblack to move\n{lines}");
    Position::parse(&text).expect("a position")
}

/// Games of an agent that knows nothing, with passes as they come.
pub(crate) fn games(rules: Rules, count: usize) -> Vec<MatchGame> {
    let settings = Settings { simulations: 2, ..Settings::default() };
    let openings = Openings::draw(rules, 2, count, 1);
    let player = SelfPlayer { name: "scripted", settings, settled: settings, seed: 0 };
    arena::self_play(rules, &player, &openings.lines, &mut Scripted { seed: 3 })
        .expect("games")
        .into_iter()
        .map(|played| played.game)
        .collect()
}
