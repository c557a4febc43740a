//! Balanced openings.

use engine::{Move, Position, Rules};
use search::{Evaluator, EvaluatorError, Search, Settings};

use crate::openings::{BATCH, MAX_EXTRA_PLIES, Openings, position_after};

/// An opening is nearly even if its expected result is within this distance of a draw.
const NEAR_EVEN: f32 = 0.3;

/// Openings to which the raw evaluator gives a larger absolute value than this are not searched.
const SURE: f32 = 0.8;

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
    /// There may be fewer than `wanted`, or none if the rules favour one colour too much.
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
        let mut best = Openings { plies: shortest, lines: Vec::new() };
        for plies in shortest..=shortest + MAX_EXTRA_PLIES {
            let mut drawn = Openings::draw(rules, plies, CANDIDATES * wanted, seed);
            drawn.keep_even(rules, wanted, judge, simulations)?;
            if drawn.lines.len() > best.lines.len() {
                best = drawn;
            }
            if best.lines.len() == wanted {
                break;
            }
        }
        Ok(best)
    }

    /// Keeps the first nearly even openings, up to a limit.
    fn keep_even<E: Evaluator>(
        &mut self,
        rules: Rules,
        wanted: usize,
        judge: &mut E,
        simulations: u32,
    ) -> Result<(), EvaluatorError> {
        let settings = Settings::to_win(simulations);
        let (mut even, mut left) = (Vec::new(), self.lines.as_slice());
        while even.len() < wanted && !left.is_empty() {
            let batch = (2 * (wanted - even.len())).clamp(MIN_BATCH, BATCH).min(left.len());
            let (lines, rest) = left.split_at(batch);
            left = rest;
            let open = unsure(rules, lines, judge)?;
            let search = |(_, position): &(_, Position)| Search::new(position.clone(), settings, 0);
            let mut searches: Vec<Search> = open.iter().map(search).collect();
            search::run(&mut searches, judge)?;
            let near = |search: &Search| search.result().root_value.abs() < NEAR_EVEN;
            let kept = open.into_iter().zip(&searches).filter(|(_, search)| near(search));
            even.extend(kept.map(|((line, _), _)| line));
        }
        even.truncate(wanted);
        self.lines = even;
        Ok(())
    }
}

/// The lines whose value the raw judge is not sure of, with their positions.
fn unsure<E: Evaluator>(
    rules: Rules,
    lines: &[Vec<Move>],
    judge: &mut E,
) -> Result<Vec<(Vec<Move>, Position)>, EvaluatorError> {
    let after = |line: &Vec<Move>| (line.clone(), position_after(rules, line));
    let reached: Vec<(Vec<Move>, Position)> = lines.iter().map(after).collect();
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
            let random = Openings::draw(rules, openings.plies, CANDIDATES * 20, 1);
            assert!(openings.lines.iter().all(|line| random.lines.contains(line)));
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
