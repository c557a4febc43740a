//! One position under several rule sets: what is legal, who is ahead, and what the networks would
//! play.

use arena::MatchError;
use engine::{Bitboard, Move, Point, Position, PositionError, Rules};
use game::{Replay, SgfRecord, replay};
use search::{Evaluator, Search};

use crate::agent::{agent_settings, failure};
use crate::observe::chance;

/// A position under one rule set.
#[derive(Debug, Clone)]
pub struct Diagram {
    /// The position.
    pub position: Position,
    /// Whether the recorded moves lead to it; otherwise its stones were set up, with as much
    /// history as the rules depend on.
    pub is_replayed: bool,
    /// Black's winning probability by a search of each network; empty if the game is over.
    pub chances: Vec<f64>,
    /// The move that each search chooses.
    pub chosen: Vec<Move>,
    /// Placements that are legal here and not under the first rule set, where both games go on.
    pub only_here: Vec<Point>,
    /// Placements that are legal under the first rule set and not here, where both games go on.
    pub not_here: Vec<Point>,
}

/// Why a position cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum DiagramError {
    /// No rule set admits the recorded moves.
    #[error(
        "the recorded moves are illegal under every one of the rule sets: at turn {turn}, {reason}"
    )]
    NoRules {
        /// The turn at which the last of them fails.
        turn: usize,
        /// Why.
        reason: String,
    },
    /// The stones cannot stand under a rule set.
    #[error("the position cannot stand under {rules}: {source}")]
    Setup {
        /// The rules.
        rules: Box<Rules>,
        /// Why.
        source: PositionError,
    },
    /// A search failed.
    #[error(transparent)]
    Search(#[from] MatchError),
}

/// The last position of a record under each of the rule sets, searched by all networks.
///
/// # Errors
/// A position is impossible under a rule set, or an evaluator fails.
pub fn diagrams<E: Evaluator>(
    record: &SgfRecord,
    rule_sets: &[Rules],
    simulations: u32,
    evaluators: &mut [E],
) -> Result<Vec<Diagram>, DiagramError> {
    let positions = positions(record, rule_sets)?;
    let legal = |position: &Position| position.outcome().is_none().then(|| position.legal_points());
    let less = |some: Option<Bitboard>, others: Option<Bitboard>| -> Vec<Point> {
        let both = some.zip(others);
        both.map_or_else(Vec::new, |(some, others)| some.without(&others).iter().collect())
    };
    let first = positions.first().and_then(|(position, _)| legal(position));
    let mut diagrams = Vec::new();
    for (position, is_replayed) in positions {
        let (mut chances, mut chosen) = (Vec::new(), Vec::new());
        for evaluator in evaluators.iter_mut().filter(|_| position.outcome().is_none()) {
            let mut search = [Search::new(position.clone(), agent_settings(simulations), 1)];
            search::run(&mut search, evaluator).map_err(failure)?;
            let result = search[0].result();
            chances.push(chance(result.root_value));
            chosen.push(result.choose(&position, 0.0, 0.0));
        }
        let here = legal(&position);
        diagrams.push(Diagram {
            only_here: less(here, first),
            not_here: less(first, here),
            position,
            is_replayed,
            chances,
            chosen,
        });
    }
    Ok(diagrams)
}

/// The position under each rule set, and whether the recorded moves lead there.
fn positions(
    record: &SgfRecord,
    rule_sets: &[Rules],
) -> Result<Vec<(Position, bool)>, DiagramError> {
    // Rules without tiles, say, cannot begin on a board with tiles, but can have its stones set up.
    let replays: Vec<_> = rule_sets.iter().map(|rules| replay(record, *rules)).collect();
    let whole = |replay: &&Replay| replay.report.stopped.is_none();
    let Some(model) = replays.iter().flatten().find(whole).map(|replay| replay.position.clone())
    else {
        return Err(refusal(replays, rule_sets));
    };
    let same = |position: &Position| {
        engine::Color::BOTH.iter().all(|&color| position.stones(color) == model.stones(color))
    };
    let led_there = |replay: &&Replay| whole(replay) && same(&replay.position);
    let each = replays.iter().zip(rule_sets);
    each.map(|(replay, rules)| match replay.as_ref().ok().filter(led_there) {
        Some(replay) => Ok((replay.position.clone(), true)),
        None => Ok((model.under(*rules).map_err(|source| setup(rules, source))?, false)),
    })
    .collect()
}

/// Why none of these replays came to the end of the record.
fn refusal(replays: Vec<Result<Replay, PositionError>>, rule_sets: &[Rules]) -> DiagramError {
    let stops = replays.iter().flatten().filter_map(|replay| replay.report.stopped.as_ref());
    if let Some(stop) = stops.max_by_key(|stop| stop.turn) {
        return DiagramError::NoRules { turn: stop.turn, reason: stop.reason.clone() };
    }
    let impossible = replays.into_iter().zip(rule_sets).find_map(|(replay, rules)| {
        let source = replay.err()?;
        Some(setup(rules, source))
    });
    impossible.unwrap_or(DiagramError::NoRules { turn: 0, reason: String::new() })
}

fn setup(rules: &Rules, source: PositionError) -> DiagramError {
    DiagramError::Setup { rules: Box::new(*rules), source }
}

#[cfg(test)]
mod tests {
    use engine::Color;
    use search::evaluators::Uniform;

    use super::*;

    /// Black has captured in a corner where White could recapture: a ko under Go's rules, an
    /// incursion under the others.
    #[test]
    fn legal_placements_differ_where_the_rules_do() {
        let rules = ["go", "stoical", "conquest"].map(|name| Rules::parse(name, 5).expect("rules"));
        let mut record = SgfRecord::new(&rules[0]);
        let moves = "A3 A2 B3 B2 C3 C2 D2 C1 D1 pass A1 B1".split(' ');
        for (turn, played) in moves.enumerate() {
            record.push(Color::BOTH[turn % 2], played.parse().expect(played));
        }
        let found = diagrams(&record, &rules[..2], 4, &mut [Uniform, Uniform]).expect("diagrams");
        assert!(found.iter().all(|one| one.is_replayed && one.chances.len() == 2));
        assert!(found[0].only_here.is_empty() && found[0].not_here.is_empty());
        // White has just captured, and Stoical Go allows no capture in return.
        let banned: Vec<String> = found[1].not_here.iter().map(ToString::to_string).collect();
        assert_eq!(banned, ["A1"]);
        let conquest = diagrams(&record, &rules, 4, &mut [Uniform]);
        match conquest {
            Ok(found) => assert!(!found[2].is_replayed),
            Err(error) => assert!(error.to_string().contains("conquest"), "{error}"),
        }
    }

    #[test]
    fn a_board_with_tiles_is_set_up_where_there_are_none() {
        let text = "(;SZ[5]HSS[rules tile\nsize 5\n.....\n.....\n..XO.\n.....\n.....\nblack to move\n\
                    tiles A1\nturns 2\n];B[ad])";
        let record = SgfRecord::read(text.as_bytes()).expect("a record");
        let rules = ["go", "tile"].map(|name| Rules::parse(name, 5).expect("rules"));
        let found = diagrams(&record, &rules, 4, &mut [Uniform]).expect("diagrams");
        assert!(!found[0].is_replayed && found[1].is_replayed);
        assert_eq!(found[0].position.empty(), found[1].position.empty());
        let error = diagrams(&record, &rules[..1], 4, &mut [Uniform]).expect_err("refused");
        assert!(error.to_string().contains("cannot stand under go"), "{error}");
    }

    /// Black takes right after White, which the bans forbid, and then both pass.
    #[test]
    fn a_game_that_is_over_keeps_its_passes_where_it_is_set_up() {
        let named = ["go", "stoical", "stoical,passes_to_end=3"];
        let rules = named.map(|name| Rules::parse(name, 5).expect("rules"));
        let mut record = SgfRecord::new(&rules[0]);
        let moves = "A3 A2 B3 B2 C3 C2 D2 C1 D1 pass A1 B1 A1 pass pass".split(' ');
        for (turn, played) in moves.enumerate() {
            record.push(Color::BOTH[turn % 2], played.parse().expect(played));
        }
        let found = diagrams(&record, &rules, 4, &mut [Uniform]).expect("diagrams");
        let told = |one: &Diagram| (one.is_replayed, one.position.outcome().is_some());
        let told: Vec<(bool, bool)> = found.iter().map(told).collect();
        assert_eq!(told, [(true, true), (false, true), (false, false)]);
        assert_eq!(found[2].position.passes(), 2, "a third one ends it");
        assert!(found[2].only_here.is_empty(), "where a game is over, no placement is legal");
    }

    #[test]
    fn impossible_records_are_refused() {
        let rules = Rules::parse("go", 5).expect("rules");
        let mut record = SgfRecord::new(&rules);
        record.push(Color::Black, "A1".parse().expect("a move"));
        record.push(Color::White, "A1".parse().expect("a move"));
        let error = diagrams(&record, &[rules], 4, &mut [Uniform]).expect_err("refused");
        assert!(error.to_string().contains("at turn 2"), "{error}");
    }
}
