//! The figures of a corpus in words and tables.

use std::fmt::{self, Display, Formatter};

use arena::Estimate;
use engine::counted;

use super::figures::{CorpusEvents, RuleFigures};
use super::gathered::Corpus;

/// Maximum number of damaged games named in the text, and of omitted ones; the JSON object names
/// all of them.
const NAMED: usize = 20;

impl Display for Corpus {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write_games(f)?;
        if self.games.is_empty() {
            return Ok(());
        }
        let figures = self.figures();
        self.write_overview(f, &figures)?;
        write_stops(f, &figures)?;
        write_bans(f, &figures)?;
        write_events(f, "Tiles", figures.iter().map(|one| (one, &one.tiles)))?;
        write_events(f, "Hot stones", figures.iter().map(|one| (one, &one.hot_stones)))?;
        self.write_pairs(f, &figures)
    }
}

impl Corpus {
    fn write_games(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} from {}; copies of them: {}, read only in part: {}, left out: {}.",
            counted(self.games.len(), "different game"),
            counted(self.files, "file"),
            self.copies,
            self.damaged.len(),
            self.left_out.len()
        )?;
        let turns: usize = self.games.iter().map(|(_, _, comparison)| comparison.turns).sum();
        let sizes = self.sizes.iter().map(|(size, games)| format!(", {games} on {size}"));
        writeln!(f, "{}{}.", counted(turns, "turn"), sizes.collect::<String>())?;
        let damaged = self.damaged.iter().map(|game| {
            let (file, number, defects) = (&game.file, game.number, game.defects.join("; "));
            format!("read only in part: {file}, game {number} is {defects}")
        });
        write_named(f, damaged)?;
        let left_out = self
            .left_out
            .iter()
            .map(|game| format!("left out: {}, game {}: {}", game.file, game.number, game.reason));
        write_named(f, left_out)
    }

    fn write_overview(&self, f: &mut Formatter<'_>, figures: &[RuleFigures]) -> fmt::Result {
        let [yardstick, ..] = figures else { return Ok(()) };
        writeln!(
            f,
            "\nEach game is replayed under each rule set until a move is illegal there. At every turn the placements \
             that it\nallows are compared with those of {}; passes do not count. In brackets are 95 % intervals: exact \
             ones\nof the shares of games, and of the share of turns in a game.\n",
            yardstick.rules
        )?;
        let width = width(figures);
        writeln!(
            f,
            "{:width$}  {:>26}  {:>26}  {:>26}  first example",
            "rules", "playable to the end", "other placements: games", "of the turns of a game"
        )?;
        for one in figures {
            let complete = percent(Estimate::share(one.complete, one.games));
            let (games, turns, example) = match &one.differing {
                None => (String::new(), String::new(), String::new()),
                Some(differing) => (
                    percent(differing.share_of_games()),
                    percent(differing.share_of_turns),
                    differing.example.as_ref().map_or_else(String::new, |(file, number, turn)| {
                        format!("{file}, game {number}, turn {turn}")
                    }),
                ),
            };
            let line = format!(
                "{:width$}  {complete:>26}  {games:>26}  {turns:>26}  {example}",
                one.rules
            );
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Writes the fraction of games in which each two rule sets allow different placements.
    fn write_pairs(&self, f: &mut Formatter<'_>, figures: &[RuleFigures]) -> fmt::Result {
        writeln!(
            f,
            "\nGames in which two rule sets allow different placements on some turn, in percent\n"
        )?;
        let width = width(figures) + 4;
        let differences = self.differences();
        write!(f, "{:width$}", "")?;
        for place in 0..figures.len() {
            write!(f, "{:>7}", place + 1)?;
        }
        writeln!(f)?;
        for (place, one) in figures.iter().enumerate() {
            write!(f, "{:width$}", format!("{:>2}  {}", place + 1, one.rules))?;
            for other in 0..place {
                let pair = differences.iter().find(|(pair, _)| *pair == (other, place));
                let share = pair.and_then(|(_, differing)| differing.share_of_games());
                let cell = share.map_or_else(|| "–".to_owned(), |share| rounded(share.value));
                write!(f, "{cell:>7}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Writes the first of these lines, and how many there are besides.
fn write_named(
    f: &mut Formatter<'_>,
    mut lines: impl ExactSizeIterator<Item = String>,
) -> fmt::Result {
    lines.by_ref().take(NAMED).try_for_each(|line| writeln!(f, "  {line}"))?;
    match lines.len() {
        0 => Ok(()),
        more => writeln!(f, "  and {more} more"),
    }
}

fn write_stops(f: &mut Formatter<'_>, figures: &[RuleFigures]) -> fmt::Result {
    let width = width(figures);
    writeln!(f, "\nWhat ends a replay before the game's end\n")?;
    if figures.iter().all(|one| one.stops.is_empty()) {
        writeln!(f, "nothing")?;
    }
    for one in figures.iter().filter(|one| !one.stops.is_empty()) {
        let stops: Vec<String> = one
            .stops
            .iter()
            .map(|(why, games)| format!("{why} {games} ({})", rounded_share(*games, one.games)))
            .collect();
        writeln!(f, "{:width$}  {}", one.rules, stops.join(", "))?;
    }
    Ok(())
}

fn write_bans(f: &mut Formatter<'_>, figures: &[RuleFigures]) -> fmt::Result {
    let width = width(figures);
    writeln!(f, "\nBans: games, and turns, in which one forbade a placement\n")?;
    if figures.iter().all(|one| one.bans.is_empty()) {
        writeln!(f, "none")?;
    }
    for one in figures {
        for ban in &one.bans {
            writeln!(
                f,
                "{:width$}  {:<22} {:>8} games {:>26} {:>9} turns",
                one.rules,
                ban.name,
                ban.games,
                percent(Estimate::share(ban.games, one.games)),
                ban.turns
            )?;
        }
    }
    Ok(())
}

fn write_events<'a>(
    f: &mut Formatter<'_>,
    name: &str,
    rows: impl Iterator<Item = (&'a RuleFigures, &'a Option<CorpusEvents>)>,
) -> fmt::Result {
    let rows: Vec<_> = rows.filter_map(|(one, events)| Some((one, events.as_ref()?))).collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{name} in a game, as far as it could be replayed\n")?;
    let width = rows.iter().map(|(one, _)| one.rules.len()).max().unwrap_or_default();
    for (one, events) in rows {
        let games = events.counts.len();
        let median = |estimate: Option<Estimate>| {
            estimate.map_or_else(|| "–".to_owned(), |estimate| number(&estimate))
        };
        writeln!(
            f,
            "{:width$}  mean {}, median {}, most {}; first on turn {} (median)",
            one.rules,
            median(events.mean),
            median(events.median),
            events.counts.last().copied().unwrap_or_default(),
            median(events.first_turn)
        )?;
        let shares: Vec<String> = [1, 2, 3, 5, 10, 20, 50]
            .into_iter()
            .map(|times| format!("{times}+: {}", rounded_share(events.at_least(times), games)))
            .collect();
        writeln!(f, "{:width$}  games with {}", "", shares.join("  "))?;
        if one.stacks > 0 {
            writeln!(f, "{:width$}  points with more than one tile: {}", "", one.stacks)?;
        }
    }
    Ok(())
}

fn width(figures: &[RuleFigures]) -> usize {
    figures.iter().map(|one| one.rules.len()).max().unwrap_or_default()
}

fn percent(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(
        || "–".to_owned(),
        |Estimate { low, value, high }| {
            format!("{} % [{}, {}]", rounded(value), rounded(low), rounded(high))
        },
    )
}

fn rounded_share(count: usize, of: usize) -> String {
    format!("{} %", rounded(count as f64 / of.max(1) as f64))
}

/// A percentage; rare events get enough digits to distinguish them from none.
fn rounded(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        0.0 => "0".to_owned(),
        _ if percent < 0.1 => format!("{percent:.4}"),
        _ if percent < 10.0 => format!("{percent:.2}"),
        _ => format!("{percent:.1}"),
    }
}

fn number(estimate: &Estimate) -> String {
    let Estimate { low, value, high } = estimate;
    format!("{value:.2} [{low:.2}, {high:.2}]")
}
