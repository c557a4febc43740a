//! Positions worth knowing, as texts: what is legal in them under which rules, and what follows.
//!
//! A file has a `title`, a `source`, and positions as `Position::parse` reads them, from `size 5` on.
//! After a position come rule sets, `rules go tile`, each with the lines that hold under all of them,
//! from that position on:
//!
//! - `play D4 pass E5`: these turns are legal, and are taken in order.
//! - `legal D4 E5`, and `illegal D4 ko`: with a part of the refusal's text.
//! - `stones` and rows, `owner` and rows.
//! - `tiles D4 E5=2`, `hot D4`, `starred C1`: these and no others, or `none`.
//! - `prisoners 1 0`, `count 12 11` stones: Black's and White's. `incursion yes`, `score -3`.
//! - `result W passes`, `result draw repetition`, or `result none`.
//!
//! The reference implementation plays along, except in a Conquest that does not start empty, and where a position has
//! more than stones and a player to move.

#![allow(clippy::unwrap_used, missing_docs)]

mod differential;
mod reference;
mod translation;

use std::path::PathBuf;

use differential::{Events, Pair};
use engine::{Bitboard, Color, Family, Move, Point, Position, Rules, Size};

/// Every file there must be.
const FILES: &[&str] = &[
    "alter-igo",
    "bent-four",
    "captures",
    "conquest",
    "double-ko",
    "eternal-life",
    "incursion",
    "long-game",
    "middle-of-a-game",
    "moonshine-life",
    "move-limit",
    "prisoner-return",
    "round-robin-ko",
    "seki",
    "sending-two-returning-one",
    "several-stones",
    "simple-ko",
    "snapback",
    "suicide",
    "tiles",
    "triple-ko",
];

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "positions"].iter().collect()
}

#[test]
fn positions_are_as_written() {
    let mut found: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    assert_eq!(found, FILES, "the files in tests/positions and the list in positions.rs");
    for name in FILES {
        let text = std::fs::read_to_string(folder().join(format!("{name}.txt"))).unwrap();
        Script::new(name, &text).run();
    }
}

/// A file being read, line by line.
struct Script<'a> {
    name: &'a str,
    lines: Vec<(usize, &'a str)>,
    next: usize,
}

/// The position that the next rule sets start from.
struct Start {
    size: Size,
    /// As text, without rules.
    text: String,
    /// Whether there are stones and a player to move, and nothing else.
    is_set_up: bool,
}

impl<'a> Script<'a> {
    fn new(name: &'a str, text: &'a str) -> Script<'a> {
        let lines = text.lines().map(str::trim).enumerate();
        let meant = |line: &(usize, &str)| !line.1.is_empty() && !line.1.starts_with('#');
        Script { name, lines: lines.filter(meant).collect(), next: 0 }
    }

    fn fail(&self, what: &str) -> ! {
        let (number, line) = self.lines[self.next.saturating_sub(1).min(self.lines.len() - 1)];
        panic!("{}.txt, line {}: {line}\n   {what}", self.name, number + 1)
    }

    /// The next line as its first word and the rest.
    fn line(&mut self) -> Option<(&'a str, &'a str)> {
        let (_, line) = *self.lines.get(self.next)?;
        self.next += 1;
        Some(line.split_once(' ').unwrap_or((line, "")))
    }

    fn run(mut self) {
        for header in ["title", "source"] {
            let found = self.line();
            if found.is_none_or(|(word, text)| word != header || text.is_empty()) {
                self.fail(&format!("a file begins with its title and its source, not {found:?}"));
            }
        }
        let mut start = None;
        let mut checked = 0;
        while let Some((word, rest)) = self.line() {
            match (word, &start) {
                ("size", _) => start = Some(self.start(rest)),
                ("rules", Some(start)) => {
                    let begin = self.next;
                    for rules in rest.split_whitespace() {
                        self.next = begin;
                        self.check(start, rules);
                        checked += 1;
                    }
                }
                _ => self.fail("expected size, or rules after a position"),
            }
        }
        assert!(checked > 0, "{} checks nothing", self.name);
    }

    fn start(&mut self, size: &str) -> Start {
        let first = self.next - 1;
        let size: Size = size.parse().unwrap_or_else(|_| self.fail("no size"));
        while self.lines.get(self.next).is_some_and(|(_, line)| !line.starts_with("rules ")) {
            self.next += 1;
        }
        let lines: Vec<&str> = self.lines[first..self.next].iter().map(|(_, line)| *line).collect();
        let is_set_up = lines.len() == size.height() + 2;
        Start { size, text: lines.join("\n"), is_set_up }
    }

    /// The points of two letters in the next rows.
    fn rows(&mut self, size: Size, letters: [char; 2]) -> [Bitboard; 2] {
        let mut sets = [Bitboard::EMPTY; 2];
        for row in (0..size.height()).rev() {
            let Some((first, rest)) = self.line() else { self.fail("a row is missing") };
            let cells: Vec<char> =
                first.chars().chain(rest.chars().filter(|c| *c != ' ')).collect();
            if cells.len() != size.width() {
                self.fail("a row of another length");
            }
            for (column, cell) in cells.into_iter().enumerate() {
                match letters.iter().position(|&letter| letter == cell) {
                    Some(set) => sets[set].insert(Point::new(row, column)),
                    None if cell == '.' => {}
                    None => self.fail(&format!("'{cell}' in a row")),
                }
            }
        }
        sets
    }

    /// Checks the lines up to the next rule sets or position.
    fn check(&mut self, start: &Start, rules: &str) {
        let rules =
            Rules::parse(rules, start.size).unwrap_or_else(|error| self.fail(&error.to_string()));
        let position = Position::parse_under(&start.text, rules)
            .unwrap_or_else(|error| self.fail(&format!("under {rules}: {error}")));
        let stones = Color::BOTH.map(|color| *position.stones(color));
        let is_empty = stones.iter().all(Bitboard::is_empty);
        let mut game = Game {
            compares: start.is_set_up && (is_empty || rules.family != Family::Conquest),
            pair: Pair::with_stones(rules, stones, position.turn()),
        };
        game.pair.engine = position;
        game.compare();
        while let Some((word, rest)) = self.line() {
            if matches!(word, "size" | "rules") {
                self.next -= 1;
                return;
            }
            let judged = match word {
                "stones" => game.compare_sets(
                    Color::BOTH.map(|c| *game.pair.engine.stones(c)),
                    self.rows(start.size, ['X', 'O']),
                ),
                "owner" => game.compare_sets(
                    Color::BOTH.map(|c| *game.pair.engine.owned(c)),
                    self.rows(start.size, ['b', 'w']),
                ),
                _ => game.obey(word, rest),
            };
            if let Err(what) = judged {
                self.fail(&format!("under {rules}: {what}"));
            }
        }
    }
}

struct Game {
    pair: Pair,
    compares: bool,
}

impl Game {
    fn compare(&self) {
        if self.compares {
            self.pair.compare(&mut Events::default());
        }
    }

    fn compare_sets(&self, found: [Bitboard; 2], wanted: [Bitboard; 2]) -> Result<(), String> {
        let list = |sets: [Bitboard; 2]| sets.map(|set| names(set.iter().map(|p| (p, 1))));
        equal(list(found), list(wanted))
    }

    fn obey(&mut self, word: &str, rest: &str) -> Result<(), String> {
        let position = &self.pair.engine;
        let words = || rest.split_whitespace();
        match word {
            "play" => words().try_for_each(|chosen| self.play(chosen)),
            "legal" => words().try_for_each(|chosen| {
                position.check_move(parse(chosen)).map_err(|error| format!("{chosen}: {error}"))
            }),
            "illegal" => {
                let (chosen, wanted) = rest.split_once(' ').ok_or("a reason is missing")?;
                let refusal = position.check_move(parse(chosen)).err().ok_or("it is legal")?;
                let told = refusal.to_string();
                if told.contains(wanted) { Ok(()) } else { Err(format!("because: {told}")) }
            }
            "tiles" => {
                let laid = position.size().points().map(|point| (point, position.tiles(point)));
                equal(names(laid.filter(|(_, tiles)| *tiles > 0)), sorted(rest))
            }
            "hot" => equal(names(position.hot_stones().iter().map(|p| (p, 1))), sorted(rest)),
            "starred" => {
                equal(names(position.starred_points().iter().map(|p| (p, 1))), sorted(rest))
            }
            "prisoners" => {
                let held = Color::BOTH.map(|color| position.prisoners(color).to_string());
                equal(held.join(" "), rest.to_owned())
            }
            "count" => {
                let stones = Color::BOTH.map(|color| position.stones(color).count().to_string());
                equal(stones.join(" "), rest.to_owned())
            }
            "incursion" => {
                let told = position.last_incursion().map(|was| if was { "yes" } else { "no" });
                equal(told, Some(rest))
            }
            "score" => {
                equal(position.score().map(|score| score.to_string()), Some(rest.to_owned()))
            }
            "result" => {
                let told = position.outcome().map_or("none".to_owned(), |outcome| {
                    format!("{} {}", outcome.result, outcome.reason)
                });
                equal(told, rest.to_owned())
            }
            _ => Err("no such check".to_owned()),
        }
    }

    fn play(&mut self, chosen: &str) -> Result<(), String> {
        let turn = parse(chosen);
        self.pair.engine.check_move(turn).map_err(|error| format!("{chosen}: {error}"))?;
        if self.compares {
            self.pair.play(turn, &mut Events::default());
        } else {
            self.pair.engine.play_unchecked(turn);
        }
        self.compare();
        Ok(())
    }
}

fn parse(chosen: &str) -> Move {
    chosen.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn equal<T: PartialEq + std::fmt::Debug>(found: T, wanted: T) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("it is {found:?}")) }
}

/// Points with a number each, as `A1 B2=2`, in alphabetical order.
fn names(points: impl Iterator<Item = (Point, u8)>) -> String {
    let name = |(point, count): (Point, u8)| match count {
        1 => point.to_string(),
        _ => format!("{point}={count}"),
    };
    let names: Vec<String> = points.map(name).collect();
    if names.is_empty() { "none".to_owned() } else { sorted(&names.join(" ")) }
}

fn sorted(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    words.sort_unstable();
    words.join(" ")
}
