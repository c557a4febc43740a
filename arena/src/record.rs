//! The record of a game.

use engine::{Color, Move, Position, Rules};
use game::{EndReason, Game, GameEnd};

/// Number of players in a match, and of games in a pair.
pub const PLAYERS: usize = 2;

/// A finished game of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchGame {
    /// The rules it was played by.
    pub rules: Rules,
    /// Names of Black and White.
    pub players: [String; PLAYERS],
    /// All turns, the opening included.
    pub moves: Vec<Move>,
    /// How many of the moves are the opening.
    pub opening_plies: usize,
    /// How it ended.
    pub end: GameEnd,
    /// Black − White − komi, if the score decided the game.
    pub score: Option<f32>,
    /// The transcript of external engines, if any took part.
    pub transcript: Option<String>,
}

impl MatchGame {
    /// The record of a game with this end.
    pub fn new(
        game: &Game,
        end: GameEnd,
        opening_plies: usize,
        players: [String; PLAYERS],
    ) -> MatchGame {
        let score = match end.reason {
            EndReason::Rules(_) => game.position().score(),
            EndReason::Resignation | EndReason::Fault(_) => None,
        };
        MatchGame {
            rules: *game.rules(),
            players,
            moves: game.moves(),
            opening_plies,
            end,
            score,
            transcript: None,
        }
    }

    /// The half points that `color` gets: 0, 1 or 2.
    pub fn half_points(&self, color: Color) -> usize {
        self.end.result.half_points(color)
    }

    /// The positions before the first move and after each.
    pub fn positions(&self) -> Vec<Position> {
        let mut positions = vec![Position::new(self.rules)];
        for &played in &self.moves {
            let mut next = positions[positions.len() - 1].clone();
            next.play_unchecked(played);
            positions.push(next);
        }
        positions
    }

    /// The game as a record for SGF.
    pub fn sgf(&self) -> game::SgfRecord {
        let mut record = game::SgfRecord::of_moves(&self.rules, &self.moves);
        record.players = self.players.clone().map(Some);
        record.result = Some(self.end.to_sgf(self.score));
        record.comment =
            Some(format!("end: {}, opening plies: {}", self.end.reason, self.opening_plies));
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(rules: &str, moves: &str, players: [&str; 2]) -> MatchGame {
        let rules = Rules::parse(rules, 5).expect("rules");
        let mut game = Game::new(rules);
        let mut play = |text: &str| game.play(text.parse().expect(text)).expect("a legal move");
        moves.split(' ').for_each(&mut play);
        let end = game.end().expect("a finished game");
        MatchGame::new(&game, end, 1, players.map(str::to_owned))
    }

    #[test]
    fn a_game_is_written_move_by_move() {
        let game = record("incursion,komi=6.5", "A5 E1 C3 pass pass", ["model:x@64", "a]b\\"]);
        let head = "(;GM[1]FF[4]CA[UTF-8]AP[hotstone:";
        let text = game.sgf().to_string();
        assert!(text.starts_with(head), "{text}");
        let rest = &text[text.find("SZ").expect("a size")..];
        assert_eq!(
            rest,
            "SZ[5]KM[6.5]RU[incursion,komi=6.5]PB[model:x@64]PW[a\\]b\\\\]RE[W+5.5]\
             C[end: passes, opening plies: 1]\n;B[aa]\n;W[ee]\n;B[cc]\n;W[]\n;B[])\n"
        );
    }

    #[test]
    fn a_draw_is_zero() {
        let game = record("go,komi=0", "pass pass", ["a", "b"]);
        assert!(game.sgf().to_string().contains("RE[0]"));
    }
}
