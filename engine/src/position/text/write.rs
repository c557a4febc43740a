//! Writes positions as text.

use std::fmt::{self, Display, Formatter};

use crate::history::Change;
use crate::position::state::{FamilyState, Position};
use crate::{Bitboard, Color, Point};

impl Display for Position {
    /// The text that [`Position::parse`] reads back.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "rules {}", self.rules())?;
        writeln!(f, "size {}", self.size())?;
        self.write_rows(f)?;
        writeln!(f, "{} to move", self.turn().word())?;
        write_number(f, "turns", self.turns())?;
        write_number(f, "passes", self.passes().into())?;
        self.write_recent(f)?;
        match &self.family {
            FamilyState::Go(_) => self.write_go(f)?,
            FamilyState::AlterIgo(state) => write_number(f, "white-passes", state.white_passes)?,
            FamilyState::Conquest(state) => {
                let fixed = state.fixed(self.size());
                let fixed = fixed.map(|(stone, side)| format!("{stone}={side}")).collect();
                write_words(f, "fixed", fixed, "none")?;
            }
        }
        let changes = self.changes();
        for turns in changes.chunks(TURNS_PER_LINE) {
            write_words(f, "history", turns.iter().map(turn).collect(), "")?;
        }
        match self.outcome() {
            None => Ok(()),
            Some(outcome) => {
                writeln!(f, "result {} {}", outcome.result, outcome.reason)
            }
        }
    }
}

const TURNS_PER_LINE: usize = 10;

impl Position {
    /// What each turn in the history did, oldest first.
    pub(super) fn changes(&self) -> Vec<Change> {
        match &self.family {
            FamilyState::Go(state) if let Some(hot) = &state.hot => hot.changes(),
            FamilyState::Go(_) | FamilyState::AlterIgo(_) | FamilyState::Conquest(_) => {
                let mut changes = self.common.history.changes();
                // The first entry is the start.
                changes.drain(..changes.len().min(1));
                changes
            }
        }
    }

    fn write_rows(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let marks = [
            ('X', self.stones(Color::Black)),
            ('O', self.stones(Color::White)),
            ('b', self.owned(Color::Black)),
            ('w', self.owned(Color::White)),
        ];
        for row in (0..self.size().height()).rev() {
            let at = |column| {
                let point = Point::new(row, column);
                marks.iter().find(|(_, set)| set.contains(point)).map_or('.', |(mark, _)| *mark)
            };
            writeln!(f, "{}", (0..self.size().width()).map(at).collect::<String>())?;
        }
        Ok(())
    }

    fn write_recent(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = |point: &Option<Point>| point.map_or("pass".to_owned(), |p| p.to_string());
        let words = self.recent_points()[..self.recent_turns()].iter().rev().map(name).collect();
        write_words(f, "recent", words, "")
    }

    fn write_go(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let FamilyState::Go(state) = &self.family else { return Ok(()) };
        let last = &state.last;
        let mut words: Vec<String> = [
            (last.capture, "capture"),
            (last.incursion, "incursion"),
            (last.minimal, "minimal-incursion"),
        ]
        .iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, word)| (*word).to_owned())
        .collect();
        words.extend(last.ko.map(|point| format!("ko={point}")));
        write_words(f, "last", words, "")?;
        if state.last_placement_incursion {
            writeln!(f, "placement incursion")?;
        }
        for (word, [black, white], usual) in [
            ("prisoners", state.prisoners, self.rules().first_prisoners()),
            ("taken", state.taken, [0, 0]),
        ] {
            if [black, white] != usual {
                writeln!(f, "{word} {black} {white}")?;
            }
        }
        let tiles = self.size().points().map(|point| (point, self.tiles(point)));
        let tiles = tiles.filter(|(_, tiles)| *tiles > 0).map(|(point, tiles)| match tiles {
            1 => point.to_string(),
            _ => format!("{point}={tiles}"),
        });
        write_words(f, "tiles", tiles.collect(), "")?;
        let hot = state.hot_stones(self.rules());
        write_words(f, "hot", hot.iter().map(|p| p.to_string()).collect(), "")?;
        if self.rules().stones_per_turn > 1 {
            let more = if state.mid_turn { " more" } else { "" };
            writeln!(f, "left {}{more}", state.placements_left)?;
        }
        Ok(())
    }
}

/// Writes a line with a number, unless it is 0.
fn write_number(f: &mut Formatter<'_>, word: &str, number: u16) -> fmt::Result {
    if number == 0 { Ok(()) } else { writeln!(f, "{word} {number}") }
}

/// Writes a line of words; if there are none, writes `empty` instead, or no line if `empty` is
/// empty too.
fn write_words(f: &mut Formatter<'_>, word: &str, words: Vec<String>, empty: &str) -> fmt::Result {
    match (words.is_empty(), empty) {
        (true, "") => Ok(()),
        (true, empty) => writeln!(f, "{word} {empty}"),
        (false, _) => writeln!(f, "{word} {}", words.join(" ")),
    }
}

/// Writes a turn of the history.
fn turn(change: &Change) -> String {
    let Some((color, point)) = change.placed else { return "pass".to_owned() };
    let list = |sign: &str, removed: &Bitboard| {
        let points: Vec<String> = removed.iter().map(|point| point.to_string()).collect();
        if points.is_empty() { String::new() } else { format!("{sign}{}", points.join(",")) }
    };
    let taken = list("x", &change.removed[color.opponent().index()]);
    let lost = list("-", &change.removed[color.index()]);
    format!("{color}:{point}{taken}{lost}")
}
