//! Different beginnings for the games of a match.

use std::collections::HashSet;

use engine::{Move, Position, Rules, Symmetry, WORDS};

use crate::Random;

/// Openings are listed completely, ply by ply, until there are more than this many; from there on they are drawn.
const LIST_UP_TO: usize = 500;

/// Plies that may be added where too few openings exist.
const MOST_EXTRA_PLIES: usize = 4;

/// Distinct random openings of one length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Openings {
    /// Turns in each opening.
    pub plies: usize,
    /// The openings, in random order. No two lead to the same stones, symmetric boards counted as the same.
    pub lines: Vec<Vec<Move>>,
}

impl Openings {
    /// Plies that make enough different games without deciding many.
    pub fn default_plies(size: usize) -> usize {
        match size {
            0..=4 => 1,
            5..=6 => 2,
            7..=8 => 3,
            _ => 4,
        }
    }

    /// Draws `wanted` openings of so many plies, or as many as exist. None of them ends the game or has a pass.
    pub fn draw(rules: Rules, plies: usize, wanted: usize, seed: u64) -> Openings {
        let mut random = Random::new(seed);
        let start = Line { moves: Vec::new(), position: Position::new(rules) };
        let mut lines = vec![start];
        let mut listed = 0;
        while listed < plies && lines.len() <= LIST_UP_TO {
            lines = longer(&lines);
            listed += 1;
        }
        if listed < plies {
            lines = extend_randomly(&lines, plies - listed, wanted, &mut random);
        }
        for last in (1..lines.len()).rev() {
            lines.swap(last, random.below(last + 1));
        }
        lines.truncate(wanted);
        Openings { plies, lines: lines.into_iter().map(|line| line.moves).collect() }
    }

    /// As [`Openings::draw`] with [`Openings::default_plies`], longer where there are not enough of that length.
    pub fn draw_enough(rules: Rules, wanted: usize, seed: u64) -> Openings {
        let plies = Openings::default_plies(rules.size.into());
        let mut openings = Openings::draw(rules, plies, wanted, seed);
        for plies in plies + 1..=plies + MOST_EXTRA_PLIES {
            if openings.lines.len() >= wanted {
                break;
            }
            let more = Openings::draw(rules, plies, wanted, seed);
            if more.lines.len() > openings.lines.len() {
                openings = more;
            }
        }
        openings
    }
}

#[derive(Clone)]
struct Line {
    moves: Vec<Move>,
    position: Position,
}

impl Line {
    /// The line with one more placement; `None` if that ends the game.
    fn then(&self, played: Move) -> Option<Line> {
        let mut next = self.clone();
        next.position.play(played).ok()?;
        next.moves.push(played);
        next.position.outcome().is_none().then_some(next)
    }

    fn placements(&self) -> Vec<Move> {
        self.position
            .legal_moves()
            .iter()
            .filter(|&&played| played != Move::Pass)
            .copied()
            .collect()
    }
}

/// All lines one ply longer, without symmetric copies and transpositions.
fn longer(lines: &[Line]) -> Vec<Line> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for line in lines {
        for played in line.placements() {
            if let Some(next) = line.then(played).filter(|next| seen.insert(key(&next.position))) {
                all.push(next);
            }
        }
    }
    all
}

/// Different lines that go on at random from the given ones. Few are drawn of very many, so few draws fail.
fn extend_randomly(lines: &[Line], plies: usize, wanted: usize, random: &mut Random) -> Vec<Line> {
    let mut seen = HashSet::new();
    let mut drawn = Vec::new();
    for _ in 0..20 * wanted + 100 {
        if drawn.len() == wanted {
            break;
        }
        let line = random_line(lines, plies, random);
        if let Some(line) = line.filter(|line| seen.insert(key(&line.position))) {
            drawn.push(line);
        }
    }
    drawn
}

fn random_line(lines: &[Line], plies: usize, random: &mut Random) -> Option<Line> {
    let start = lines.get(random.below(lines.len().max(1)))?;
    (0..plies).try_fold(start.clone(), |line, _| line.then(random.choose(&line.placements())?))
}

/// The same for positions with the same stones on boards that a symmetry maps onto each other.
fn key(position: &Position) -> [[u64; WORDS]; 2] {
    let size = position.size();
    let boards = Symmetry::ALL.map(|symmetry| {
        engine::Color::BOTH.map(|color| *symmetry.board(position.stones(color), size).words())
    });
    boards.into_iter().min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Variant;

    #[test]
    fn openings_are_legal_unfinished_and_distinct() {
        for variant in Variant::ALL {
            let rules = variant.rules(7).expect("rules");
            let openings = Openings::draw(rules, 4, 300, 1);
            assert_eq!(openings.lines.len(), 300, "{variant}");
            let mut seen = HashSet::new();
            for line in &openings.lines {
                assert_eq!(line.len(), 4);
                let mut position = Position::new(rules);
                line.iter().for_each(|&played| position.play(played).expect("a legal opening"));
                assert!(position.outcome().is_none());
                assert!(seen.insert(key(&position)), "{variant}");
            }
        }
    }

    #[test]
    fn a_small_board_gives_all_it_has() {
        // The points of an eighth of the board, its edges included.
        let rules = Variant::ALL[0].rules(5).expect("rules");
        assert_eq!(Openings::draw(rules, 1, 100, 1).lines.len(), 6);
        assert_eq!(Openings::draw_enough(rules, 1_000, 1).lines.len(), 1_000);
        assert_eq!(Openings::draw(rules, 0, 100, 1).lines.len(), 1);
    }

    #[test]
    fn the_seed_decides() {
        let rules = Variant::ALL[0].rules(9).expect("rules");
        let draw = |seed| Openings::draw(rules, 4, 50, seed);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
