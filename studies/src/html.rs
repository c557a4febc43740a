//! The findings as one page with its pictures inside.

use std::fmt::Write;

use arena::Estimate;
use arena::plot::{self, Interval, Series, escape};

use crate::findings::Findings;
use crate::summary::Statistic;

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:80em;margin:2em auto;padding:0 1em;color:#222}\
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #ddd}\
td{font-variant-numeric:tabular-nums}.side{display:flex;flex-wrap:wrap;gap:1em}.note{color:#666}";

const ONE_SEARCH: &str =
    "<p class=\"note\">From one search of the empty board, without an interval.</p>\n";

/// One page about one or more rule sets, side by side.
pub fn page(agent: &str, findings: &[Findings]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Balance report</title>\n\
         <style>{STYLE}</style>\n<h1>Balance report</h1>\n<p>Played by {}, against itself. Each game has its own opening, \
         drawn move by move from the network's policy; the rest is the agent's best play. In brackets are 95 % \
         intervals over openings. They tell the uncertainty for this network, not how others would play.</p>\n",
        escape(agent)
    );
    section(&mut page, "The game", &table(findings));
    section(&mut page, "Ends of games", &statistics(findings, |f| &f.observations.ends));
    section(
        &mut page,
        "Share of turns in which a special rule bans a point",
        &statistics(findings, |f| &f.observations.bans),
    );
    section(&mut page, "Legal moves in the games still running", &breadth(findings));
    section(&mut page, "Compensation", &side_by_side(findings, compensation));
    section(&mut page, "What twice the simulations are worth", &side_by_side(findings, doublings));
    section(
        &mut page,
        "Opening atlas",
        &format!("{ONE_SEARCH}{}", side_by_side(findings, openings)),
    );
    page.push_str("</html>\n");
    page
}

fn section(page: &mut String, title: &str, content: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(page, "<h2>{}</h2>\n{content}", escape(title));
}

fn name(findings: &Findings) -> String {
    format!("{} on {:#}", findings.rules, findings.rules.size)
}

fn header(findings: &[Findings]) -> String {
    let names = findings.iter().map(|one| format!("<th>{}</th>", escape(&name(one))));
    format!("<tr><th></th>{}</tr>\n", names.collect::<String>())
}

fn row(label: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: String = cells.map(|cell| format!("<td>{}</td>", escape(&cell))).collect();
    format!("<tr><th>{}</th>{cells}</tr>\n", escape(label))
}

fn table(findings: &[Findings]) -> String {
    let mut rows = header(findings);
    rows += &row(
        "games (distinct ones)",
        findings.iter().map(|f| format!("{} ({})", f.observations.games, f.observations.different)),
    );
    rows += &row("plies of the openings", findings.iter().map(|f| f.opening_plies.to_string()));
    rows += &row(
        "Black's chance on the empty board, by one search",
        findings.iter().map(|f| format!("{:.3}", f.atlas.black)),
    );
    rows += &statistic_rows(findings, |f| &f.observations.statistics);
    rows += &row("fair compensation", findings.iter().map(fair));
    rows += &row(
        "effective first moves, by one search",
        findings.iter().map(|f| format!("{:.2}", f.atlas.effective)),
    );
    format!("<table>{rows}</table>")
}

fn fair(findings: &Findings) -> String {
    let kind = findings.rules.compensation().name();
    match findings.fair {
        Some(fair) => format!("{fair} {kind}"),
        None => format!(
            "none: Black does better with more {kind}, so the agent does not know their worth"
        ),
    }
}

fn statistics(findings: &[Findings], of: impl Fn(&Findings) -> &Vec<Statistic>) -> String {
    format!("<table>{}{}</table>", header(findings), statistic_rows(findings, of))
}

/// One row for each name that applies to any of the rule sets, in order of first appearance.
fn statistic_rows(findings: &[Findings], of: impl Fn(&Findings) -> &Vec<Statistic>) -> String {
    let mut names: Vec<&String> = Vec::new();
    for one in findings.iter().flat_map(&of).filter(|one| one.estimate.is_some()) {
        if !names.contains(&&one.name) {
            names.push(&one.name);
        }
    }
    let cell = |f: &Findings, name: &String| {
        let estimate = of(f).iter().find(|one| one.name == *name).and_then(|one| one.estimate);
        estimate.map_or("does not apply".to_owned(), |Estimate { low, value, high }| {
            format!("{value:.3}  [{low:.3}, {high:.3}]")
        })
    };
    names.iter().map(|name| row(name, findings.iter().map(|f| cell(f, name)))).collect()
}

fn breadth(findings: &[Findings]) -> String {
    let series: Vec<Series> = findings
        .iter()
        .map(|f| Series {
            label: f.rules.to_string(),
            points: f
                .observations
                .breadth
                .iter()
                .map(|breadth| (breadth.turn as f64, breadth.moves))
                .collect(),
        })
        .collect();
    plot::lines("Legal moves by turn, mean of the games that last so long", "turn", &series)
}

fn side_by_side(findings: &[Findings], picture: impl Fn(&Findings) -> String) -> String {
    let parts: String = findings.iter().map(|one| format!("<div>{}</div>", picture(one))).collect();
    format!("<div class=\"side\">{parts}</div>")
}

fn compensation(findings: &Findings) -> String {
    let series =
        Series { label: "Black's share of the points".to_owned(), points: findings.levels.clone() };
    let kind = findings.rules.compensation().name();
    plot::lines(&format!("{}: fair {}", name(findings), fair(findings)), kind, &[series])
}

fn doublings(findings: &Findings) -> String {
    let rows: Vec<Interval> = findings
        .doublings
        .iter()
        .map(|doubling| Interval {
            label: format!("{} against {}", 2 * doubling.simulations, doubling.simulations),
            values: [doubling.elo.low, doubling.elo.difference, doubling.elo.high],
        })
        .collect();
    let numbers: String = rows
        .iter()
        .map(|Interval { label, values: [low, value, high] }| {
            row(label, std::iter::once(format!("{value:+.0}  [{low:+.0}, {high:+.0}] Elo")))
        })
        .collect();
    format!("{}<table>{numbers}</table>", plot::intervals(&name(findings), "Elo", &rows))
}

fn openings(findings: &Findings) -> String {
    let size = findings.rules.size;
    let mut values = vec![0.0; size.area()];
    let mut list = String::new();
    for opening in &findings.atlas.openings {
        for played in &opening.moves {
            if let Some(point) = played.point() {
                values[point.index(size)] += opening.share / opening.moves.len() as f64;
            }
        }
    }
    for opening in findings.atlas.openings.iter().take(8) {
        let Some(first) = opening.moves.first() else { continue };
        let value = opening.value.map_or("–".to_owned(), |value| format!("{value:+.3}"));
        list += &format!(
            "<tr><td>{first}</td><td>×{}</td><td>{:.1} %</td><td>{value}</td></tr>",
            opening.moves.len(),
            100.0 * opening.share
        );
    }
    let board = plot::board(&format!("{}: policy in %", name(findings)), size, &values);
    format!(
        "{board}<table><tr><th>move</th><th></th><th>policy</th><th>value</th></tr>{list}</table>"
    )
}
