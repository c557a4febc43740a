//! The results for machines.

use arena::Estimate;
use serde_json::{Map, Value, json};

use crate::balance::{FairPoint, TestedCompensation};
use crate::statistic::Statistic;

use super::calibration::{Calibration, Reliability};
use super::difference::Difference;
use super::examination::Examination;
use super::results::{Results, RuleSetResults};
use super::solved::Solved;

impl Results {
    /// Everything as JSON, including the examination if one is given. Whatever does not apply is
    /// null; ends of intervals beyond what was tested are text.
    pub fn json(&self, examination: Option<&Examination>) -> Value {
        let others = self.rule_sets.iter().skip(1).zip(&self.differences);
        json!({
            "sentences": self.sentences(),
            "networks": self.networks,
            "rule_sets": self.rule_sets.iter().map(rule_set).collect::<Vec<_>>(),
            "differences": others.map(|(other, differences)| json!({
                "from": other.rules.to_string(),
                "figures": differences.iter().map(difference).collect::<Map<_, _>>(),
            })).collect::<Vec<_>>(),
            "closer_look": examination.map(closer_look),
        })
    }
}

/// Matches are pairs of games by the half points of the player named first, 0 to 4.
fn closer_look(examination: &Examination) -> Value {
    json!({
        "positions_under_other_rules": examination.under.iter().map(|under| json!({
            "rules": under.other.to_string(),
            "statistics": statistics(&under.statistics),
        })).collect::<Vec<_>>(),
        "networks_against_reference_player":
            examination.strengths.iter().map(|pairs| pairs.0).collect::<Vec<_>>(),
        "perfect_play": examination.solved.iter().map(|Solved { rules, solution }| json!({
            "rules": rules.to_string(), "value": solution.value.to_string(),
            "best": solution.best.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "twice_the_simulations": examination.doublings.iter().map(|doubling| json!({
            "simulations": [2 * doubling.simulations, doubling.simulations], "pairs": doubling.pairs.0,
        })).collect::<Vec<_>>(),
        "with_the_rule_against_without_using_it": examination.restricted.map(|pairs| pairs.0),
        "without_the_ban_that_was_met_against_with_it": examination.ablation_pairs.map(|pairs| pairs.0),
    })
}

fn rule_set(rule_set: &RuleSetResults) -> Value {
    let observed = &rule_set.observations;
    json!({
        "rules": rule_set.rules.to_string(),
        "size": rule_set.rules.size,
        "games": observed.games,
        "different_games": observed.different,
        "opening_plies": rule_set.opening_plies,
        "black_chance_on_the_empty_board": rule_set.empty_board.iter().map(|search| search.black).collect::<Vec<_>>(),
        "doubt_of_these_chances": rule_set.empty_board.iter().map(|search| (search.black - search.shorter).abs()).collect::<Vec<_>>(),
        "black_from_the_empty_board": rule_set.black.map(estimate),
        "statistics": statistics(&observed.statistics),
        "ends": statistics(&observed.ends),
        "bans": statistics(&observed.bans),
        "legal_moves_by_turn_of_games_going_on": observed.breadth.iter().map(|breadth| json!({
            "turn": breadth.turn, "games": breadth.games,
            "low": breadth.moves.low, "mean": breadth.moves.value, "high": breadth.moves.high,
        })).collect::<Vec<_>>(),
        "compensation": rule_set.rules.compensation().name(),
        "levels": rule_set.levels.iter().map(|(level, black)| json!({
            "level": level, "low": black.low, "mean": black.value, "high": black.high,
        })).collect::<Vec<_>>(),
        "fair": rule_set.fair.together.map(fair),
        "fair_by_network":
            rule_set.fair.networks.iter().map(|one| one.map(fair)).collect::<Vec<_>>(),
        "calibration": calibration(&rule_set.calibration),
        "calibration_by_network":
            rule_set.network_calibrations.iter().map(calibration).collect::<Vec<_>>(),
        "chances_are_believed": rule_set.is_believed(),
    })
}

fn statistics(list: &[Statistic]) -> Map<String, Value> {
    list.iter().map(|one| (one.key.clone(), statistic(one))).collect()
}

fn statistic(one: &Statistic) -> Value {
    match one.estimate {
        Some(Estimate { low, value, high }) => json!({
            "name": one.name, "low": low, "mean": value, "high": high, "games": one.games, "rests_on_evaluations": one.evaluated,
        }),
        None => Value::Null,
    }
}

fn estimate(Estimate { low, value, high }: Estimate) -> Value {
    json!({"low": low, "mean": value, "high": high})
}

fn difference(one: &Difference) -> (String, Value) {
    let Estimate { low, value, high } = one.estimate;
    let said = json!({"low": low, "mean": value, "high": high, "certain": one.certain});
    (one.key.clone(), said)
}

fn fair(fair: FairPoint) -> Value {
    let end = |end: TestedCompensation| match end {
        TestedCompensation::At(value) => json!(value),
        TestedCompensation::Below(_) | TestedCompensation::Above(_) => json!(end.to_string()),
    };
    json!({"low": end(fair.low), "value": end(fair.value), "high": end(fair.high)})
}

fn calibration(calibration: &Calibration) -> Value {
    let reliability = match calibration.reliability() {
        Reliability::Holds => "holds",
        Reliability::Open => "open",
        Reliability::Fails => "fails",
    };
    json!({
        "reliability": reliability,
        "bins": calibration.bins.iter().map(|bin| json!({
            "positions": bin.positions, "said": bin.said, "happened": bin.happened, "standard_error": bin.error,
        })).collect::<Vec<_>>(),
    })
}
