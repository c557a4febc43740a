//! `hotstone solve`

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use engine::{Bitboard, Move, Point, Position, Reason, Rules, Size, join_with_spaces};
use game::SgfRecord;
use solver::{Cycles, Effort, Endless, Ends, RepetitionStakes, Solution, Solver, Value};

use crate::output::{print_after, try_file, write_file};

/// Find the exact value of a small board, and all moves that keep it.
#[derive(Args)]
pub struct SolveArguments {
    /// A variant's name, and changes to it: go,komi=0.
    #[arg(long)]
    rules: String,
    /// Side of the board, up to 5, or its width and height, as in 2x3; boards of up to 9 points take seconds, larger ones may take days.
    #[arg(long)]
    size: Size,
    /// Turns that lead to the position: B2 pass A1.
    moves: Vec<Move>,
    /// Write the position with the values of its moves as SGF.
    #[arg(long)]
    sgf: Option<PathBuf>,
    /// Find who wins, not by how much: far less work.
    #[arg(long)]
    winners: bool,
    /// The value of every move, not only which are best.
    #[arg(long)]
    values: bool,
    /// Positions to search before giving up.
    #[arg(long, default_value_t = Effort::default().nodes)]
    nodes: u64,
    /// Results to store, about 150 bytes each.
    #[arg(long, default_value_t = Effort::default().results)]
    results: usize,
    /// Find instead who can make the game end for this reason (passes, no-move, repetition; a wrong one lists them all):
    /// Black alone, White alone, or both together. For repetition, also whether anyone needs it.
    #[arg(long, value_name = "REASON", value_parser = reason, conflicts_with_all = ["moves", "sgf", "winners", "values"])]
    forces: Option<Reason>,
    /// Find instead whether a game can repeat its positions forever; only for rules that look back at most one turn.
    #[arg(long, conflicts_with_all = ["moves", "sgf", "winners", "values", "results", "forces"])]
    cycles: bool,
    /// Find instead who can force a game without a move limit to last forever, and whether anyone needs to; only for rules
    /// that look back at most one turn. Where prisoners are returned, counts of up to this many per player are kept apart;
    /// 6 if left out.
    #[arg(long, value_name = "PRISONERS", num_args = 0..=1, default_missing_value = "6", value_parser = clap::value_parser!(u16).range(1..),
        conflicts_with_all = ["moves", "sgf", "winners", "values", "results", "forces", "cycles"])]
    endless: Option<u16>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl SolveArguments {
    /// Solves the position and prints its value.
    pub fn execute(&self) -> Result<()> {
        let rules = Rules::parse(&self.rules, self.size)?;
        let effort = Effort { nodes: self.nodes, results: self.results };
        if let Some(reason) = self.forces {
            return self.tell_who_forces(&rules, reason, effort);
        }
        if self.cycles {
            return self.tell_of_cycles(&rules);
        }
        if let Some(prisoners) = self.endless {
            return self.tell_of_endless_games(&rules, prisoners);
        }
        self.sgf.as_deref().map_or(Ok(()), try_file)?;
        let mut solver = Solver::with_effort(rules, effort).winners_only(self.winners);
        let started = Instant::now();
        let solution = solver.solve(&self.moves)?;
        let seconds = started.elapsed().as_secs_f64();
        let end = end_after(&rules, &self.moves);
        let valued = match self.values || self.sgf.is_some() {
            true => solver.values(&self.moves).context("the values of the moves"),
            false => Ok(Vec::new()),
        };
        // Where they are not found, the solution is told all the same.
        let (values, found) = match valued {
            Ok(values) => (values, Ok(())),
            Err(problem) => (Vec::new(), Err(problem)),
        };
        let written = found.and_then(|()| {
            self.sgf.as_ref().map_or(Ok(()), |path| {
                let record = record(&rules, &self.moves, &solution, end, &values);
                write_file(path, &record.to_string())
            })
        });
        let text = match self.json {
            true => format!("{}\n", json(&rules, &solution, end, &values, seconds)),
            false => text(&solution, end, &values, seconds),
        };
        print_after(written, text)
    }

    fn tell_who_forces(&self, rules: &Rules, reason: Reason, effort: Effort) -> Result<()> {
        let ends = Ends::find(rules, reason, effort)?;
        let stakes = (reason == Reason::Repetition)
            .then(|| RepetitionStakes::find(rules, effort))
            .transpose()?;
        if self.json {
            let line = serde_json::json!({
                "rules": rules.to_string(), "size": rules.size, "end": reason.to_string(),
                "forced_by": {"B": ends.forced_by[0], "W": ends.forced_by[1]}, "together": ends.together,
                "value_if_lost_by": stakes.map(|stakes| serde_json::json!({
                    "B": stakes.lost_by[0].to_string(), "W": stakes.lost_by[1].to_string(),
                })),
                "matters": stakes.map(|stakes| stakes.matter()),
            });
            println!("{line}");
            return Ok(());
        }
        let word = |yes| if yes { "yes" } else { "no" };
        println!("The game ends by {reason} if");
        println!("  Black alone wants it  {}", word(ends.forced_by[0]));
        println!("  White alone wants it  {}", word(ends.forced_by[1]));
        println!("  both want it          {}", word(ends.together));
        if let Some(stakes) = stakes {
            let [black, white] = stakes.lost_by;
            println!("Value if a repetition is the worst for Black: {black}; for White: {white}");
            println!(
                "{}",
                if stakes.matter() {
                    "Best play comes to a repetition wherever it is worth something between these."
                } else {
                    "Nobody needs a repetition: either player avoids it at no cost."
                }
            );
        }
        Ok(())
    }

    fn positions(&self) -> usize {
        usize::try_from(self.nodes).unwrap_or(usize::MAX)
    }

    fn tell_of_endless_games(&self, rules: &Rules, prisoners: u16) -> Result<()> {
        let endless = Endless::find(rules, prisoners, self.positions())?;
        let bounds = |[least, greatest]: [Value; 2]| {
            if least == greatest {
                least.to_string()
            } else {
                format!("from {least} to {greatest}")
            }
        };
        let [black, white] = endless.lost_by.map(bounds);
        if self.json {
            let line = serde_json::json!({
                "rules": rules.to_string(), "size": rules.size,
                "forced_by": {"B": endless.forced_by[0], "W": endless.forced_by[1]},
                "value_if_lost_by": {"B": black, "W": white},
                "matters": endless.matters(),
            });
            println!("{line}");
            return Ok(());
        }
        let word = |known| match known {
            Some(true) => "yes",
            Some(false) => "no",
            None => "not decided: tell more prisoners apart",
        };
        println!("Without a move limit the game goes on for ever if");
        println!("  Black alone wants it  {}", word(endless.forced_by[0]));
        println!("  White alone wants it  {}", word(endless.forced_by[1]));
        println!("Value if that is the worst for Black: {black}; for White: {white}");
        println!(
            "{}",
            match endless.matters() {
                Some(true) =>
                    "Best play goes on for ever wherever that is worth something between these.",
                Some(false) => "Nobody needs it: either player avoids it at no cost.",
                None => "Whether anyone needs it is not decided: tell more prisoners apart.",
            }
        );
        Ok(())
    }

    fn tell_of_cycles(&self, rules: &Rules) -> Result<()> {
        let cycles = Cycles::find(rules, self.positions())?;
        if self.json {
            let (moves, begins) = match &cycles {
                Cycles::None { .. } => (Vec::new(), 0),
                Cycles::Some { moves, begins } => {
                    (moves.iter().map(ToString::to_string).collect::<Vec<_>>(), *begins)
                }
            };
            let line = serde_json::json!({
                "rules": rules.to_string(), "size": rules.size, "cycles": !moves.is_empty(),
                "moves": moves, "begins": begins,
            });
            println!("{line}");
            return Ok(());
        }
        print!("{}", circles(&cycles));
        Ok(())
    }
}

/// Whether there is a circle, and if so, how a game gets into it and around it.
fn circles(cycles: &Cycles) -> String {
    match cycles {
        // No position had to be examined.
        Cycles::None { positions: 0 } => {
            "No circle: it would take stones each time round, and enough of them end the game.\n"
                .to_owned()
        }
        Cycles::None { positions } => {
            format!("No circle: each of {positions} positions is left for good.\n")
        }
        Cycles::Some { moves, begins } => {
            let (before, around) = moves.split_at(*begins);
            let [before, around] = [before, around].map(join_with_spaces);
            format!("A circle: after  {before}\nthis repeats     {around}\n")
        }
    }
}

/// What ended the game with these moves, which have been solved and are therefore legal.
fn end_after(rules: &Rules, moves: &[Move]) -> Option<Reason> {
    let mut position = Position::new(*rules);
    moves.iter().for_each(|&played| position.play_unchecked(played));
    position.outcome().map(|outcome| outcome.reason)
}

/// The game that leads to the position, with the value of every move there: all moves are labelled,
/// and the best are circled.
fn record(
    rules: &Rules,
    moves: &[Move],
    solution: &Solution,
    end: Option<Reason>,
    values: &[(Move, Value)],
) -> SgfRecord {
    let Solution { value, best, nodes } = solution;
    let circles: Bitboard = best.iter().filter_map(|played| played.point()).collect();
    // A starred move comes right after the plain one on its point.
    let mut labels: Vec<(Point, String)> = Vec::new();
    for (played, value) in values {
        let Some(point) = played.point() else { continue };
        match labels.last_mut() {
            Some((last, label)) if *last == point => label.push_str(&format!(" *{value}")),
            Some(_) | None => labels.push((point, value.to_string())),
        }
    }
    let best = match end {
        Some(reason) => format!("the game has ended: {reason}"),
        None => format!("best {}", join_with_spaces(best)),
    };
    let mut record = SgfRecord::of_moves(rules, moves);
    record.annotate(&format!("value {value}, {best}, {nodes} nodes"), &circles, &labels);
    record
}

/// The solution for people. A game that has ended has no best move, so the end is named instead.
fn text(
    solution: &Solution,
    end: Option<Reason>,
    values: &[(Move, Value)],
    seconds: f64,
) -> String {
    let values: String =
        values.iter().map(|(played, value)| format!("  {played:<5} {value}\n")).collect();
    let Solution { value, best, nodes } = solution;
    let best = match end {
        Some(reason) => format!("over   the game has ended: {reason}"),
        None => format!("best   {}", join_with_spaces(best)),
    };
    format!("value  {value}\n{best}\n{values}nodes  {nodes} in {seconds:.2} s\n")
}

/// The solution for programs.
fn json(
    rules: &Rules,
    solution: &Solution,
    end: Option<Reason>,
    values: &[(Move, Value)],
    seconds: f64,
) -> serde_json::Value {
    let moves: serde_json::Map<String, serde_json::Value> = values
        .iter()
        .map(|(played, value)| (played.to_string(), value.to_string().into()))
        .collect();
    serde_json::json!({
        "rules": rules.to_string(),
        "size": rules.size,
        "value": solution.value.to_string(),
        "score": solution.value.score(),
        "winner": solution.value.result().winner().map(|color| color.to_string()),
        "best": solution.best.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "end": end.map(|reason| reason.to_string()),
        "values": moves,
        "nodes": solution.nodes,
        "seconds": seconds,
    })
}

/// Parses a reason why games end: its words, with or without hyphens.
fn reason(text: &str) -> Result<Reason, String> {
    let words = text.replace('-', " ");
    Reason::ALL.into_iter().find(|reason| reason.to_string() == words).ok_or_else(|| {
        let all = Reason::ALL.map(|reason| reason.to_string().replace(' ', "-"));
        format!("expected one of {}", all.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_told_or_why_there_is_none() {
        let told = |rules: &str| {
            let rules = Rules::parse(rules, 2).unwrap();
            circles(&Cycles::find(&rules, 100_000).unwrap())
        };
        assert!(told("go,repetition=none").starts_with("A circle: after  A1"));
        let examined = told("nogo");
        let number = examined.split(' ').nth(4).and_then(|word| word.parse().ok());
        assert!(number.is_some_and(|positions: usize| positions > 0), "{examined}");
        assert!(told("go,repetition=none,capture_goal=2").contains("enough of them end the game"));
    }

    #[test]
    fn two_moves_on_a_point_share_its_label() {
        let rules = Rules::parse("conquest", 2).unwrap();
        let solution = Solver::new(rules).solve(&[]).unwrap();
        let point: Point = "A1".parse().unwrap();
        let both = [Move::Place(point), Move::PlaceStarred(point)];
        let values = both.map(|played| (played, solution.value));
        let text = record(&rules, &[], &solution, None, &values).to_string();
        assert!(text.contains(&format!("LB[ab:{0} *{0}]", solution.value)), "{text}");
    }
}
