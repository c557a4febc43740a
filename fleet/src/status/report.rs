//! The status of a run in words.

use std::fmt;
use std::time::Duration;

use super::standing::{Liveness, SlotStatus, Status, Useful};
use crate::commit::Refused;
use crate::store::Requests;

/// Amazon's prices for a thousand requests of each class in most regions, in dollars.
const WRITES_PRICE: f64 = 0.005;
const READS_PRICE: f64 = 0.0004;

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.tell_progress(f)?;
        self.tell_learner(f)?;
        self.tell_workers(f)?;
        let age = rough(self.inbox_age);
        writeln!(f, "inbox: {}, {} bytes", files(self.inbox_files as u64), self.inbox_bytes)?;
        if self.inbox_files > 0 {
            writeln!(f, "  the oldest has waited for {age}")?;
        }
        self.tell_refused(f)?;
        let Requests { writes, reads } = self.hourly_requests();
        let price = (writes as f64 * WRITES_PRICE + reads as f64 * READS_PRICE) / 1000.0;
        writeln!(
            f,
            "requests an hour: {writes} writes and listings, {reads} reads; at Amazon's prices ${price:.2}"
        )?;
        self.slots.iter().try_for_each(|slot| writeln!(f, "  {slot}"))
    }
}

impl Status {
    fn tell_progress(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let commit = &self.commit;
        let state = match (commit.ended, commit.hold) {
            (true, _) => ", ended",
            (false, true) => ", workers are told to wait",
            (false, false) => "",
        };
        writeln!(
            f,
            "commit {}, phase {}, step {}{state}",
            commit.number,
            commit.phase,
            commit.step()
        )?;
        if let Some(quiet) = self.quiet.filter(|_| !commit.ended) {
            writeln!(f, "nobody has written anything for {}", rough(quiet))?;
        }
        write!(f, "positions {} of {} games", commit.positions, commit.games)?;
        if let Some(recent) = self.recent {
            let time = rough(recent.time);
            write!(f, ", {:.1}/s in the last {time} of work", recent.positions_per_second)?;
        }
        write!(f, "\nsamples {}", commit.samples)?;
        if let Some(recent) = self.recent {
            write!(f, ", {:.1}/s", recent.samples_per_second)?;
        }
        if let Some(reuse) = self.effective_reuse() {
            write!(f, "; each position {reuse:.2} times, of {:.2} wanted", self.reuse)?;
        }
        writeln!(f)
    }

    fn tell_learner(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "learner")?;
        if let Some(learner) = &self.learner {
            write!(f, " on {}", learner.host)?;
            if let Some(speed) = learner.samples_per_second {
                write!(f, ": {speed:.0} samples/s while it learns")?;
            }
        }
        writeln!(f, ", last sign {} ago", rough(self.learner_age))
    }

    fn tell_workers(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let playing = self.count(Liveness::Plays);
        writeln!(
            f,
            "workers: {playing} play, {} wait, {} silent",
            self.count(Liveness::Holds),
            self.count(Liveness::Silent)
        )?;
        match self.useful {
            Some(Useful { workers, learnt, played }) => {
                writeln!(
                    f,
                    "useful workers: {workers:.1} like these, as the learner has time for {learnt:.1} positions/s and a worker \
                     plays {played:.1}"
                )?;
                if playing as f64 > workers.max(1.0) {
                    writeln!(
                        f,
                        "  more make it learn from each position less often; a faster learner or more simulations can use them"
                    )?;
                }
                Ok(())
            }
            None => {
                writeln!(f, "useful workers: known when the learner has learnt and a worker plays")
            }
        }
    }

    fn tell_refused(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Refused { stale, invalid, invalid_files, late, strange_files, lost_files } =
            self.commit.refused;
        write!(
            f,
            "did not count: {stale} games too old, {invalid} invalid in {}, {late} late, {strange_files} strange objects",
            files(invalid_files)
        )?;
        if lost_files > 0 {
            write!(f, ", {} gone before they were taken", files(lost_files))?;
        }
        writeln!(f)?;
        self.reasons.iter().try_for_each(|reason| writeln!(f, "  {reason}"))
    }
}

impl fmt::Display for SlotStatus {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let SlotStatus { health, age, liveness, evaluations_per_second, behind } = self;
        write!(f, "{}/{} on {} ", health.slot, health.generation, health.host)?;
        match liveness {
            Liveness::Plays => write!(f, "plays")?,
            Liveness::Holds => write!(f, "waits")?,
            Liveness::Silent => write!(f, "silent for {}", rough(*age))?,
        }
        write!(
            f,
            ": {} games, {evaluations_per_second:.0} evaluations/s, {} waiting, weights {behind} steps old",
            health.games,
            files(health.waiting)
        )?;
        if health.store_errors > 0 {
            let all = health.requests.writes + health.requests.reads;
            write!(f, ", {} of {all} requests failed", health.store_errors)?;
        }
        Ok(())
    }
}

fn files(count: u64) -> String {
    match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}

/// A duration in its largest unit.
fn rough(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
