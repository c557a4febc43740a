//! A run's log: one row per phase, with the Elo of rated checkpoints.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use arena::plot::{self, Panel};
use serde_json::Value;
use thiserror::Error;

/// A figure of a run.
struct Figure {
    /// Its name in the log.
    key: &'static str,
    /// Its displayed name.
    title: &'static str,
    /// Its heading and number of decimals in the table, if it is shown there.
    column: Option<(&'static str, usize)>,
}

const fn figure(key: &'static str, title: &'static str) -> Figure {
    Figure { key, title, column: None }
}

impl Figure {
    const fn column(self, heading: &'static str, decimals: usize) -> Figure {
        Figure { column: Some((heading, decimals)), ..self }
    }
}

/// Width of a column of the table.
const WIDTH: usize = 8;

/// The index of the ratings among the figures.
const ELO: usize = 0;

const FIGURES: [Figure; 29] = [
    figure("elo", "Elo over the run's first network").column("Elo", 0),
    figure("loss/policy", "policy loss").column("policy", 3),
    figure("loss/value", "value loss").column("value", 3),
    figure("loss/occupancy", "occupancy loss"),
    figure("loss/future", "loss of stones to come"),
    figure("loss/rule_binds", "loss of rules to bind"),
    figure("held_out/policy_gap", "policy loss more on held-out games"),
    figure("held_out/value_gap", "value loss more on held-out games").column("gap", 3),
    figure("value/calibration_error", "calibration error").column("calibr.", 3),
    figure("policy/entropy", "entropy of the policy").column("entropy", 3),
    figure("policy/target_entropy", "entropy of targets"),
    figure("policy/surprise", "KL of target from prior").column("KL", 3),
    figure("policy/agreement_with_search", "moves as the search's, held-out games"),
    figure("policy/agreement_with_last", "moves as the last checkpoint's, suite"),
    figure("loss/gradient", "length of gradient"),
    figure("network/dead_units", "share of dead units"),
    figure("games/length", "game length").column("length", 1),
    figure("games/black_win_share", "share won by Black"),
    figure("games/draw_share", "share of draws"),
    figure("games/capped_share", "games at the move limit"),
    figure("games/decided_share", "turns after the decision").column("decided", 2),
    figure("games/audited_share", "games played on after an agreement"),
    figure("games/refuted_share", "such games that end otherwise"),
    figure("games/duplicate_openings", "duplicate openings"),
    figure("run/learning_rate", "learning rate"),
    figure("run/reuse", "times each position was learnt from"),
    figure("events/banned_turns", "turns with a ban, a game"),
    figure("events/tiles", "tiles, a game"),
    figure("events/hot_turns", "turns with a hot stone, a game"),
];

/// The names of all figures in the log.
#[cfg(test)]
pub(crate) fn keys() -> impl Iterator<Item = &'static str> {
    FIGURES.iter().map(|figure| figure.key)
}

/// Marks a rating of 0 that has nothing to do with the ones before.
pub(crate) const ELO_BEGINS_ANEW: &str = "elo_begins_anew";

/// Least number of gains from one rating to the next that say how much Elo rises.
const LEAST_GAINS: usize = 5;

/// Prefix of the names of ratings against reference players.
pub(crate) const AGAINST: &str = "elo_against/";

/// Prefix of the curves for the fraction of turns after the decision; followed by a variant and a
/// size.
pub(crate) const DECIDED_CURVE: &str = "decided/";

/// Number of a variant's phases over which that fraction is averaged for the table.
const DECIDED_PHASES: usize = 5;

/// The log of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    phases: Vec<Phase>,
    /// Elo over each reference player, by number of evaluations.
    against: BTreeMap<String, Vec<(f64, f64)>>,
    /// Fraction of turns after the decision by variant and size, phase by phase.
    decided: BTreeMap<String, Vec<f64>>,
}

/// A line of the log, with figures in the order of `FIGURES`.
#[derive(Debug, Clone, PartialEq)]
struct Phase {
    step: u64,
    evaluations: f64,
    figures: [Option<f64>; FIGURES.len()],
    /// Whether its rating has nothing to do with the ones before.
    begins_anew: bool,
}

/// Why a log cannot be shown.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// It cannot be read.
    #[error("cannot read {0}, the log of a run: {1}; expected the folder of a run that has begun")]
    Read(PathBuf, std::io::Error),
    /// It is empty.
    #[error("{0} is empty: wait for the first phase")]
    Empty(PathBuf),
}

impl History {
    /// Reads the log of a run folder. A line cut short by a kill is omitted.
    ///
    /// # Errors
    /// There is no log, or nothing in it.
    pub fn of_run(run: &Path) -> Result<History, HistoryError> {
        let path = run.join("log.jsonl");
        let text =
            std::fs::read_to_string(&path).map_err(|e| HistoryError::Read(path.clone(), e))?;
        let history = History::parse(&text);
        if history.phases.is_empty() { Err(HistoryError::Empty(path)) } else { Ok(history) }
    }

    fn parse(text: &str) -> History {
        let mut evaluations = 0.0;
        let mut phases = Vec::new();
        let mut against: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
        let mut decided: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for line in text.lines() {
            let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
            let number = |key: &str| line.get(key).and_then(Value::as_f64);
            let Some(step) = line.get("step").and_then(Value::as_u64) else { continue };
            evaluations = number("run/evaluations").unwrap_or(evaluations);
            let figures = std::array::from_fn(|place| number(FIGURES[place].key));
            let begins_anew = number(ELO_BEGINS_ANEW).is_some();
            phases.push(Phase { step, evaluations, figures, begins_anew });
            for (key, value) in line.as_object().into_iter().flatten() {
                if let (Some(name), Some(elo)) = (key.strip_prefix(AGAINST), value.as_f64()) {
                    against.entry(name.to_owned()).or_default().push((evaluations, elo));
                }
                if let (Some(name), Some(share)) = (key.strip_prefix(DECIDED_CURVE), value.as_f64())
                {
                    decided.entry(name.to_owned()).or_default().push(share);
                }
            }
        }
        History { phases, against, decided }
    }

    /// About `rows` rows at most, evenly spaced; every rated checkpoint is included.
    pub fn table(&self, rows: usize) -> String {
        let every = self.phases.len().div_ceil(rows.max(1));
        let mut text = format!("{:>8} {:>11}", "step", "evaluations");
        for (heading, _) in FIGURES.iter().filter_map(|figure| figure.column) {
            let _ = write!(text, " {heading:>WIDTH$}");
        }
        text.push('\n');
        for (index, phase) in self.phases.iter().enumerate() {
            let last = index + 1 == self.phases.len();
            if index.is_multiple_of(every) || last || phase.figures[ELO].is_some() {
                phase.write_row(&mut text);
            }
        }
        for (name, ratings) in &self.against {
            if let Some((_, elo)) = ratings.last() {
                let _ = writeln!(text, "Elo over {name}: {}", arena::elo_text(*elo));
            }
        }
        for (name, shares) in &self.decided {
            let newest = &shares[shares.len().saturating_sub(DECIDED_PHASES)..];
            let mean = 100.0 * newest.iter().sum::<f64>() / newest.len().max(1) as f64;
            let _ = writeln!(text, "turns after the decision in {name}: {mean:.0} %");
        }
        if let Some((slope, error)) = self.elo_per_decade() {
            let _ = writeln!(
                text,
                "Elo rises by {slope:.0} ± {error:.0} for ten times the evaluations"
            );
        }
        text
    }

    /// Rise of Elo with the decimal logarithm of evaluations, with half the width of its 95 %
    /// interval; `None` for fewer than five gains from one rating to the next.
    ///
    /// A rating is the one before plus the result of a match, so the error of each match is in all
    /// later ratings, and only the gains from one to the next are independent. The slope is that of
    /// the line through the origin which fits these gains best.
    pub fn elo_per_decade(&self) -> Option<(f64, f64)> {
        let rated: Vec<(f64, f64, &Phase)> = self
            .phases
            .iter()
            .filter(|phase| phase.evaluations > 0.0)
            .filter_map(|phase| Some((phase.evaluations.log10(), phase.figures[ELO]?, phase)))
            .collect();
        let gains: Vec<(f64, f64)> = rated
            .windows(2)
            .filter(|pair| !pair[1].2.begins_anew)
            .map(|pair| (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1))
            .collect();
        if gains.len() < LEAST_GAINS {
            return None;
        }
        let spread: f64 = gains.iter().map(|(x, _)| x.powi(2)).sum();
        let slope = gains.iter().map(|(x, y)| x * y).sum::<f64>() / spread;
        let rest = |(x, y): &(f64, f64)| (y - slope * x).powi(2);
        let freedom = gains.len() as f64 - 1.0;
        let variance = gains.iter().map(rest).sum::<f64>() / freedom;
        slope
            .is_finite()
            .then(|| (slope, arena::student_critical_value(freedom) * (variance / spread).sqrt()))
    }

    /// All figures plotted over evaluations, as an SVG image.
    pub fn svg(&self, title: &str) -> String {
        let panel = |(index, figure): (usize, &'static Figure)| {
            let points = self.phases.iter();
            let points = points.filter_map(|p| Some((p.evaluations, p.figures[index]?)));
            Panel { label: figure.title, points: points.collect() }
        };
        let titles: Vec<String> =
            self.against.keys().map(|name| format!("Elo over {name}")).collect();
        let against = titles.iter().zip(self.against.values());
        let against = against.map(|(label, points)| Panel { label, points: points.clone() });
        let panels: Vec<Panel> = against.chain(FIGURES.iter().enumerate().map(panel)).collect();
        plot::panels(title, "evaluations", &panels)
    }
}

impl Phase {
    fn write_row(&self, text: &mut String) {
        let _ = write!(text, "{:>8} {:>11.3e}", self.step, self.evaluations);
        for (figure, value) in FIGURES.iter().zip(self.figures) {
            let _ = match (figure.column, value) {
                (None, _) => Ok(()),
                (Some((_, decimals)), Some(value)) => write!(text, " {value:>WIDTH$.decimals$}"),
                (Some(_), None) => write!(text, " {:>WIDTH$}", ""),
            };
        }
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> String {
        let line = |i: i32| {
            let (evaluations, elo) = (10_f64.powi(i), 100 * i);
            format!(
                "{{\"step\":{i},\"run/evaluations\":{evaluations},\"loss/policy\":{}}}\n\
                 {{\"step\":{i},\"elo\":{elo},\"elo_against/uct:9\":{i},\"decided/go-7\":0.{i}}}\n",
                4.0 / f64::from(i)
            )
        };
        (1..=6).map(line).collect::<String>() + "{\"step\":7,\"run/eval"
    }

    #[test]
    fn ratings_rise_by_their_slope_and_a_line_cut_short_is_left_out() {
        let history = History::parse(&log());
        assert_eq!(history.phases.len(), 12);
        let (slope, error) = history.elo_per_decade().unwrap();
        assert!((slope - 100.0).abs() < 1e-6 && error < 1e-3, "{slope} ± {error}");
        let table = history.table(3);
        assert!(table.contains("Elo rises by 100 ± 0 for ten times the evaluations"), "{table}");
        assert!(table.contains("Elo over uct:9: +6\n"), "{table}");
        let even = History::parse(r#"{"step":1,"elo_against/uct:9":-0.3}"#).table(3);
        assert!(even.contains("Elo over uct:9: +0\n"), "{even}");
        assert!(table.contains("turns after the decision in go-7: 40 %\n"), "{table}");
        assert!(table.lines().count() < 14);
    }

    #[test]
    fn ratings_that_begin_anew_are_no_loss() {
        let anew = r#"{"step":7,"run/evaluations":1e7,"elo":0.0,"elo_begins_anew":1.0}"#;
        let rising = log().replace("\"elo\":", "\"elo\":9");
        let history = History::parse(&format!("{rising}\n{anew}\n"));
        let (slope, error) = history.elo_per_decade().unwrap();
        assert!((slope - 100.0).abs() < 1e-6 && error < 1e-3, "{slope} ± {error}");
    }

    #[test]
    fn the_interval_of_the_rise_holds_the_truth_as_often_as_it_says() {
        let mut random = search::Random::new(1);
        let mut held = 0;
        for _ in 0..2_000 {
            let (mut elo, mut decades, mut phases) = (0.0, 0.0, Vec::new());
            for step in 1..=10_u64 {
                let evaluations = step as f64;
                let error = (0..12).map(|_| f64::from(random.uniform())).sum::<f64>() - 6.0;
                elo += 100.0 * (evaluations.log10() - decades) + 30.0 * error;
                decades = evaluations.log10();
                let mut figures = [None; FIGURES.len()];
                figures[ELO] = Some(elo);
                phases.push(Phase { step, evaluations, figures, begins_anew: false });
            }
            let history = History { phases, against: BTreeMap::new(), decided: BTreeMap::new() };
            let (slope, error) = history.elo_per_decade().unwrap();
            held += u32::from((slope - 100.0).abs() <= error);
        }
        assert!((1_860..=1_940).contains(&held), "{held} of 2000");
    }

    #[test]
    fn the_picture_is_well_formed_and_shows_every_figure() {
        let svg = History::parse(&log()).svg("a < b & c");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("a &lt; b &amp; c") && !svg.contains("NaN"));
        assert!(FIGURES.iter().all(|figure| svg.contains(figure.title)));
        assert!(svg.contains("Elo over uct:9"));
        assert_eq!(svg.matches("<polyline").count(), 3);
    }

    #[test]
    fn a_run_without_a_log_says_so() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(History::of_run(folder.path()), Err(HistoryError::Read(..))));
        std::fs::write(folder.path().join("log.jsonl"), "").unwrap();
        assert!(matches!(History::of_run(folder.path()), Err(HistoryError::Empty(_))));
    }
}
