//! The findings as one page with its pictures inside.

use std::fmt::Write;

use super::{Compensation, Findings};
use crate::plot::{self, Interval, Series, escape};

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:80em;margin:2em auto;padding:0 1em;color:#222}\
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #ddd}\
td{font-variant-numeric:tabular-nums}.side{display:flex;flex-wrap:wrap;gap:1em}.note{color:#666}";

/// One page about one or more rule sets, side by side.
pub fn page(agent: &str, findings: &[Findings]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Balance report</title>\n\
         <style>{STYLE}</style>\n<h1>Balance report</h1>\n<p>Played by {}, against itself. Intervals are 95 %, over \
         pairs of games from one opening.</p>\n",
        escape(agent)
    );
    section(&mut page, "The game", &table(findings));
    section(&mut page, "Ends of games", &shares(findings, |f| &f.observations.ends));
    section(
        &mut page,
        "Turns in which a special rule bans a point",
        &shares(findings, |f| &f.observations.bans),
    );
    section(&mut page, "Breadth", &breadth(findings));
    section(&mut page, "Compensation", &side_by_side(findings, compensation));
    section(&mut page, "What twice the simulations are worth", &side_by_side(findings, doublings));
    section(&mut page, "Opening atlas", &side_by_side(findings, openings));
    page.push_str("</html>\n");
    page
}

fn section(page: &mut String, title: &str, content: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(page, "<h2>{}</h2>\n{content}", escape(title));
}

fn name(findings: &Findings) -> String {
    format!("{} on {size}×{size}", findings.rules, size = findings.rules.size)
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
        "games (different ones)",
        findings
            .iter()
            .map(|f| format!("{} ({})", f.observations.games, f.observations.unique_games)),
    );
    let statistics = findings.first().map_or(0, |first| first.observations.statistics.len());
    for index in 0..statistics {
        let label = findings[0].observations.statistics[index].name;
        rows += &row(
            label,
            findings.iter().map(|f| {
                let [low, mean, high] = f.observations.statistics[index].values;
                format!("{mean:.3}  [{low:.3}, {high:.3}]")
            }),
        );
    }
    rows += &row(
        "turns, 5th, 50th and 95th percentile",
        findings.iter().map(|f| format!("{:?}", f.observations.lengths)),
    );
    rows += &row("fair compensation", findings.iter().map(fair));
    rows +=
        &row("effective first moves", findings.iter().map(|f| format!("{:.2}", f.atlas.effective)));
    format!("<table>{rows}</table>")
}

fn fair(findings: &Findings) -> String {
    let kind = Compensation::of(&findings.rules).name();
    match findings.fair {
        Some(fair) => {
            let [low, value, high] = fair.values;
            format!("{value:.2}  [{low:.2}, {high:.2}] {kind}")
        }
        None => format!("none found among these {kind}"),
    }
}

fn shares(findings: &[Findings], of: impl Fn(&Findings) -> &Vec<(String, f64)>) -> String {
    let mut names: Vec<&String> = Vec::new();
    for name in findings.iter().flat_map(|f| of(f).iter().map(|(name, _)| name)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut rows = header(findings);
    for name in names {
        rows += &row(
            name,
            findings.iter().map(|f| {
                let share = of(f).iter().find(|(other, _)| other == name).map_or(0.0, |(_, s)| *s);
                format!("{:.1} %", 100.0 * share)
            }),
        );
    }
    format!("<table>{rows}</table>")
}

fn breadth(findings: &[Findings]) -> String {
    let series: Vec<Series> = findings
        .iter()
        .map(|f| Series { label: f.rules.to_string(), points: f.observations.breadth.clone() })
        .collect();
    plot::lines("Legal moves by turn", "turn", &series)
}

fn side_by_side(findings: &[Findings], picture: impl Fn(&Findings) -> String) -> String {
    let parts: String = findings.iter().map(|one| format!("<div>{}</div>", picture(one))).collect();
    format!("<div class=\"side\">{parts}</div>")
}

fn compensation(findings: &Findings) -> String {
    let series = Series { label: "Black's score".to_owned(), points: findings.levels.clone() };
    let kind = Compensation::of(&findings.rules).name();
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
    plot::intervals(&name(findings), "Elo", &rows)
}

fn openings(findings: &Findings) -> String {
    let size = usize::from(findings.rules.size);
    let mut values = vec![0.0; size * size];
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
