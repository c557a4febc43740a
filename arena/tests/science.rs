//! The balance report, end to end with an agent that knows nothing.

use arena::science::{SciencePlan, page, study};
use engine::{Rules, Variant};
use search::evaluators::Uniform;

#[test]
fn every_variant_can_be_studied() {
    let plan = SciencePlan { pairs: 4, simulations: 4, doublings: 1, levels: 1, seed: 3 };
    let findings: Vec<_> = Variant::ALL
        .into_iter()
        .map(|variant| {
            let rules = variant.rules(4).expect("rules");
            study(rules, &plan, Uniform, &mut |_| {}).expect("a study")
        })
        .collect();
    for one in &findings {
        assert_eq!(one.observations.games, 8);
        assert_eq!(one.levels.len(), 3, "{}", one.rules);
        assert_eq!(one.doublings.len(), 1);
        let shares: f64 = one.atlas.openings.iter().map(|opening| opening.share).sum();
        assert!((shares - 1.0).abs() < 1e-3, "{}: {shares}", one.rules);
        for statistic in &one.observations.statistics {
            let [low, mean, high] = statistic.values;
            assert!(low <= mean && mean <= high, "{}: {statistic:?}", one.rules);
        }
        let json = one.json().to_string();
        assert!(json.contains("legal_moves_by_turn") && !json.contains("null,null"), "{json}");
    }
    let page = page("nobody", &findings);
    assert!(page.contains("<svg") && !page.contains("NaN"), "{page}");
    for variant in Variant::ALL {
        assert!(page.contains(variant.name()));
    }
}

#[test]
fn the_special_rule_is_seen_to_bind() {
    let plan = SciencePlan { pairs: 10, simulations: 2, doublings: 0, levels: 0, seed: 3 };
    let rules = Rules::parse("incursion", 5).expect("rules");
    let findings = study(rules, &plan, Uniform, &mut |_| {}).expect("a study");
    let bans = &findings.observations.bans;
    assert!(bans.iter().any(|(rule, share)| rule == "incursion" && *share > 0.0), "{bans:?}");
}
