//! Games under other rules.

use engine::Rules;
use search::Random;

use crate::other_rules::{self, DifferentPlacements, EvaluationShift, OtherRulesGame};

use super::{Chance, CoverageCounts, SPREADS, STUDIES};

/// Games under other rules that hardly matter in most games and a lot in some, or equally in all.
#[test]
fn comparisons_with_other_rules_hold() {
    let rules = Rules::parse("tile", 7).expect("rules");
    for (kind, &spread) in SPREADS.iter().enumerate() {
        for (usual, rare) in [(0.003, 0.0), (0.03, 0.02), (0.3, 0.3)] {
            let mut chance = Chance(Random::derive(53, kind as u64));
            let mut games = |count: usize| -> Vec<OtherRulesGame> {
                (0..count)
                    .map(|_| {
                        let opening = (spread / 8.0 * chance.normal()).exp();
                        let strange = if chance.happens(rare) { 0.5 } else { 0.0 };
                        let distance = (usual * opening * chance.uniform() + strange).min(1.0);
                        let differing = (40.0 * distance) as usize;
                        let difference = DifferentPlacements {
                            turn: 0,
                            is_replayed: true,
                            only_here: Vec::new(),
                            only_there: Vec::new(),
                        };
                        let sign = if chance.happens(0.6) { 1.0 } else { -1.0 };
                        OtherRulesGame {
                            replayed: 40 - differing,
                            set_up: differing,
                            left_out: 0,
                            placements: Some([30.0 + chance.normal(), 30.0 - distance]),
                            differences: vec![difference; differing],
                            shift: Some(EvaluationShift {
                                divergence: 2.0 * distance,
                                agreement: 1.0 - distance,
                                black: sign * distance,
                                distance,
                            }),
                        }
                    })
                    .collect()
            };
            let truth = other_rules::statistics(&games(20_000), &rules);
            let mut counts = CoverageCounts::default();
            for _ in 0..STUDIES {
                for (found, known) in other_rules::statistics(&games(60), &rules).iter().zip(&truth)
                {
                    let [found, known_value] =
                        [found, known].map(|one| one.estimate.expect("games"));
                    counts.estimate(&known.name, found, known_value.value);
                }
            }
            counts.close(&format!("usually {usual}, sometimes {rare}, spread {spread}"));
        }
    }
}
