//! The board as text, for people.

use std::fmt::Write;

use engine::{Color, GameResult, Point, Position, Rules};
use game::Game;
use game::state::{owner_of, reason_word, stone};

/// The board of `game` with coordinates, followed by the legend and the state of the game.
///
/// Black is `X` and White `O`. The last move is preceded by `>`, a hot stone is followed by `!`,
/// points with tiles show their number, and owned points in Conquest are `b` and `w`.
pub fn diagram(game: &Game) -> String {
    format!("{}{}", board(game.position()), caption(game))
}

/// The board with coordinates and marks only.
pub fn board(position: &Position) -> String {
    let last = position.recent_points().first().copied().flatten();
    let mut text = header(position);
    for row in (0..position.size().height()).rev() {
        let number = row + 1;
        let _ = write!(text, "{number:>2} ");
        for column in 0..position.size().width() {
            draw(&mut text, position, Point::new(row, column), last);
        }
        let _ = writeln!(text, " {number}");
    }
    text.push_str(&header(position));
    text
}

/// The column letters, each above its stones.
fn header(position: &Position) -> String {
    let padding = " ".repeat(cell_width(position) - 2);
    let letters: Vec<String> = (0..position.size().width())
        .map(|column| {
            let name = Point::new(0, column).to_string();
            format!(" {}{padding}", &name[..1])
        })
        .collect();
    format!("   {}\n", letters.concat().trim_end())
}

/// The width of a point: a mark, a stone, and one column for each thing that the rules can put
/// there.
fn cell_width(position: &Position) -> usize {
    2 + usize::from(position.rules().has_tiles()) + usize::from(position.rules().has_hot_stones())
}

fn draw(text: &mut String, position: &Position, point: Point, last: Option<Point>) {
    text.push(if last == Some(point) { '>' } else { ' ' });
    text.push(match stone(position, point) {
        '.' => owner_of(position, point),
        stone => stone,
    });
    if position.rules().has_tiles() {
        match position.tiles(point) {
            0 => text.push(' '),
            tiles => text.push(char::from(b'0' + tiles.min(9))),
        }
    }
    if position.rules().has_hot_stones() {
        text.push(if position.hot_stones().contains(point) { '!' } else { ' ' });
    }
}

/// What the symbols on a board mean.
pub(crate) fn symbols(rules: &Rules) -> String {
    let mut text = "X Black, O White, > last move".to_owned();
    if rules.has_tiles() {
        text.push_str(", 1 tile");
    }
    if rules.has_hot_stones() {
        text.push_str(", ! hot");
    }
    if rules.has_owners() {
        text.push_str(", b w owned");
    }
    text
}

fn caption(game: &Game) -> String {
    let position = game.position();
    let mut lines = vec![symbols(game.rules())];
    lines.push(rules_line(game.rules()));
    let [black, white] = Color::BOTH.map(|color| position.prisoners(color));
    if black + white > 0 {
        lines.push(format!("Prisoners: Black {black}, White {white}"));
    }
    if position.last_incursion() == Some(true) {
        lines.push("The last stone was an incursion".to_owned());
    }
    lines.push(standing(game));
    lines.join("\n")
}

/// The variant, and the komi if it applies.
fn rules_line(rules: &Rules) -> String {
    let name = rules.variant().map_or_else(|| rules.to_string(), |variant| variant.to_string());
    if rules.has_komi() { format!("{name}, komi {}", rules.komi.value()) } else { name }
}

/// Whose turn it is, or how the game ended.
pub(crate) fn standing(game: &Game) -> String {
    let position = game.position();
    let Some(end) = game.end() else {
        return format!("Turn {}: {} to move", position.turns() + 1, position.turn().name());
    };
    match end.result {
        GameResult::Won(winner) => {
            let (reason, score) = (reason_word(end.reason), end.to_sgf(position.score()));
            format!("{} wins ({reason}): {score}", winner.name())
        }
        GameResult::Draw => format!("Draw ({})", end.reason),
    }
}
