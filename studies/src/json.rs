//! The findings for machines.

use serde_json::{Map, Value, json};

use arena::Estimate;

use crate::balance::Tested;
use crate::findings::Findings;
use crate::summary::Statistic;

impl Findings {
    /// Everything for machines. What does not apply is null; ends of intervals beyond what was tested are text.
    pub fn json(&self) -> Value {
        let observed = &self.observations;
        json!({
            "rules": self.rules.to_string(),
            "size": self.rules.size,
            "games": observed.games,
            "different_games": observed.different,
            "opening_plies": self.opening_plies,
            "black_chance_on_the_empty_board": self.atlas.black,
            "statistics": statistics(&observed.statistics),
            "ends": statistics(&observed.ends),
            "bans": statistics(&observed.bans),
            "legal_moves_by_turn_of_games_going_on": observed.breadth.iter().map(|breadth| json!({
                "turn": breadth.turn, "games": breadth.games,
                "low": breadth.moves.low, "mean": breadth.moves.value, "high": breadth.moves.high,
            })).collect::<Vec<_>>(),
            "compensation": self.rules.compensation().name(),
            "levels": self.levels.iter().map(|(level, black)| json!({
                "level": level, "low": black.low, "mean": black.value, "high": black.high,
            })).collect::<Vec<_>>(),
            "fair": self.fair.map(|fair| json!({
                "low": tested(fair.low), "value": tested(fair.value), "high": tested(fair.high),
            })),
            "elo_of_doubling": self.doublings.iter().map(|d| json!({
                "simulations": d.simulations, "elo": d.elo.difference, "low": d.elo.low, "high": d.elo.high,
            })).collect::<Vec<_>>(),
            "openings": self.atlas.openings.iter().map(|opening| json!({
                "moves": opening.moves.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "share": opening.share, "value": opening.value,
            })).collect::<Vec<_>>(),
            "effective_openings": self.atlas.effective,
        })
    }
}

fn statistics(list: &[Statistic]) -> Map<String, Value> {
    list.iter().map(|one| (one.name.clone(), statistic(one))).collect()
}

fn statistic(one: &Statistic) -> Value {
    match one.estimate {
        Some(Estimate { low, value, high }) => {
            json!({"low": low, "mean": value, "high": high, "games": one.games})
        }
        None => Value::Null,
    }
}

fn tested(end: Tested) -> Value {
    match end {
        Tested::At(value) => json!(value),
        Tested::Below(_) | Tested::Above(_) => json!(end.to_string()),
    }
}
