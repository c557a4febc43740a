//! Converts records of games to JSON and back.

use engine::{Color, GameResult, Move, Rules, join_with_spaces};
use game::{EndReason, Fault, Game, GameEnd};
use serde_json::{Value, json};

use crate::MatchGame;

impl MatchGame {
    /// The record as JSON, without the rules.
    pub fn to_json(&self) -> Value {
        json!({
            "black": self.players[0],
            "white": self.players[1],
            "opening_plies": self.opening_plies,
            "moves": join_with_spaces(&self.moves),
            "winner": self.end.result.winner().map(|winner| winner.to_string()),
            "reason": self.end.reason.to_string(),
            "transcript": self.transcript,
        })
    }

    /// The recorded game, replayed under its rules, against which the record's end is checked.
    ///
    /// # Errors
    /// A description of what is missing or contradicts the rules.
    pub fn from_json(record: &Value, rules: Rules) -> Result<MatchGame, String> {
        let word = |key: &str| record[key].as_str().ok_or_else(|| format!("no '{key}'"));
        let moves = Move::parse_all(word("moves")?).map_err(|error| error.to_string())?;
        let mut played = Game::new(rules);
        for &next in &moves {
            played.play(next).map_err(|error| format!("{next}: {error}"))?;
        }
        let players = [word("black")?.to_owned(), word("white")?.to_owned()];
        let plies = record["opening_plies"].as_u64().ok_or("no 'opening_plies'")?;
        let reason = word("reason")?;
        let winner = Color::BOTH
            .into_iter()
            .find(|color| record["winner"].as_str() == Some(&color.to_string()));
        let result = winner.map_or(GameResult::Draw, GameResult::Won);
        let end = match end_outside_the_rules(reason) {
            None => played
                .end()
                .filter(|end| end.reason.to_string() == reason)
                .ok_or_else(|| format!("the game does not end by '{reason}'"))?,
            Some(_) if winner.is_none() => return Err(format!("no 'winner' by '{reason}'")),
            Some(reason) => GameEnd { result, reason },
        };
        if end.result != result {
            return Err(format!("the game ends by '{reason}' with another winner"));
        }
        let mut game = MatchGame::new(&played, end, plies as usize, players);
        game.transcript = record["transcript"].as_str().map(str::to_owned);
        Ok(game)
    }
}

/// The end with this name, unless it is one of the rules' own.
fn end_outside_the_rules(name: &str) -> Option<EndReason> {
    let faults = Fault::ALL.into_iter().map(EndReason::Fault);
    faults.chain([EndReason::Resignation]).find(|end| end.to_string() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Reason;

    #[test]
    fn nobody_resigns_to_a_draw() {
        let read = |winner: Value| {
            let record = json!({
                "black": "one", "white": "other", "opening_plies": 0, "moves": "C3",
                "winner": winner, "reason": EndReason::Resignation.to_string(),
            });
            MatchGame::from_json(&record, Rules::parse("go", 5).unwrap())
        };
        assert_eq!(read(json!("B")).unwrap().end, GameEnd::resigned(Color::White));
        assert_eq!(read(Value::Null).err().unwrap(), "no 'winner' by 'resignation'");
    }

    #[test]
    fn no_two_ends_have_one_name() {
        for reason in Reason::ALL {
            assert_eq!(end_outside_the_rules(&reason.to_string()), None);
        }
        for fault in Fault::ALL {
            assert_eq!(end_outside_the_rules(&fault.to_string()), Some(EndReason::Fault(fault)));
        }
    }
}
