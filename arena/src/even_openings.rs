//! Balanced openings.

use std::collections::HashSet;

use engine::{Move, Position, Rules};
use search::{Evaluator, EvaluatorError, Search, Settings};

use crate::openings::{BATCH, MAX_EXTRA_PLIES, Openings, position_after, stones_up_to_symmetry};

/// An opening is nearly even if its expected result is within this distance of a draw.
const NEAR_EVEN: f32 = 0.3;

/// Openings to which the raw evaluator gives a larger absolute value than this are not searched.
const SURE: f32 = 0.8;

/// A look at an opening takes this fraction of the simulations.
const LOOK: u32 = 8;

/// Openings to which a look gives a larger absolute value than this are not searched further.
const LOPSIDED: f32 = 0.6;

/// Minimum number of openings searched together, to keep the judge busy. About half of the openings
/// are nearly even, so otherwise twice as many as are missing are searched.
const MIN_BATCH: usize = 32;

/// Number of openings judged per wanted one before longer ones are tried.
const CANDIDATES: usize = 5;

impl Openings {
    /// Like [`Openings::draw_enough`], but keeps only those that a judge finds nearly even with the
    /// given number of simulations: neither colour is expected to score more than 65 %.
    /// Deterministic for a given judge and seed.
    ///
    /// They are as short as possible: longer ones follow where there are not enough shorter ones.
    /// There may still be fewer than `wanted`, or none if the rules favour one colour too much.
    ///
    /// # Errors
    /// Errors of the judge.
    pub fn draw_even<E: Evaluator>(
        rules: Rules,
        wanted: usize,
        seed: u64,
        judge: &mut E,
        simulations: u32,
    ) -> Result<Openings, EvaluatorError> {
        let shortest = Openings::default_plies(rules.size);
        let mut even = Openings { plies: shortest, lines: Vec::new() };
        let mut known = HashSet::new();
        for plies in shortest..=shortest + MAX_EXTRA_PLIES {
            let missing = wanted - even.lines.len();
            if missing == 0 {
                break;
            }
            let drawn = Openings::draw(rules, plies, CANDIDATES * missing, seed);
            let mut found = near_even(rules, &drawn.lines, missing, judge, simulations)?;
            // After a capture the stones may be those of a shorter opening.
            found.retain(|(_, position)| known.insert(stones_up_to_symmetry(position)));
            if !found.is_empty() {
                even.plies = plies;
            }
            even.lines.extend(found.into_iter().map(|(line, _)| line));
        }
        Ok(even)
    }
}

/// An opening, and the position after it.
type Reached = (Vec<Move>, Position);

/// The first nearly even openings, up to a limit.
fn near_even<E: Evaluator>(
    rules: Rules,
    lines: &[Vec<Move>],
    wanted: usize,
    judge: &mut E,
    simulations: u32,
) -> Result<Vec<Reached>, EvaluatorError> {
    let (mut even, mut left) = (Vec::new(), lines);
    while even.len() < wanted && !left.is_empty() {
        let batch = (2 * (wanted - even.len())).clamp(MIN_BATCH, BATCH).min(left.len());
        let (lines, rest) = left.split_at(batch);
        left = rest;
        let unsure = unsure(rules, lines, judge)?;
        let open = searched(unsure, judge, simulations.div_ceil(LOOK), LOPSIDED)?;
        even.extend(searched(open, judge, simulations, NEAR_EVEN)?);
    }
    even.truncate(wanted);
    Ok(even)
}

/// The openings to which a search gives an absolute value below this.
fn searched<E: Evaluator>(
    openings: Vec<Reached>,
    judge: &mut E,
    simulations: u32,
    below: f32,
) -> Result<Vec<Reached>, EvaluatorError> {
    let settings = Settings::to_win(simulations);
    let search = |(_, position): &Reached| Search::new(position.clone(), settings, 0);
    let mut searches: Vec<Search> = openings.iter().map(search).collect();
    search::run(&mut searches, judge)?;
    let is_near = |search: &Search| search.result().root_value.abs() < below;
    let near = openings.into_iter().zip(&searches).filter(|(_, search)| is_near(search));
    Ok(near.map(|(reached, _)| reached).collect())
}

/// The lines whose value the raw judge is not sure of, with their positions.
fn unsure<E: Evaluator>(
    rules: Rules,
    lines: &[Vec<Move>],
    judge: &mut E,
) -> Result<Vec<Reached>, EvaluatorError> {
    let after = |line: &Vec<Move>| (line.clone(), position_after(rules, line));
    let reached: Vec<Reached> = lines.iter().map(after).collect();
    let positions: Vec<&Position> = reached.iter().map(|(_, position)| position).collect();
    let evaluations = judge.evaluate(&positions)?;
    let judged = reached.into_iter().zip(evaluations);
    let unsure = judged.filter(|(_, evaluation)| evaluation.value.abs() <= SURE);
    Ok(unsure.map(|(reached, _)| reached).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Variant;
    use search::evaluators::Scripted;

    #[test]
    fn even_openings_are_near_even_for_their_judge() {
        for variant in Variant::ALL {
            let rules = variant.rules(5).expect("rules");
            let mut judge = Scripted { seed: 3 };
            let openings = Openings::draw_even(rules, 20, 1, &mut judge, 8).expect("openings");
            assert!((3..=20).contains(&openings.lines.len()), "{variant}");
            let settings = Settings::to_win(8);
            for line in &openings.lines {
                let mut position = Position::new(rules);
                line.iter().for_each(|&played| position.play(played).expect("legal"));
                let mut searches = [Search::new(position, settings, 0)];
                search::run(&mut searches, &mut judge).expect("a search");
                assert!(searches[0].result().root_value.abs() < NEAR_EVEN, "{variant}");
            }
            let random =
                Openings::draw(rules, Openings::default_plies(rules.size), CANDIDATES * 20, 1);
            let mut shortest = openings.lines.iter().filter(|line| line.len() == random.plies);
            assert!(shortest.all(|line| random.lines.contains(line)), "{variant}");
            let stones = |line: &Vec<Move>| stones_up_to_symmetry(&position_after(rules, line));
            let different: HashSet<_> = openings.lines.iter().map(stones).collect();
            assert_eq!(different.len(), openings.lines.len(), "{variant}");
            assert_eq!(openings.lines.last().map(Vec::len), Some(openings.plies), "{variant}");
            assert!(openings.lines.is_sorted_by_key(Vec::len), "the shortest come first");
        }
    }

    /// A judge that considers every position won finds no opening.
    #[test]
    fn where_nothing_is_even_there_is_no_opening() {
        let rules = Variant::ALL[0].rules(5).expect("rules");
        let mut judge = Winning;
        let openings = Openings::draw_even(rules, 4, 1, &mut judge, 4).expect("openings");
        assert!(openings.lines.is_empty());
    }

    struct Winning;

    impl Evaluator for Winning {
        fn evaluate(
            &mut self,
            batch: &[&Position],
        ) -> Result<Vec<search::Evaluation>, EvaluatorError> {
            let mut evaluations = search::evaluators::Uniform.evaluate(batch)?;
            evaluations.iter_mut().for_each(|evaluation| evaluation.value = 0.9);
            Ok(evaluations)
        }
    }
}
