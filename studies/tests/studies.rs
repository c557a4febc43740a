//! The balance report, end to end with untrained agents.

use engine::{Compensation, Rules, Variant};
use search::Evaluator;
use search::evaluators::{Scripted, Uniform};
use studies::{Findings, Statistic, StudyPlan, figure_keys, page, study};

fn statistics(findings: &Findings) -> impl Iterator<Item = &Statistic> {
    let observed = &findings.observations;
    observed.statistics.iter().chain(&observed.ends).chain(&observed.bans)
}

fn find<'f>(findings: &'f Findings, name: &str) -> &'f Statistic {
    statistics(findings).find(|one| one.name.starts_with(name)).expect(name)
}

fn small(rules: Rules, games: usize, evaluator: impl Evaluator) -> Findings {
    let plan = StudyPlan { games, simulations: 2, doublings: 0, levels: 0, seed: 3 };
    study(rules, &plan, evaluator, &mut |_| {}).expect("a study")
}

#[test]
fn every_variant_can_be_studied() {
    let plan = StudyPlan { games: 8, simulations: 4, doublings: 1, levels: 1, seed: 3 };
    let findings: Vec<_> = Variant::ALL
        .into_iter()
        .map(|variant| {
            let rules = variant.rules(4).expect("rules");
            study(rules, &plan, Uniform, &mut |_| {}).expect("a study")
        })
        .collect();
    for one in &findings {
        assert_eq!(one.observations.games, 8);
        let levels = if one.rules.compensation() == Compensation::None { 0 } else { 3 };
        assert_eq!(one.levels.len(), levels, "{}", one.rules);
        assert_eq!(one.doublings.len(), 1);
        let shares: f64 = one.atlas.openings.iter().map(|opening| opening.share).sum();
        assert!((shares - 1.0).abs() < 1e-3, "{}: {shares}", one.rules);
        let heights = one.observations.breadth.iter().map(|breadth| breadth.moves);
        let levels = one.levels.iter().map(|(_, black)| *black);
        let estimates = statistics(one).filter_map(|one| one.estimate);
        for estimate in estimates.chain(heights).chain(levels) {
            assert!(estimate.low <= estimate.value, "{}: {estimate:?}", one.rules);
            assert!(estimate.value <= estimate.high, "{}: {estimate:?}", one.rules);
            assert!(estimate.low < estimate.high, "{}: {estimate:?}", one.rules);
        }
        let ends: f64 = one.observations.ends.iter().filter_map(|e| Some(e.estimate?.value)).sum();
        assert!((ends - 1.0).abs() < 1e-9, "{}: {ends}", one.rules);
    }
    let page = page("nobody", &findings);
    assert!(page.contains("<svg") && !page.contains("NaN"), "{page}");
    for variant in Variant::ALL {
        assert!(page.contains(variant.name()));
    }
}

#[test]
fn no_game_is_played_twice() {
    for variant in Variant::ALL {
        let rules = variant.rules(7).expect("rules");
        let observed = small(rules, 60, Scripted { seed: 4 }).observations;
        assert_eq!(observed.games, 60, "{variant}");
        assert!(observed.different * 50 >= 49 * 60, "{variant}: {}", observed.different);
    }
}

#[test]
fn a_quantity_has_one_name() {
    for variant in Variant::ALL {
        let findings = small(variant.rules(4).expect("rules"), 4, Uniform);
        let mut names: Vec<&str> = statistics(&findings).map(|one| one.name.as_str()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{variant}");
    }
}

#[test]
fn every_figure_has_a_key() {
    for variant in Variant::ALL {
        let findings = small(variant.rules(4).expect("rules"), 4, Uniform);
        let keys = figure_keys(&findings.rules);
        let found: Vec<(&str, &str)> =
            statistics(&findings).map(|one| (one.key.as_str(), one.name.as_str())).collect();
        let told: Vec<(&str, &str)> =
            keys.iter().map(|one| (one.key.as_str(), one.name.as_str())).collect();
        assert_eq!(found, told, "{variant}");
        for (index, (key, name)) in found.iter().enumerate() {
            let is_key = |letter: char| letter.is_ascii_lowercase() || letter == '-';
            assert!(key.chars().all(is_key) && !key.ends_with('-'), "{key}");
            assert!(found[..index].iter().all(|(other, _)| other != key), "{variant}: {key} twice");
            let one = findings.observations.figure(key).expect(key);
            assert_eq!(one.name, *name);
        }
        assert_eq!(findings.observations.figure("none"), None);
    }
}

/// What a rule set does not have does not apply; what it has is counted even where it never happens.
#[test]
fn figures_apply_where_the_rules_have_them() {
    type Applies = fn(&Rules) -> bool;
    let of_rules: [(&str, Applies); 6] = [
        ("tiles", Rules::has_tiles),
        ("hot-stones", Rules::has_hot_stones),
        ("conquests", Rules::has_owners),
        ("ko-fights", Rules::has_kos),
        ("prisoners-returned", Rules::returns_prisoners),
        ("passes", Rules::has_pass),
    ];
    for variant in Variant::ALL {
        let findings = small(variant.rules(4).expect("rules"), 6, Uniform);
        for (key, applies) in of_rules {
            let figure = findings.observations.figure(key).expect(key);
            assert_eq!(figure.estimate.is_some(), applies(&findings.rules), "{variant}: {key}");
        }
    }
}

#[test]
fn the_special_rule_is_seen_to_bind() {
    let findings = small(Rules::parse("incursion", 5).expect("rules"), 20, Uniform);
    let bans = find(&findings, "incursion").estimate.expect("a rule that applies");
    assert!(bans.value > 0.0 && bans.low < bans.value, "{bans:?}");
}

#[test]
fn what_cannot_happen_does_not_apply() {
    let conquest = small(Rules::parse("conquest", 5).expect("rules"), 10, Uniform);
    assert_eq!(find(&conquest, "the preferred move").estimate, None);
    let go = small(Rules::parse("go", 5).expect("rules"), 10, Uniform);
    // Superko did not bind in these games, but it can.
    let superko = find(&go, "superko").estimate.expect("a rule that applies");
    assert!(superko.high > 0.0, "{superko:?}");
    let page = page("nobody", &[conquest, go]);
    assert!(page.contains("<th>superko</th><td>does not apply</td>"), "{page}");
    assert!(page.contains("<th>no free point</th>") && !page.contains("null"), "{page}");
}

/// A policy that always plays the same has few openings; then there are few games rather than copies.
#[test]
fn few_openings_make_few_games() {
    let findings = small(Rules::parse("go", 2).expect("rules"), 50, Uniform);
    let observed = &findings.observations;
    assert!(observed.games < 50 && observed.games > 0, "{}", observed.games);
}
