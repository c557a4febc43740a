//! Stones on a board, strings and liberties by flood fill, and Go capture.

use super::rules::{Color, Size};

/// Every point of a board, row by row from the bottom, with the stone that stands on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    pub size: Size,
    pub points: Vec<Option<Color>>,
}

/// A placement with what it did to the stones.
///
/// Two plays are *the same* exactly if all four of these parts are equal, which is what comparing
/// two values of this type does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Play {
    pub player: Color,
    pub point: usize,
    /// The points of the placed stone's string after the play, ascending; none after a suicide.
    pub string: Vec<usize>,
    /// The points whose stones were removed, ascending.
    pub removed: Vec<usize>,
}

impl Play {
    /// A suicide removes the placed stone itself; a capture never does.
    pub fn is_suicide(&self) -> bool {
        self.removed.contains(&self.point)
    }

    pub fn is_capture(&self) -> bool {
        !self.removed.is_empty() && !self.is_suicide()
    }

    /// The colour of the removed stones.
    pub fn removed_color(&self) -> Color {
        if self.is_suicide() { self.player } else { self.player.opponent() }
    }
}

/// What a placement by Go capture leads to.
pub struct Played {
    pub board: Board,
    pub play: Play,
    pub captured_strings: usize,
}

impl Board {
    pub fn empty(size: Size) -> Board {
        Board { size, points: vec![None; size.points()] }
    }

    /// Reads rows of `.`, `X` (Black) and `O` (White), the top row first.
    pub fn from_rows(rows: &[&str]) -> Board {
        let (width, height) = (rows[0].len(), rows.len());
        let mut board = Board::empty(Size { width, height });
        for (from_top, row) in rows.iter().enumerate() {
            for (column, letter) in row.chars().enumerate() {
                let point = (height - 1 - from_top) * width + column;
                board.points[point] = match letter {
                    'X' => Some(Color::Black),
                    'O' => Some(Color::White),
                    _ => None,
                };
            }
        }
        board
    }

    pub fn row(&self, point: usize) -> usize {
        point / self.size.width
    }

    pub fn column(&self, point: usize) -> usize {
        point % self.size.width
    }

    /// The orthogonally adjacent points.
    pub fn neighbours(&self, point: usize) -> impl Iterator<Item = usize> + use<> {
        let Size { width, height } = self.size;
        let (row, column) = (self.row(point), self.column(point));
        [
            (row > 0).then(|| point - width),
            (column > 0).then(|| point - 1),
            (column + 1 < width).then(|| point + 1),
            (row + 1 < height).then(|| point + width),
        ]
        .into_iter()
        .flatten()
    }

    /// All points that can be reached from `start` over neighbours that `belongs` accepts,
    /// ascending. `start` itself is taken without asking.
    pub fn flood(&self, start: usize, belongs: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut seen = vec![false; self.points.len()];
        let mut found = vec![start];
        seen[start] = true;
        let mut next = 0;
        while next < found.len() {
            for neighbour in self.neighbours(found[next]) {
                if !seen[neighbour] && belongs(neighbour) {
                    seen[neighbour] = true;
                    found.push(neighbour);
                }
            }
            next += 1;
        }
        found.sort_unstable();
        found
    }

    /// The points joined to this one that are like it: its string, or its empty area.
    pub fn joined(&self, point: usize) -> Vec<usize> {
        let like = self.points[point];
        self.flood(point, |other| self.points[other] == like)
    }

    pub fn has_liberty(&self, string: &[usize]) -> bool {
        string.iter().any(|&stone| self.neighbours(stone).any(|other| self.points[other].is_none()))
    }

    /// Which colours (Black, White) stand next to a set of empty points.
    pub fn touched_colors(&self, area: &[usize]) -> [bool; 2] {
        let mut touched = [false; 2];
        for &point in area {
            for neighbour in self.neighbours(point) {
                if let Some(color) = self.points[neighbour] {
                    touched[color.index()] = true;
                }
            }
        }
        touched
    }

    /// Whether a placement on this empty point, into this position, would be an incursion: its
    /// empty area touches stones, and all of them are the opponent's.
    pub fn is_incursion(&self, point: usize, player: Color) -> bool {
        let touched = self.touched_colors(&self.joined(point));
        touched[player.opponent().index()] && !touched[player.index()]
    }

    /// A placement with Go capture; nothing where it is illegal by occupation or as a suicide.
    pub fn place(&self, point: usize, player: Color, suicide_allowed: bool) -> Option<Played> {
        if self.points[point].is_some() {
            return None;
        }
        let mut board = self.clone();
        board.points[point] = Some(player);
        let mut removed = Vec::new();
        let mut captured_strings = 0;
        for neighbour in self.neighbours(point) {
            if board.points[neighbour] == Some(player.opponent()) {
                let string = board.joined(neighbour);
                if !board.has_liberty(&string) {
                    board.remove(&string);
                    removed.extend(string);
                    captured_strings += 1;
                }
            }
        }
        removed.sort_unstable();
        let mut string = board.joined(point);
        if !board.has_liberty(&string) {
            // A suicide of a single stone is illegal in every rule set.
            if !suicide_allowed || string.len() == 1 {
                return None;
            }
            board.remove(&string);
            removed = std::mem::take(&mut string);
        }
        Some(Played { board, play: Play { player, point, string, removed }, captured_strings })
    }

    pub fn remove(&mut self, stones: &[usize]) {
        for &stone in stones {
            self.points[stone] = None;
        }
    }

    /// Stones plus empty areas that touch one colour only, for Black and White.
    pub fn area(&self) -> [usize; 2] {
        let mut area = [0; 2];
        for point in 0..self.points.len() {
            match self.points[point] {
                Some(color) => area[color.index()] += 1,
                None => match self.touched_colors(&self.joined(point)) {
                    [true, false] => area[0] += 1,
                    [false, true] => area[1] += 1,
                    _ => {}
                },
            }
        }
        area
    }
}
