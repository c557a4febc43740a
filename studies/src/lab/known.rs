//! Facts known with certainty or nearly so, by which the networks can be judged.

use engine::Rules;

use super::results::RuleSetResults;

/// The yardstick.
const GO: &str = "go";

/// Side and fair komi of small boards with area scoring: 5×5 was solved by Van der Werf (2003); the
/// others are the results of strong players and programs (Li Zhe for 7×7, KataGo's books), not
/// proofs.
const FAIR_KOMI: [(usize, f64); 5] = [(5, 25.0), (6, 4.0), (7, 9.0), (8, 10.0), (9, 7.0)];

/// The known fair komi of these rules, whatever their own komi.
fn fair_komi(rules: &Rules) -> Option<f64> {
    let side = rules.size.side()?;
    let go = Rules::parse(GO, rules.size).ok()?;
    let same = go.with_compensation(rules.compensation_amount()).is_ok_and(|go| go == *rules);
    FAIR_KOMI.iter().find(|(known, _)| same && *known == side).map(|(_, komi)| *komi)
}

/// Whether the networks find what is known about this rule set; `None` if nothing is, or if too few
/// games were played.
pub(super) fn judged(rule_set: &RuleSetResults) -> Option<String> {
    let known = fair_komi(&rule_set.rules)?;
    if rule_set.fair.networks.is_empty() {
        return None;
    }
    // No komi is fair where more komi helps Black.
    let is_within = rule_set
        .fair
        .together
        .is_some_and(|found| (found.low.position()..=found.high.position()).contains(&known));
    let name = format!("{GO} on {:#}", rule_set.rules.size);
    Some(match is_within {
        true => {
            format!("The networks are not at odds with the known fair komi of {name}, {known}.")
        }
        false => format!(
            "The networks do not find the known fair komi of {name}, {known}: they are not strong enough for what is said here of who is ahead."
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_is_known_with_any_komi_and_nothing_else_is() {
        let known = |text: &str, size: usize| fair_komi(&Rules::parse(text, size).expect("rules"));
        assert_eq!(known("go", 7), Some(9.0));
        assert_eq!(known("go,komi=0.5", 5), Some(25.0));
        assert_eq!(
            (known("go", 4), known("incursion", 7), known("go,suicide=false", 7)),
            (None, None, None)
        );
    }
}
