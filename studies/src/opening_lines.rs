//! How games begin: the lines that an agent's searches follow from the empty board.

use std::collections::HashMap;

use arena::{BoardKey, MatchError, stones_up_to_symmetry};
use engine::{Color, Move, Position, Rules};
use search::{Evaluator, Search};

use crate::agent::{failure, search_all};
use crate::observe::chance;

/// Number of turns in a line.
const PLIES: usize = 6;

/// Number of lines followed: those with the largest shares.
const LINES: usize = 8;

/// Lines with a smaller share are not reported.
const MIN_SHARE: f64 = 0.01;

/// A line from the empty board.
#[derive(Debug, Clone, PartialEq)]
pub struct OpeningLine {
    /// The turns; fewer than six if the game ends.
    pub moves: Vec<Move>,
    /// The product of its moves' weights in the searches' improved policies. Lines that lead to the
    /// same stones up to symmetry count as one, represented by the most frequent one.
    pub share: f64,
    /// Black's winning probability at its end, by a search.
    pub black: f64,
}

#[derive(Clone)]
struct Line {
    /// The most frequent move order that leads to these stones.
    moves: Vec<Move>,
    position: Position,
    /// The share of that move order.
    own: f64,
    /// The share of all move orders.
    share: f64,
}

/// The most frequent lines of six turns, most frequent first; lines that are rare early on are not
/// followed.
///
/// # Errors
/// The evaluator's first error.
pub(crate) fn opening_lines<E: Evaluator>(
    rules: Rules,
    simulations: u32,
    evaluator: &mut E,
) -> Result<Vec<OpeningLine>, MatchError> {
    let start = Position::new(rules);
    let mut lines = vec![Line { moves: Vec::new(), position: start, own: 1.0, share: 1.0 }];
    for _ in 0..PLIES {
        lines = longer(&lines, &search(&lines, simulations, evaluator)?);
    }
    let frequent = lines.iter().take_while(|line| line.share >= MIN_SHARE).count();
    lines.truncate(frequent.max(1));
    let last = search(&lines, simulations, evaluator)?;
    let found = lines.iter().zip(&last).map(|(line, search)| OpeningLine {
        moves: line.moves.clone(),
        share: line.share,
        black: match (search, line.position.outcome()) {
            (Some(search), _) => chance(search.result().root_value),
            (None, Some(outcome)) => outcome.result.half_points(Color::Black) as f64 / 2.0,
            (None, None) => 0.5,
        },
    });
    Ok(found.collect())
}

/// A search of the position at the end of each line; `None` if the game is over.
fn search<E: Evaluator>(
    lines: &[Line],
    simulations: u32,
    evaluator: &mut E,
) -> Result<Vec<Option<Search>>, MatchError> {
    let open = |line: &&Line| line.position.outcome().is_none();
    let ends = lines.iter().filter(open).map(|line| line.position.clone());
    let mut searches = search_all(ends, simulations, evaluator).map_err(failure)?.into_iter();
    Ok(lines.iter().map(|line| open(&line).then(|| searches.next()).flatten()).collect())
}

/// The lines extended by one turn, limited to as many as are followed.
fn longer(lines: &[Line], searches: &[Option<Search>]) -> Vec<Line> {
    let mut next: Vec<Line> = Vec::new();
    let mut known: HashMap<BoardKey, usize> = HashMap::new();
    for (line, search) in lines.iter().zip(searches) {
        let Some(search) = search else {
            next.push(line.clone());
            continue;
        };
        let mut result = search.result();
        result.moves.sort_by(|one, other| other.policy.total_cmp(&one.policy));
        for stats in &result.moves {
            let share = line.share * f64::from(stats.policy);
            let mut position = line.position.clone();
            if share == 0.0 || position.play(stats.played).is_err() {
                continue;
            }
            let key = stones_up_to_symmetry(&position);
            let moves = line.moves.iter().copied().chain([stats.played]).collect();
            let own = line.own * f64::from(stats.policy);
            let found = Line { moves, position, own, share };
            let Some(&same) = known.get(&key) else {
                known.insert(key, next.len());
                next.push(found);
                continue;
            };
            let same = &mut next[same];
            let share = same.share + share;
            if own > same.own {
                *same = found;
            }
            same.share = share;
        }
    }
    next.sort_by(|one, other| other.share.total_cmp(&one.share));
    next.truncate(LINES);
    next
}

#[cfg(test)]
mod tests {
    use engine::Variant;
    use search::evaluators::Scripted;

    use super::*;

    #[test]
    fn lines_are_legal_distinct_and_the_most_frequent_come_first() {
        for variant in Variant::ALL {
            let rules = variant.rules(5).expect("rules");
            let lines = opening_lines(rules, 16, &mut Scripted { seed: 3 }).expect("answers");
            assert!((1..=LINES).contains(&lines.len()), "{variant}: {}", lines.len());
            assert!(lines[1..].iter().all(|line| line.share >= MIN_SHARE), "{variant}");
            let all: f64 = lines.iter().map(|line| line.share).sum();
            assert!(all > 0.0 && all < 1.0 + 1e-6, "{variant}: {all}");
            assert!(lines.is_sorted_by(|one, next| one.share >= next.share), "{variant}");
            let mut seen = Vec::new();
            for line in &lines {
                let mut position = Position::new(rules);
                for &played in &line.moves {
                    position.play(played).expect("a legal move");
                }
                assert!(line.moves.len() == PLIES || position.outcome().is_some(), "{variant}");
                assert!((0.0..=1.0).contains(&line.black));
                let key = stones_up_to_symmetry(&position);
                assert!(!seen.contains(&key), "{variant}");
                seen.push(key);
            }
        }
    }

    /// On four points, games end by passes within six turns.
    #[test]
    fn finished_games_stay_as_they_are() {
        let rules = Rules::parse("go", 2).expect("rules");
        let lines = opening_lines(rules, 8, &mut Scripted { seed: 1 }).expect("answers");
        assert!(!lines.is_empty() && lines.iter().all(|line| line.moves.len() <= PLIES));
    }
}
