//! Positions on which networks are compared: the same in every run of the same rules.

use engine::{Position, Rules};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use search::{Evaluator, EvaluatorError};
use selfplay::random_turn;

/// Random games are stopped before this many plies, as a fraction of the board's area.
const MAX_PLIES_PER_POINT: f32 = 0.6;
/// Batch size.
const BATCH: usize = 256;

/// Positions of random games, each from a different game.
pub(crate) fn positions(rules: &Rules, count: usize) -> Vec<Position> {
    let longest = (MAX_PLIES_PER_POINT * rules.size.area() as f32) as usize;
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let mut list = Vec::with_capacity(count);
    while list.len() < count {
        let plies = random.random_range(0..=longest);
        let mut position = Position::new(*rules);
        for _ in 0..plies {
            if random_turn(&mut position, &mut random).is_none() {
                break;
            }
        }
        list.push(position);
    }
    list
}

/// Fraction of the positions in which two networks prefer the same move without search.
///
/// # Errors
/// The first error of either network.
pub(crate) fn agreement<E: Evaluator>(
    evaluators: &mut [E; 2],
    positions: &[Position],
) -> Result<f64, EvaluatorError> {
    let mut agreeing = 0;
    for batch in positions.chunks(BATCH) {
        let batch: Vec<&Position> = batch.iter().collect();
        let [first, second] = evaluators;
        let (first, second) = (first.evaluate(&batch)?, second.evaluate(&batch)?);
        let pairs = first.iter().zip(&second);
        agreeing += pairs.filter(|(a, b)| a.likeliest() == b.likeliest()).count();
    }
    Ok(agreeing as f64 / positions.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use engine::Variant;
    use search::evaluators::Scripted;

    use super::*;

    #[test]
    fn positions_are_the_same_every_time_and_go_on() {
        for variant in Variant::ALL {
            let rules = variant.rules(5).unwrap();
            let suite = positions(&rules, 50);
            let hashes = |suite: &[Position]| suite.iter().map(Position::hash).collect::<Vec<_>>();
            assert_eq!(hashes(&suite), hashes(&positions(&rules, 50)));
            assert!(suite.iter().all(|position| position.outcome().is_none()), "{variant}");
            let mut different = hashes(&suite);
            different.sort_unstable();
            different.dedup();
            assert!(different.len() > 25, "{variant}: {}", different.len());
        }
    }

    #[test]
    fn equal_networks_agree_and_unequal_ones_by_chance() {
        let suite = positions(&Variant::Go.rules(5).unwrap(), 300);
        let among =
            |seeds: [u64; 2]| agreement(&mut seeds.map(|seed| Scripted { seed }), &suite).unwrap();
        assert_eq!(among([1, 1]), 1.0);
        assert!(among([1, 2]) < 0.2, "{}", among([1, 2]));
    }
}
