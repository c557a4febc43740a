//! Where the rule decides, where it takes effect on the board, and what other rules make of the
//! same positions.

use arena::plot::{self, escape};
use engine::{Move, join_with_spaces};
use serde_json::json;

use crate::decisive_bans::DecisiveBan;
use crate::lab::examination::Examination;
use crate::lab::games::frame;
use crate::lab::results::RuleSetResults;
use crate::lab::sentences::number;
use crate::other_rules::OtherRulesStudy;

use super::static_board::static_board;
use super::tables::figure;

/// The diagrams, the points and the comparison.
pub(super) fn sections(
    rule_sets: &[RuleSetResults],
    examination: &Examination,
) -> Vec<(&'static str, String)> {
    let Some((rule_set, others)) = rule_sets.split_first() else { return Vec::new() };
    let mut sections = Vec::new();
    if !examination.decisive_bans.is_empty() {
        let diagrams: String =
            examination.decisive_bans.iter().map(|one| diagram(one, examination)).collect();
        let note = "Marked is the move that is forbidden and that the agent would play without the rule. The chances are those of \
                    the player to move, by searches with the rule and without it; a search is no proof.";
        sections
            .push(("Here the rule decides", format!("<p class=\"note\">{note}</p>\n{diagrams}")));
    }
    if !examination.unknown_parts.is_empty() {
        let note = format!(
            "<p class=\"note\">Not every network has learnt these rules without {}, so where that decides is not looked at.</p>",
            escape(&examination.unknown_parts.join(" and without "))
        );
        sections.push(("Where the rule decides is unknown", note));
    }
    if !examination.places.is_empty() {
        let size = rule_set.rules.size;
        let boards = examination.places.iter().map(|(what, counts)| {
            let title = format!("{what} in a hundred games");
            format!("<div>{}</div>", plot::board(&title, size, counts))
        });
        let boards = format!("<div class=\"side\">{}</div>", boards.collect::<String>());
        sections.push(("Where it happens", boards));
    }
    if !examination.under.is_empty() {
        // These figures rest on the network's chances under both rule sets.
        let tables: String = examination
            .under
            .iter()
            .zip(others)
            .map(|(under, other)| comparison(under, rule_set.is_believed() && other.is_believed()))
            .collect();
        let note = "<p class=\"note\">By the first network alone, so the intervals do not contain what others would find.</p>";
        sections.push(("The same positions under other rules", format!("{note}\n{tables}")));
    }
    sections
}

fn diagram(one: &DecisiveBan, examination: &Examination) -> String {
    let mut frame = frame(&one.position, "", None);
    frame["marked"] = json!(one.wanted.point().map(|point| point.to_string()));
    let played = examination.games.get(one.game).and_then(|game| game.moves.get(..one.turn));
    let [with, without] = one.chances.map(|chance| number(chance, [0.0, 1.0]));
    let line = |moves: &[Move]| join_with_spaces(moves.iter().take(6));
    let text = format!(
        "{} wants {} and may not: {}. With the rule {with} (on with {}), without {} {without} (on with {}). Game {}, turn {}.",
        one.position.turn().name(),
        one.wanted,
        one.reason,
        line(&one.instead),
        one.part,
        line(&one.continuation),
        one.game + 1,
        one.turn + 1,
    );
    static_board(one.position.rules(), played.unwrap_or_default(), &frame, &text)
}

fn comparison(under: &OtherRulesStudy, is_believed: bool) -> String {
    let rows = under.statistics.iter().map(|one| {
        format!("<tr><th>{}</th>{}</tr>\n", escape(&one.name), figure(one, is_believed))
    });
    format!(
        "<h3>under {}</h3><table>{}</table>\n",
        escape(&under.other.to_string()),
        rows.collect::<String>()
    )
}
