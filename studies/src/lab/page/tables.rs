//! All figures, side by side, with the differences.

use arena::Estimate;
use arena::plot::escape;

use crate::lab::results::{Results, RuleSetResults};
use crate::lab::sentences::{interval, number};
use crate::statistic::Statistic;

/// What the figures mean.
const TERMS: [(&str, &str); 8] = [
    ("turn", "one stone or one pass, also where a player places several stones before the other"),
    ("effective moves", "how many moves the agent considers, weighted by how likely it plays them"),
    ("decided", "the winner's chance stays above 95 % from then on"),
    ("change of the lead", "the player whose chance is above 55 % is another one than before"),
    ("volatility", "how much Black's chance changes from turn to turn"),
    (
        "drama",
        "how far the eventual winner was behind, on average over the turns in which that was so",
    ),
    ("ban", "a rule beyond capture and suicide forbids a point"),
    ("preferred move", "the one that the network would play if no rule depended on earlier turns"),
];

pub(super) fn figures(results: &Results) -> String {
    let mut table = header(results);
    for (title, of) in GROUPS {
        let rows = rows(results, of);
        if !rows.is_empty() {
            let width = 1 + results.rule_sets.len() + results.differences.len();
            table += &format!("<tr><th colspan=\"{width}\">{title}</th></tr>\n{rows}");
        }
    }
    let terms: String =
        TERMS.iter().map(|(term, meaning)| format!("<dt>{term}</dt><dd>{meaning}</dd>")).collect();
    format!(
        "<div class=\"wide\"><table>{table}</table></div>\n<p class=\"note\">Differences in bold are certain, considering that many \
         figures are compared; the intervals beside them are those of each figure alone.</p>\n\
         <details><summary>What the words mean</summary><dl>{terms}</dl></details>"
    )
}

type Group = fn(&RuleSetResults) -> &Vec<Statistic>;

const GROUPS: [(&str, Group); 3] = [
    ("Course", |rule_set| &rule_set.observations.statistics),
    ("Ends of games", |rule_set| &rule_set.observations.ends),
    ("Share of turns in which a rule forbids a point", |rule_set| &rule_set.observations.bans),
];

fn header(results: &Results) -> String {
    let names = results.rule_sets.iter().map(|rule_set| rule_set.rules.to_string());
    let others =
        results.rule_sets.iter().skip(1).map(|other| format!("difference from {}", other.rules));
    let cells = names.chain(others).map(|text| format!("<th>{}</th>", escape(&text)));
    format!("<tr><th></th>{}</tr>\n", cells.collect::<String>())
}

/// One row for each figure that applies to any of the rule sets, in order of first appearance.
fn rows(results: &Results, of: Group) -> String {
    let mut keys: Vec<(&str, &str)> = Vec::new();
    for one in results.rule_sets.iter().flat_map(of).filter(|one| one.estimate.is_some()) {
        if !keys.iter().any(|(key, _)| *key == one.key) {
            keys.push((&one.key, &one.name));
        }
    }
    keys.into_iter().map(|(key, name)| row(results, of, key, name)).collect()
}

fn row(results: &Results, of: Group, key: &str, name: &str) -> String {
    let values = results.rule_sets.iter().map(|rule_set| {
        let Some(one) = of(rule_set).iter().find(|one| one.key == key) else {
            return NOT_APPLICABLE.to_owned();
        };
        figure(one, rule_set.is_believed())
    });
    let range = results.rule_sets.iter().flat_map(of).find(|one| one.key == key);
    let range = range.map_or([0.0, 0.0], |one| one.range);
    let first_is_believed = results.rule_sets.first().is_some_and(RuleSetResults::is_believed);
    let others = results.rule_sets.iter().skip(1);
    let differences = others.zip(&results.differences).map(|(other, differences)| {
        let is_believed = first_is_believed && other.is_believed();
        match differences.iter().find(|difference| difference.key == key) {
            Some(one) if one.evaluated && !is_believed => WITHHELD.to_owned(),
            Some(one) if one.certain => cell("td class=\"certain\"", &one.estimate, range),
            Some(one) => cell("td", &one.estimate, range),
            None => "<td></td>".to_owned(),
        }
    });
    let cells: String = values.chain(differences).collect();
    format!("<tr><th>{}</th>{cells}</tr>\n", escape(name))
}

const NOT_APPLICABLE: &str = "<td><small>does not apply</small></td>";
const WITHHELD: &str = "<td><small>withheld</small></td>";

/// The cell of a figure; withheld if it depends on probabilities that have not come true.
pub(super) fn figure(one: &Statistic, is_believed: bool) -> String {
    match one.estimate {
        Some(_) if one.evaluated && !is_believed => WITHHELD.to_owned(),
        Some(estimate) => cell("td", &estimate, one.range),
        None => NOT_APPLICABLE.to_owned(),
    }
}

/// A table cell; `tag` is its opening tag.
pub(super) fn cell(tag: &str, estimate: &Estimate, range: [f64; 2]) -> String {
    let (value, interval) = (number(estimate.value, range), interval(estimate, range));
    format!("<{tag}>{value} <small>({interval})</small></td>")
}
