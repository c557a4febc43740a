//! The results as a single self-contained page, for people who know the game but no statistics.

mod rules_at_work;
mod static_board;
mod tables;

use engine::join_with_spaces;
use std::fmt::Write;

use arena::plot::{self, Interval, Series, escape};

use crate::skill::REFERENCE_PLAYOUTS;

use super::calibration::{Calibration, Reliability};
use super::examination::Examination;
use super::games::ChosenGame;
use super::results::{Results, RuleSetResults};
use super::sentences::{number, with_interval};
use super::solved::Solved;
use static_board::{PLAY_ON_LINK, numbered};
use tables::cell;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("games.js");

/// What the page shows besides the results.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The networks, in words.
    pub networks: Vec<String>,
    /// Simulations per move.
    pub simulations: u32,
    /// Seed of all randomness.
    pub seed: u64,
    /// The command that produced the page.
    pub command: String,
    /// The program's version.
    pub version: String,
    /// The address of the program's own page, where positions can be played on.
    pub server: String,
}

impl Results {
    /// The page.
    pub fn page(&self, source: &Source, games: &[ChosenGame], examination: &Examination) -> String {
        let title = self.rule_sets.first().map(name).unwrap_or_default();
        let title = escape(&title);
        let answers: String =
            self.sentences().iter().map(|one| format!("<li>{}</li>\n", escape(one))).collect();
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\" data-server=\"{}\"><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\n\
             <style>{STYLE}</style>\n<h1>{title}</h1>\n<ul class=\"answers\">\n{answers}</ul>\n{}",
            escape(&source.server),
            measured(self, source)
        );
        section(&mut page, "Games", &viewer(games, &source.server));
        for (title, content) in rules_at_work::sections(&self.rule_sets, examination) {
            section(&mut page, title, &content);
        }
        section(&mut page, "Who is ahead, and what makes it even", &balance(&self.rule_sets));
        section(&mut page, "The game in figures", &tables::figures(self));
        if !examination.solved.is_empty() {
            section(&mut page, "Perfect play", &perfect_play(&examination.solved));
        }
        section(
            &mut page,
            "Can the agents be believed?",
            &format!("{}{}", strength(source, examination), calibration(source, &self.rule_sets)),
        );
        if !examination.doublings.is_empty() {
            section(&mut page, "How much there is to learn", &skill(examination));
        }
        section(&mut page, "Legal moves by turn", &breadth(&self.rule_sets));
        section(&mut page, "First moves", &first_moves(&self.rule_sets));
        if let Some(rule_set) = self.rule_sets.first() {
            section(&mut page, "How games begin", &openings(rule_set, examination));
        }
        let _ = write!(page, "<script>{SCRIPT}</script>\n</html>\n");
        page
    }
}

fn section(page: &mut String, title: &str, content: &str) {
    // Writing to a String cannot fail.
    let _ = write!(page, "<h2>{}</h2>\n{content}\n", escape(title));
}

/// The rules and the size.
pub(super) fn name(rule_set: &RuleSetResults) -> String {
    format!("{} on {:#}", rule_set.rules, rule_set.rules.size)
}

fn measured(results: &Results, source: &Source) -> String {
    let games: Vec<String> = results
        .rule_sets
        .iter()
        .map(|rule_set| {
            let observed = &rule_set.observations;
            format!("{} of {} ({} different)", observed.games, rule_set.rules, observed.different)
        })
        .collect();
    let others = match source.networks.len() {
        0 | 1 => "other networks may differ from the one that played",
        2 => "they contain what either of the two networks found; others may differ",
        _ => "they include how networks differ",
    };
    format!(
        "<p class=\"note\">By {} with {} simulations a move, a quarter of them once a game \
         has been settled for five turns, each against itself, with seed {}; each game begins with its own opening, drawn from \
         the network's own play. Of these openings only those are played that seem to change least who is ahead, so games are closer \
         than typical ones. Games at the rules' own compensation: {}. Brackets hold 95 % intervals for what would \
         be found in more such games, not for errors that all networks share; {others}. All figures but that of the empty board are of games after openings.</p>\n\
         <pre>{}\n# hotstone {}</pre>\n",
        escape(&source.networks.join(" and ")),
        source.simulations,
        source.seed,
        escape(&games.join("; ")),
        escape(&source.command),
        escape(&source.version),
    )
}

fn viewer(games: &[ChosenGame], server: &str) -> String {
    let viewers: String = games
        .iter()
        .map(|chosen| {
            // Within a script element, only the closing tag must not occur.
            let data = chosen.json().to_string().replace("</", "<\\/");
            format!(
                "<div class=\"game\"><strong>{}</strong>\n<svg role=\"img\" aria-label=\"board\"></svg>\n\
                 <button aria-label=\"back\">◀</button> <button aria-label=\"forward\">▶</button>\n\
                 <input type=\"range\" min=\"0\" value=\"0\" aria-label=\"turn\"><p aria-live=\"polite\"></p>{PLAY_ON_LINK}\n\
                 <details><summary>SGF</summary><pre>{}</pre></details>\n\
                 <script type=\"application/json\">{data}</script></div>\n",
                escape(&chosen.title),
                escape(&chosen.game.sgf().to_string())
            )
        })
        .collect();
    format!(
        "<p class=\"note\">Positions can be played on against the program while <code>hotstone serve</code> runs at {}.</p>\n{viewers}",
        escape(server)
    )
}

/// The most frequent lines from the empty board, with stones numbered by turn.
fn openings(rule_set: &RuleSetResults, examination: &Examination) -> String {
    let boards = examination.openings.iter().map(|line| {
        let black = number(line.black, [0.0, 1.0]);
        let text =
            format!("{} of the play; then Black has {black}.", number(line.share, [0.0, 1.0]));
        numbered(&rule_set.rules, &line.moves, &text)
    });
    format!(
        "<p class=\"note\">The lines of six turns that the first network's searches follow most often from the empty board, symmetric ones and \
         transpositions counted as one.</p>\n{}",
        boards.collect::<String>()
    )
}

fn balance(rule_sets: &[RuleSetResults]) -> String {
    let pictures =
        rule_sets.iter().filter(|rule_set| !rule_set.levels.is_empty()).map(|rule_set| {
            let label = "Black's share of the points, with 95 % intervals".to_owned();
            let series = Series { label, points: rule_set.levels.clone() };
            let picture =
                plot::lines(&name(rule_set), rule_set.rules.compensation().name(), &[series]);
            format!("<div>{picture}</div>")
        });
    format!(
        "<p>Black's share of the points from the empty board: what the networks' searches give there, corrected by how far the \
         chances that they gave after the openings differed from what came of the games. The drawn openings themselves do not \
         count.</p><div class=\"side\">{}</div>",
        pictures.collect::<String>()
    )
}

/// The value of the empty board, by exhaustive search.
fn perfect_play(solved: &[Solved]) -> String {
    let rows = solved.iter().map(|Solved { rules, solution }| {
        format!(
            "<tr><th>{}</th><td>{}</td><td>{}</td></tr>",
            escape(&rules.to_string()),
            solution.value,
            join_with_spaces(&solution.best)
        )
    });
    format!(
        "<p>By exhaustive search, without any network.</p><table><tr><th></th><th>value of the empty board</th>\
         <th>first moves that keep it</th></tr>{}</table>",
        rows.collect::<String>()
    )
}

/// Each network's score against the reference player.
fn strength(source: &Source, examination: &Examination) -> String {
    let rows = source.networks.iter().zip(&examination.strengths).map(|(network, pairs)| {
        let score = cell("td", &pairs.score_estimate(), [0.0, 1.0]);
        format!("<tr><th>{}</th>{score}</tr>", escape(network))
    });
    format!(
        "<table><tr><th></th><th>score against a tree search with {REFERENCE_PLAYOUTS} random playouts a move</th></tr>{}</table>",
        rows.collect::<String>()
    )
}

/// What more search is worth, and what using the rule is worth.
fn skill(examination: &Examination) -> String {
    let rows: Vec<Interval> = examination
        .doublings
        .iter()
        .map(|doubling| {
            let label = format!("{} against {}", 2 * doubling.simulations, doubling.simulations);
            Interval { label, estimate: doubling.pairs.elo() }
        })
        .collect();
    let restricted = examination.restricted.map_or(String::new(), |pairs| {
        format!(
            "<p>A player who may use what sets these rules apart scores {} against one who may not.</p>",
            with_interval(&pairs.score_estimate(), [0.0, 1.0])
        )
    });
    let met = examination.ablation_pairs.filter(|pairs| pairs.pairs() > 0);
    let ablations = met.map_or(String::new(), |pairs| {
        format!(
            "<p>In {} of {} games these rules forbade a move that would have been preferred without the rule that forbids \
             it. Played on from the first such position, without that rule and with it, the player who met it scores {} \
             of the points without it against an opponent who has it: 50 % if it costs nothing.</p>",
            pairs.pairs(),
            examination.games.len(),
            with_interval(&pairs.score_estimate(), [0.0, 1.0])
        )
    });
    format!(
        "{}{restricted}{ablations}",
        plot::intervals("What twice the simulations are worth to the first network", "Elo", &rows)
    )
}

fn calibration(source: &Source, rule_sets: &[RuleSetResults]) -> String {
    rule_sets
        .iter()
        .map(|rule_set| {
            let said = match rule_set.reliability() {
                Reliability::Holds => "The chances that the agents gave came true within 5 %.",
                Reliability::Open => {
                    "Whether the chances that the agents gave come true within 5 % cannot be told yet: figures that rest on \
                     them are withheld until there are more games."
                }
                Reliability::Fails => {
                    "Some chances, of all networks or of one, were off by more than 5 %: figures that rest on them are \
                     withheld."
                }
            };
            let mut tables = bins(&rule_set.calibration, "Chances given, and what happened");
            if source.networks.len() > 1 {
                let each = source.networks.iter().zip(&rule_set.network_calibrations);
                tables.extend(each.map(|(network, its)| bins(its, &format!("By {network}"))));
            }
            format!("<h3>{}</h3><p>{said}</p>{tables}", escape(&name(rule_set)))
        })
        .collect()
}

fn bins(calibration: &Calibration, summary: &str) -> String {
    let rows = calibration.bins.iter().map(|bin| {
        format!(
            "<tr><td>{:.0} %</td><td>{:.0} % <small>± {:.0}</small></td><td>{}</td></tr>",
            100.0 * bin.said,
            100.0 * bin.happened,
            200.0 * bin.error,
            bin.positions
        )
    });
    format!(
        "<details><summary>{}</summary><table><tr><th>chance given to Black</th>\
         <th>Black's share of the points</th><th>positions</th></tr>{}</table></details>",
        escape(summary),
        rows.collect::<String>()
    )
}

fn breadth(rule_sets: &[RuleSetResults]) -> String {
    let series: Vec<Series> = rule_sets
        .iter()
        .map(|rule_set| {
            let breadth = rule_set.observations.breadth.iter();
            let points = breadth.map(|breadth| (breadth.turn as f64, breadth.moves)).collect();
            Series { label: rule_set.rules.to_string(), points }
        })
        .collect();
    plot::lines("Mean of the games that last so long", "turn", &series)
}

/// The policy on the empty board by the first network's search.
fn first_moves(rule_sets: &[RuleSetResults]) -> String {
    let pictures = rule_sets.iter().filter_map(|rule_set| {
        let search = rule_set.empty_board.first()?;
        let size = rule_set.rules.size;
        let mut values = vec![0.0; size.area()];
        for opening in &search.first_moves {
            for point in opening.moves.iter().filter_map(|played| played.point()) {
                values[point.index(size)] += opening.share / opening.moves.len() as f64;
            }
        }
        Some(format!("<div>{}</div>", plot::board(&name(rule_set), size, &values)))
    });
    format!(
        "<p class=\"note\">In one search of the empty board by the first network, in percent; without an interval.</p>\
         <div class=\"side\">{}</div>",
        pictures.collect::<String>()
    )
}
