//! Writes FF\[4\] with one move per node.

use std::fmt::{self, Display, Formatter};

use engine::{Bitboard, Color, IllegalMove, Move, Point, Position, PositionError, Size};

use super::moves::{letters, value};
use super::record::{RecordRulesError, SgfRecord, SgfTurn};

/// Our property for Conquest's announced choice, next to the move, because the value of `B` or `W`
/// has no room for it.
pub(crate) const STAR: &str = "HSM";

/// Our root property for a start that is more than stones: its text.
pub(crate) const START: &str = "HSS";

/// Our property in a node that repeats the position for viewers that do not know the rules.
pub(crate) const POSITION: &str = "HSP";

/// The properties that mark points.
const MARKS: [&str; 5] = ["SQ", "LB", "TR", "TB", "TW"];

/// What to write for viewers in addition to the moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extras {
    /// Mark tiles (squares, and numbers on stacks), hot stones (triangles) and conquered points
    /// (territory).
    pub markup: bool,
    /// Where an ordinary viewer would show wrong stones, set up the right ones in a node after the
    /// move.
    pub materialize: bool,
}

/// Why a record cannot be written with [`Extras`], which require a replay.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The rules are not known.
    #[error(transparent)]
    Rules(#[from] RecordRulesError),
    /// The start is not a position.
    #[error(transparent)]
    Start(#[from] PositionError),
    /// A move is illegal under the record's own rules.
    #[error("turn {turn}: {rule}")]
    Illegal {
        /// The number of the turn, from 1.
        turn: usize,
        /// The rule that forbids it.
        rule: IllegalMove,
    },
}

impl Display for SgfRecord {
    /// Writes only the moves.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({}", self.root(Extras::default()))?;
        self.turns.iter().try_for_each(|turn| {
            write!(f, "\n{}{}", self.node(turn, Extras::default()), later_nodes(turn))
        })?;
        f.write_str(")\n")
    }
}

impl SgfRecord {
    /// Writes the game with the given `extras`.
    ///
    /// # Errors
    /// The record's own rules are unknown, or do not allow its moves.
    pub fn write(&self, extras: Extras) -> Result<String, WriteError> {
        let mut position = self.start(self.own_rules()?)?;
        let mut text = format!("({}", self.root(extras));
        if extras.markup {
            text.push_str(&markup(&position));
        }
        for (index, turn) in self.turns.iter().enumerate() {
            let shown = shown_by_viewers(&position, turn.played);
            let turn_number = index + 1;
            // A pass after the end, which some programs write, changes nothing.
            let is_after_end = turn.played == Move::Pass && position.outcome().is_some();
            if !is_after_end {
                position
                    .play(turn.played)
                    .map_err(|rule| WriteError::Illegal { turn: turn_number, rule })?;
            }
            text.push('\n');
            text.push_str(&self.node(turn, extras));
            let stones = Color::BOTH.map(|color| *position.stones(color));
            if extras.materialize && shown != stones {
                text.push_str(&setup_node(&position));
            }
            if extras.markup {
                text.push_str(&markup(&position));
            }
            text.push_str(&later_nodes(turn));
        }
        text.push_str(")\n");
        Ok(text)
    }

    /// Annotates the last position with a comment, circles and labels, at most one label for each
    /// point.
    pub fn annotate(&mut self, comment: &str, circles: &Bitboard, labels: &[(Point, String)]) {
        let label = |(point, label): &(Point, String)| {
            format!("[{}:{}]", letters(*point, self.size), escaped(&one_line(label)))
        };
        let labels: String = labels.iter().map(label).collect();
        let properties = [
            format!("C[{}]", escaped(comment)),
            point_list("CR", circles, self.size),
            if labels.is_empty() { labels } else { format!("LB{labels}") },
        ];
        let written = properties.into_iter().filter(|property| !property.is_empty());
        match self.turns.last_mut() {
            Some(turn) => turn.other_properties.extend(written),
            None => self.other_properties.extend(written),
        }
    }

    fn root(&self, extras: Extras) -> String {
        let mut text = format!(
            ";GM[1]FF[4]CA[UTF-8]AP[hotstone:{}]SZ[{}]",
            env!("CARGO_PKG_VERSION"),
            written_size(self.size)
        );
        if let Some(komi) = self.komi {
            text.push_str(&format!("KM[{komi}]"));
        }
        let [black, white] = &self.players;
        let simple = [
            ("RU", &self.rules),
            ("GN", &self.name),
            ("PB", black),
            ("PW", white),
            ("RE", &self.result),
        ];
        for (name, given) in simple {
            if let Some(given) = given {
                text.push_str(&format!("{name}[{}]", escaped(&one_line(given))));
            }
        }
        if let Some(comment) = &self.comment {
            text.push_str(&format!("C[{}]", escaped(comment)));
        }
        text.push_str(&point_list("AB", &self.stones[0], self.size));
        text.push_str(&point_list("AW", &self.stones[1], self.size));
        let is_implied = |color: &Color| *color == Color::Black && self.is_usual();
        if let Some(color) = self.to_move.filter(|color| !is_implied(color)) {
            text.push_str(&format!("PL[{color}]"));
        }
        if let Some(position) = &self.position {
            text.push_str(&format!("{START}[{}]", escaped(position)));
        }
        text.push_str(&kept(&self.other_properties, extras));
        text
    }

    /// Whether the game begins as usual: on the empty board, with Black to move.
    fn is_usual(&self) -> bool {
        let white_begins = self.turns.first().is_some_and(|turn| turn.player == Color::White);
        self.stones.iter().all(Bitboard::is_empty) && !white_begins
    }

    fn node(&self, turn: &SgfTurn, extras: Extras) -> String {
        let star = match turn.played {
            Move::PlaceStarred(_) => format!("{STAR}[*]"),
            Move::Place(_) | Move::Pass => String::new(),
        };
        let others = kept(&turn.other_properties, extras);
        format!(";{}[{}]{star}{others}", turn.player, value(turn.played, self.size))
    }
}

/// The properties of a node that are written as they were read. Our marks replace existing ones.
fn kept(properties: &[String], extras: Extras) -> String {
    let is_mark = |text: &str| MARKS.iter().any(|mark| text.starts_with(&format!("{mark}[")));
    let properties = properties.iter().map(String::as_str);
    properties.filter(|property| !extras.markup || !is_mark(property)).collect()
}

/// The nodes without a turn that follow a turn.
fn later_nodes(turn: &SgfTurn) -> String {
    turn.later_nodes.iter().map(|node| format!("\n;{node}")).collect()
}

/// The stones that every viewer shows after a move, by Go's capture. Not every viewer removes the
/// mover's own stones.
fn shown_by_viewers(position: &Position, played: Move) -> [Bitboard; 2] {
    let mut stones = Color::BOTH.map(|color| *position.stones(color));
    let Some(point) = played.point() else { return stones };
    let [own, other] = [position.turn(), position.turn().opponent()].map(Color::index);
    stones[own].insert(point);
    let board = position.size().board();
    let empty = board.without(&(stones[0] | stones[1]));
    let threatened = Bitboard::of(point).neighbours() & stones[other];
    for first in threatened.iter() {
        let string = Bitboard::of(first).flood(&stones[other]);
        if !string.neighbours().intersects(&empty) {
            stones[other] = stones[other].without(&string);
        }
    }
    stones
}

/// The position as a separate node: FF\[4\] forbids setting up stones next to a move.
fn setup_node(position: &Position) -> String {
    let size = position.rules().size;
    let [black, white] = Color::BOTH.map(|color| *position.stones(color));
    format!(
        "\n;{POSITION}[]{}{}{}PL[{}]",
        point_list("AB", &black, size),
        point_list("AW", &white, size),
        point_list("AE", &position.empty(), size),
        position.turn()
    )
}

/// The size as SGF: one number for a square board, columns and rows for others.
fn written_size(size: Size) -> String {
    match size.side() {
        Some(side) => side.to_string(),
        None => format!("{}:{}", size.width(), size.height()),
    }
}

/// At most one mark per point, as FF\[4\] requires; a number may accompany a mark.
fn markup(position: &Position) -> String {
    let size = position.rules().size;
    let hot = position.hot_stones();
    let (mut squares, mut labels) = (Bitboard::EMPTY, String::new());
    for point in position.size().points() {
        match position.tiles(point) {
            0 => {}
            1 if !hot.contains(point) => squares.insert(point),
            tiles => labels.push_str(&format!("[{}:{tiles}]", letters(point, size))),
        }
    }
    let labels = if labels.is_empty() { labels } else { format!("LB{labels}") };
    let [black, white] = Color::BOTH.map(|color| *position.owned(color));
    [
        point_list("SQ", &squares, size),
        labels,
        point_list("TR", &hot, size),
        point_list("TB", &black, size),
        point_list("TW", &white, size),
    ]
    .concat()
}

/// A property with these points; empty if there are none.
fn point_list(name: &str, points: &Bitboard, size: Size) -> String {
    if points.is_empty() {
        return String::new();
    }
    let value = |point: Point| format!("[{}]", letters(point, size));
    format!("{name}{}", points.iter().map(value).collect::<String>())
}

/// Escaped text.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

/// Replaces line breaks, which SimpleText cannot contain.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use engine::Rules;

    use super::*;

    #[test]
    fn annotations_belong_to_the_last_position() {
        let rules = Rules::parse("go", 3).expect("rules");
        let point: Point = "A1".parse().expect("a point");
        let annotated = |moves: &[Move]| {
            let mut record = SgfRecord::of_moves(&rules, moves);
            record.annotate("a]b", &Bitboard::of(point), &[(point, "1".to_owned())]);
            record.to_string()
        };
        let marks = "C[a\\]b]CR[ac]LB[ac:1])\n";
        let text = annotated(&[]);
        assert!(text.ends_with(&format!("]{marks}")) && !text.contains(";B["), "{text}");
        let text = annotated(&["B2".parse().expect("a move")]);
        assert!(text.ends_with(&format!("\n;B[bb]{marks}")), "{text}");
        let mut record = SgfRecord::of_moves(&rules, &[]);
        record.annotate("nothing", &Bitboard::EMPTY, &[]);
        assert!(record.to_string().ends_with("C[nothing])\n"), "{record}");
    }
}
