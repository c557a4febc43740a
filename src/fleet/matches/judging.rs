//! Has a match played by workers.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use arena::{Journal, Match, MatchGame, MatchReport, Openings, Progress, UNIT_GAMES};
use fleet::{Holder, Judge, Standing};
use serde_json::json;

use super::{Plan, StoreHandle};

/// Interval between checks for results.
const LOOK: Duration = Duration::from_secs(1);
/// How long nothing must happen before this is reported.
const QUIET: Duration = Duration::from_secs(60);
/// Number of notes of one kind that are reported in full.
const MAX_REPORTED: usize = 3;

/// Where the games of a match are recorded, and who follows it.
pub struct Follower<'a> {
    /// The folder of the record, if any.
    pub record: Option<&'a Path>,
    /// Openings that were given rather than drawn, in the record's form.
    pub openings: Option<Openings>,
    /// Called for each game.
    pub watch: &'a mut dyn FnMut(&Progress),
    /// Called with a message when nothing happens.
    pub say: &'a dyn Fn(&str),
}

/// Lets workers start a match that will be judged later.
pub fn open(handle: &StoreHandle, plan: &Plan) -> Result<()> {
    handle.runtime.wait(Judge::open(handle.store.clone(), &plan.in_store()?))?;
    Ok(())
}

/// Has a match played, or continues it, to its end or to the verdict of its test.
pub fn judge(handle: &StoreHandle, plan: &Plan, follower: Follower) -> Result<MatchReport> {
    let game = plan.contest()?;
    let mut record = Record::open(follower.record, &game, follower.openings)?;
    let runtime = &handle.runtime;
    let mut judge = runtime.wait(Judge::open(handle.store.clone(), &plan.in_store()?))?;
    let check = |unit: u64, bytes: &[u8]| game.read_unit(unit as usize, bytes);
    let mut table = game.table();
    let mut quiet_since = Instant::now();
    loop {
        for (_, games) in runtime.wait(judge.take(&check))? {
            quiet_since = Instant::now();
            for (index, one) in games {
                if table.is_decided() {
                    break;
                }
                record.enter(index, &one)?;
                table.enter(index, one)?;
                table.progress(index).iter().for_each(&mut *follower.watch);
            }
        }
        if table.is_decided() || judge.has_all() {
            break;
        }
        if quiet_since.elapsed() >= QUIET {
            quiet_since = Instant::now();
            let standing = runtime.wait(judge.standing())?;
            (follower.say)(&describe(&standing));
        }
        std::thread::sleep(LOOK);
    }
    let report = game.report(table)?;
    let verdict = verdict(&game, &report, judge.taken())?;
    runtime.wait(judge.end(verdict.into()))?;
    Ok(report)
}

/// The final verdict stored in the store. It follows from the plan and the results that count.
fn verdict(game: &Match, report: &MatchReport, taken: &[String]) -> Result<Vec<u8>> {
    let units = report.games.len().div_ceil(UNIT_GAMES);
    let test = game.test.map(|test| test.json(&report.tally.pairs));
    let verdict = json!({
        "games": report.games.len(),
        "pentanomial": report.tally.pairs.0,
        "sprt": test,
        "results": taken.get(..units).unwrap_or(taken),
    });
    Ok(serde_json::to_vec(&verdict)?)
}

/// The record of the match on this machine, if one is kept.
struct Record(Option<(Journal, HashMap<usize, MatchGame>)>);

impl Record {
    fn open(folder: Option<&Path>, game: &Match, given: Option<Openings>) -> Result<Record> {
        let Some(folder) = folder else { return Ok(Record(None)) };
        let recorded = Match { openings: given, ..game.clone() };
        let (journal, games) = Journal::open(folder, &recorded)?;
        Ok(Record(Some((journal, games.into_iter().collect()))))
    }

    fn enter(&mut self, index: usize, game: &MatchGame) -> Result<()> {
        let Some((journal, known)) = &mut self.0 else { return Ok(()) };
        ensure!(
            known.get(&index).is_none_or(|known| known == game),
            "the folder of the record has another game {index} than the store: use another folder"
        );
        Ok(journal.append(index, game)?)
    }
}

/// Describes the state of a match in which nothing is happening.
fn describe(standing: &Standing) -> String {
    let mut plays = Vec::new();
    let mut trouble = Vec::new();
    for (unit, holder) in &standing.claimed {
        match holder {
            Holder::Plays(by) => plays.push(format!("{by} plays unit {unit}")),
            Holder::Gone(by) => trouble.push(format!("{by}, which had unit {unit}, has gone")),
            Holder::GaveBack(by, why) => trouble.push(format!("{by} gave unit {unit} back: {why}")),
        }
    }
    let refused = standing.refused.iter().map(|by| format!("a result of {by} was refused"));
    trouble.extend(refused);
    let mut told = if plays.is_empty() && standing.others == 0 {
        vec!["no worker is at it: start some with 'hotstone worker --store'".to_owned()]
    } else {
        let more =
            (standing.others > 0).then(|| format!("{} more units are claimed", standing.others));
        some(plays).into_iter().chain(more).collect()
    };
    told.extend(some(trouble));
    told.join("; ")
}

/// The first few notes.
fn some(mut notes: Vec<String>) -> Vec<String> {
    let more = notes.len().saturating_sub(MAX_REPORTED);
    notes.truncate(MAX_REPORTED);
    notes.extend((more > 0).then(|| format!("and {more} more")));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleet::Process;

    #[test]
    fn what_keeps_a_match_waiting_is_said() {
        let by = |slot: &str| Process { slot: slot.parse().expect("a slot"), generation: 2 };
        let nobody = Standing { claimed: Vec::new(), others: 0, refused: Vec::new() };
        assert!(describe(&nobody).starts_with("no worker is at it: start some"));
        // Nothing more is known about the others.
        assert_eq!(describe(&Standing { others: 3, ..nobody }), "3 more units are claimed");
        let gave_back = Holder::GaveBack(by("b"), "no GPU".to_owned());
        let claimed = vec![
            (3, Holder::Plays(by("a"))),
            (4, gave_back),
            (5, Holder::Gone(by("c"))),
            (6, Holder::Gone(by("d"))),
        ];
        let standing = Standing { claimed, others: 0, refused: vec![by("e")] };
        assert_eq!(
            describe(&standing),
            "a/2 plays unit 3; b/2 gave unit 4 back: no GPU; c/2, which had unit 5, has gone; \
             d/2, which had unit 6, has gone; and 1 more"
        );
    }
}
