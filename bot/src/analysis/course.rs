//! The game of a query: its start, its moves, and compensation for handicap stones.

use engine::{Bitboard, Color, Komi, Move, Position, Rules};
use game::Game;

use super::fields::Fields;
use super::problem::Problem;

/// The game of a query.
pub(super) struct Course {
    /// The number of its moves.
    pub moves: usize,
    /// The positions after 0, 1, … moves.
    pub positions: Vec<Position>,
    /// Why there are fewer positions than moves: a finished game continued, as a resumed one does.
    pub stop: Option<Problem>,
}

impl Fields<'_> {
    /// The rules with the points that White gets for handicap stones added to komi.
    pub fn with_handicap_bonus(
        &self,
        rules: Rules,
        warnings: &mut Vec<Problem>,
    ) -> Result<Rules, Problem> {
        const FIELD: &str = "whiteHandicapBonus";
        let stones = self.placements("initialStones", rules.size)?.unwrap_or_default();
        let handicap = handicap(&stones);
        let bonus = self.read(FIELD, "\"0\", \"N\" or \"N-1\"", |value| {
            match (value.as_str(), value.as_u64()) {
                (Some("0"), _) | (_, Some(0)) => Some(0),
                (Some("N"), _) => Some(handicap),
                (Some("N-1"), _) => Some(handicap.saturating_sub(1)),
                (Some(_) | None, _) => None,
            }
        })?;
        let bonus = bonus.unwrap_or(0);
        if bonus == 0 {
            return Ok(rules);
        }
        if !rules.is_scored_by_area() {
            warnings.push(self.problem(FIELD, "these rules do not count areas: left out"));
            return Ok(rules);
        }
        let komi = Komi::nearest(rules.komi.value() + bonus as f32);
        Ok(komi.map_or(rules, |komi| rules.with_komi(komi)))
    }

    /// Replays the moves.
    pub fn course(&self, rules: Rules) -> Result<Course, Problem> {
        let size = rules.size;
        let stones = self.placements("initialStones", size)?.unwrap_or_default();
        let moves = self.placements("moves", size)?.ok_or_else(|| {
            self.problem("moves", "is required: an empty array if there are none")
        })?;
        let usual = if handicap(&stones) > 0 { Color::White } else { Color::Black };
        let first = self
            .read("initialPlayer", "\"B\" or \"W\"", |value| value.as_str()?.parse().ok())?
            .or(moves.first().map(|&(color, _)| color))
            .unwrap_or(usual);
        let start = self.start(rules, &stones, first)?;
        let mut game = Game::from_position(start);
        let mut positions = vec![game.position().clone()];
        let mut stop = None;
        for (index, &(color, played)) in moves.iter().enumerate() {
            let is_over = game.end().is_some();
            if !(played == Move::Pass && game.pass_after_end())
                && let Err(error) = game.play_as(color, played)
            {
                // KaTrain looks for KataGo's first two words.
                let message = format!("Illegal move {index}: {color} {played}: {error}");
                let problem = self.problem("moves", message);
                if is_over {
                    stop = Some(problem);
                    break;
                }
                return Err(problem);
            }
            positions.push(game.position().clone());
        }
        Ok(Course { moves: moves.len(), positions, stop })
    }

    fn start(
        &self,
        rules: Rules,
        stones: &[(Color, Move)],
        first: Color,
    ) -> Result<Position, Problem> {
        if stones.is_empty() && first == Color::Black {
            return Ok(Position::new(rules));
        }
        let mut boards = [Bitboard::EMPTY; 2];
        for (color, placed) in stones {
            let Move::Place(point) = placed else {
                return Err(self.problem("initialStones", format!("'{placed}' is not a point")));
            };
            boards[color.index()].insert(*point);
        }
        let [black, white] = boards;
        Position::with_stones(rules, black, white, first)
            .map_err(|error| self.problem("initialStones", error.to_string()))
    }
}

/// The number of handicap stones: two or more of Black's with none of White's.
fn handicap(stones: &[(Color, Move)]) -> usize {
    // A stone that is named twice is one.
    let points: Bitboard = stones.iter().filter_map(|(_, placed)| placed.point()).collect();
    let is_handicap = points.count() > 1 && stones.iter().all(|&(color, _)| color == Color::Black);
    if is_handicap { points.count() } else { 0 }
}
