//! Reads the lines of a position's text.

use super::error::PositionError;
use crate::go::LastTurn;
use crate::history::Change;
use crate::{Bitboard, Color, GameResult, Outcome, Point, Reason, Size};

/// The values of a text; `None` where the line is missing.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) rules: Option<(usize, String)>,
    pub(super) size: Option<Size>,
    pub(super) stones: [Bitboard; 2],
    pub(super) owned: [Bitboard; 2],
    pub(super) turn: Option<Color>,
    pub(super) turns: Option<u16>,
    pub(super) passes: Option<u16>,
    pub(super) white_passes: Option<u16>,
    pub(super) recent: Option<Vec<Option<Point>>>,
    pub(super) last: Option<LastTurn>,
    pub(super) placement_incursion: bool,
    pub(super) prisoners: Option<[u16; 2]>,
    pub(super) taken: Option<[u16; 2]>,
    pub(super) tiles: Option<Vec<(Point, u8)>>,
    pub(super) hot: Option<Bitboard>,
    pub(super) fixed: Option<Vec<(Point, Point)>>,
    pub(super) left: Option<(u8, bool)>,
    pub(super) history: Vec<Change>,
    pub(super) result: Option<Outcome>,
}

/// The first words of lines besides `rules`, `size` and who is to move.
const WORDS: [&str; 14] = [
    "turns",
    "passes",
    "white-passes",
    "recent",
    "last",
    "placement",
    "prisoners",
    "taken",
    "tiles",
    "hot",
    "fixed",
    "left",
    "history",
    "result",
];

impl Draft {
    /// Reads all lines of a text, without checking which of them apply under the rules.
    pub(super) fn read(text: &str) -> Result<Draft, PositionError> {
        let mut draft = Draft::default();
        let mut seen: Vec<&str> = Vec::new();
        let mut lines = (1..)
            .zip(text.lines().map(str::trim))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        while let Some((number, line)) = lines.next() {
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let rest = rest.trim();
            let kind = if rest == "to move" { rest } else { word };
            if kind != "history" && seen.contains(&kind) {
                return Err(PositionError::Twice { line: number, word: kind.to_owned() });
            }
            seen.push(kind);
            match kind {
                "rules" => draft.rules = Some((number, rest.to_owned())),
                "size" => {
                    let size: Size = rest
                        .parse()
                        .map_err(|error| PositionError::Rules { line: number, error })?;
                    draft.size = Some(size);
                    for row in (0..size.height()).rev() {
                        let (number, line) = lines.next().ok_or(PositionError::Missing("row"))?;
                        draft.read_row(Line { number, rest: line }, row, size.width())?;
                    }
                }
                _ => draft.read_line(kind, word, Line { number, rest })?,
            }
        }
        Ok(draft)
    }

    fn read_row(&mut self, line: Line<'_>, row: usize, width: usize) -> Result<(), PositionError> {
        let marks: Vec<char> = line.rest.chars().filter(|mark| !mark.is_whitespace()).collect();
        if marks.len() != width {
            return line.expected("a row of the board with one of . X O b w for each point");
        }
        for (column, mark) in marks.into_iter().enumerate() {
            let point = Point::new(row, column);
            match mark {
                '.' => {}
                'X' => self.stones[0].insert(point),
                'O' => self.stones[1].insert(point),
                'b' => self.owned[0].insert(point),
                'w' => self.owned[1].insert(point),
                _ => return line.expected("a row of the board made of . X O b w only"),
            }
        }
        Ok(())
    }

    fn read_line(&mut self, kind: &str, word: &str, line: Line<'_>) -> Result<(), PositionError> {
        match kind {
            "to move" => self.turn = Some(line.color(word)?),
            "turns" => self.turns = Some(line.number()?),
            "passes" => self.passes = Some(line.number()?),
            "white-passes" => self.white_passes = Some(line.number()?),
            "recent" => {
                let point = |word| match word {
                    "pass" => Ok(None),
                    vertex => line.point(vertex).map(Some),
                };
                self.recent = Some(line.words().map(point).collect::<Result<_, _>>()?);
            }
            "last" => self.last = Some(line.last()?),
            "placement" if line.rest == "incursion" => self.placement_incursion = true,
            "placement" => return line.expected("'incursion'"),
            "prisoners" => self.prisoners = Some(line.pair()?),
            "taken" => self.taken = Some(line.pair()?),
            "tiles" => {
                let tile = |word: &str| {
                    let (point, count) = word.split_once('=').unwrap_or((word, "1"));
                    let count = count.parse().or_else(|_| line.expected("points such as D4=2"));
                    Ok((line.point(point)?, count?))
                };
                self.tiles = Some(line.words().map(tile).collect::<Result<_, PositionError>>()?);
            }
            "hot" => {
                self.hot = Some(line.words().map(|p| line.point(p)).collect::<Result<_, _>>()?);
            }
            "fixed" if line.rest == "none" => self.fixed = Some(Vec::new()),
            "fixed" => {
                let fixed = |word: &str| match word.split_once('=') {
                    Some((stone, side)) => Ok((line.point(stone)?, line.point(side)?)),
                    None => line.expected("stones with their sides, such as D1=C1, or 'none'"),
                };
                self.fixed = Some(line.words().map(fixed).collect::<Result<_, _>>()?);
            }
            "left" => self.left = Some(line.left()?),
            "history" => {
                for word in line.words() {
                    self.history.push(line.turn(word)?);
                }
            }
            "result" => self.result = Some(line.result()?),
            _ => {
                let (line, given) = (line.number, quoted(kind));
                return Err(PositionError::Unknown { line, given, known: WORDS.join(", ") });
            }
        }
        Ok(())
    }
}

/// The part of a line after its first word.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    rest: &'a str,
}

impl<'a> Line<'a> {
    fn expected<T>(&self, expected: &'static str) -> Result<T, PositionError> {
        Err(PositionError::Expected { line: self.number, expected })
    }

    fn words(self) -> impl Iterator<Item = &'a str> {
        self.rest.split_whitespace()
    }

    fn point(&self, text: &str) -> Result<Point, PositionError> {
        text.parse().map_err(|error| PositionError::Point { line: self.number, error })
    }

    fn color(&self, text: &str) -> Result<Color, PositionError> {
        text.parse().or_else(|_| self.expected("black or white (in a history B or W)"))
    }

    fn number(&self) -> Result<u16, PositionError> {
        self.rest.parse().or_else(|_| self.expected("a number from 0 to 65535"))
    }

    /// Reads Black's number, then White's.
    fn pair(&self) -> Result<[u16; 2], PositionError> {
        let numbers: Option<Vec<u16>> = self.words().map(|word| word.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[black, white]) => Ok([black, white]),
            Some(_) | None => self.expected("two numbers, Black's and White's"),
        }
    }

    fn last(&self) -> Result<LastTurn, PositionError> {
        let mut last = LastTurn::default();
        for word in self.words() {
            match (word, word.strip_prefix("ko=")) {
                (_, Some(point)) => last.ko = Some(self.point(point)?),
                ("capture", None) => last.capture = true,
                ("incursion", None) => last.incursion = true,
                ("minimal-incursion", None) => last.minimal = true,
                (_, None) => {
                    return self.expected("capture, incursion, minimal-incursion, ko=POINT");
                }
            }
        }
        Ok(last)
    }

    fn left(&self) -> Result<(u8, bool), PositionError> {
        let (number, is_more) = match self.rest.split_once(' ') {
            Some((number, "more")) => (number, true),
            Some(_) | None => (self.rest, false),
        };
        match number.parse() {
            Ok(number) => Ok((number, is_more)),
            Err(_) => self.expected("a number of stones, and 'more' if one has been placed"),
        }
    }

    /// Reads a turn of the history: `pass`, `B:C3`, `W:D3xC3,C4`, `B:A1-A1,A2`.
    fn turn(&self, text: &str) -> Result<Change, PositionError> {
        if text == "pass" {
            return Ok(Change::NONE);
        }
        let Some((color, placement)) = text.split_once(':') else {
            return self.expected("turns such as B:C3, W:D3xC3,C4, B:A1-A1,A2 or pass");
        };
        let color = self.color(color)?;
        let (placement, lost) = placement.split_once('-').unwrap_or((placement, ""));
        let (point, taken) = placement.split_once('x').unwrap_or((placement, ""));
        let set = |points: &str| -> Result<Bitboard, PositionError> {
            let points = points.split(',').filter(|point| !point.is_empty());
            points.map(|point| self.point(point)).collect()
        };
        let mut removed = [Bitboard::EMPTY; 2];
        removed[color.index()] = set(lost)?;
        removed[color.opponent().index()] = set(taken)?;
        Ok(Change { placed: Some((color, self.point(point)?)), removed })
    }

    fn result(&self) -> Result<Outcome, PositionError> {
        const EXPECTED: &str = "B, W or draw, and a reason such as passes";
        let (result, reason) = self.rest.split_once(' ').unwrap_or((self.rest, ""));
        let result = match result {
            "B" => GameResult::Won(Color::Black),
            "W" => GameResult::Won(Color::White),
            "draw" => GameResult::Draw,
            _ => return self.expected(EXPECTED),
        };
        match Reason::ALL.into_iter().find(|known| known.to_string() == reason) {
            Some(reason) => Ok(Outcome { result, reason }),
            None => self.expected(EXPECTED),
        }
    }
}

/// Quotes a word for a message, shortened because an untrusted file can make it arbitrarily long.
fn quoted(word: &str) -> String {
    const MAX_SHOWN: usize = 40;
    let shown: String = word.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    if word.chars().nth(MAX_SHOWN).is_some() { format!("{shown} …") } else { shown }
}
