//! `worker`: plays for a run in an object store, and matches.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use fleet::blocking::{Outbox, Worker};
use fleet::{
    Claim, CourierTiming, Exit, Orders, Process, Run, RunError, Slot, Store, WorkerSettings,
};
use models::{Device, ServerSettings};
use train::{FleetSettings, Repertoire, RunConfig, encoding_version};

use crate::arguments::ComputeArguments;
use crate::fleet::exit::Stopped;
use crate::fleet::host;
use crate::fleet::matches::{ANSWER, Matches, StoreHandle};
use crate::fleet::player::{FleetPlayer, read_parked, seed};
use crate::fleet::store::{open_for, time};

/// For a worker without a run: the interval between checks for matches, and between health reports,
/// since nothing else sets one.
const LOOK: Duration = Duration::from_secs(5);
const BEAT: Duration = Duration::from_secs(20);
/// For a worker with a run, which polls for orders as well.
const POLLS_BETWEEN_LOOKS: u32 = 4;
/// The longest that a worker takes to end when asked to: less than schedulers wait.
const MAX_SHUTDOWN: Duration = Duration::from_secs(52);

/// Play for a run in an object store, whose learner is `hotstone train --store`, and the games of `hotstone match
/// --store`, which go first.
///
/// A store may contain only matches; a worker that finds no run plays these while it waits for one. When the run is over,
/// it plays the remaining matches and exits. Exit codes: 0 if the run is over, if a newer worker has the slot, or with
/// `--jobs match` if there is nothing to do; 75 if the worker should be started again, now or when there may be a run with
/// work for it; 64 if it would only fail again.
#[derive(Args)]
pub struct WorkerArguments {
    /// Where the run is: file:///FOLDER, s3://BUCKET/RUN or gs://BUCKET/RUN.
    #[arg(long, value_name = "URL")]
    store: String,
    /// What to play: games to learn from, games of matches, or both (selfplay,match).
    #[arg(long, value_enum, value_delimiter = ',', default_value = "selfplay,match")]
    jobs: Vec<Job>,
    /// The worker's slot in the run. A worker that starts in the slot of another one replaces it. [default: a new slot]
    #[arg(long)]
    slot: Option<Slot>,
    /// Stop after this time, as in 4h, 90m or 30s.
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    life: Option<Duration>,
    /// Stop when there has been nothing to do for this time; start it again later if the run continues.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "10m")]
    idle_exit: Duration,
    /// Stop when the store has been unreachable for this time.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "30m")]
    patience: Duration,
    #[command(flatten)]
    compute: ComputeArguments,
    /// Print only errors.
    #[arg(long)]
    quiet: bool,
}

/// What a worker plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Job {
    /// Games to learn from.
    #[value(name = "selfplay")]
    SelfPlay,
    /// Games of matches.
    Match,
}

/// What a worker without a run does next.
enum NextStep {
    /// A run has begun.
    Run(Run),
    /// The end of its work.
    End(Exit),
}

impl WorkerArguments {
    /// Runs the command.
    pub fn execute(&self) -> Result<()> {
        // A machine without the device has none after a restart either.
        let compute = self.compute.settings().context(Stopped(Exit::Unfit))?;
        let handle = StoreHandle::new(open_for(&self.store, self.patience)?)?;
        let slot = self.slot.clone().map_or_else(new_slot, Ok)?;
        let session = WorkerSession {
            arguments: self,
            end_signal: EndSignal::default(),
            handle,
            compute,
            slot,
        };
        let asked = session.end_signal.clone();
        let runtime = session.handle.runtime.clone();
        session.handle.runtime.when_asked_to_end(move || {
            asked.interrupt();
            // Schedulers kill whatever does not end in time, and do not restart it. Nothing that
            // has arrived is lost.
            runtime.after(MAX_SHUTDOWN, || std::process::exit(Exit::Interrupted.code().into()));
        })?;
        if let Some(life) = self.life {
            let over = session.end_signal.clone();
            session.handle.runtime.after(life, move || over.interrupt());
        }
        let exit = session.work()?;
        if exit.code() != 0 {
            return Err(Stopped(exit).into());
        }
        self.say(&Stopped(exit).to_string());
        Ok(())
    }

    fn has(&self, job: Job) -> bool {
        self.jobs.contains(&job)
    }

    /// The intervals for a worker with a run.
    fn timing(&self, fleet: &FleetSettings) -> CourierTiming {
        let seconds = Duration::from_secs_f64;
        CourierTiming {
            poll: seconds(fleet.poll),
            file: seconds(fleet.file),
            beat: seconds(fleet.beat),
            ..self.timing_without_run()
        }
    }

    /// The intervals for a worker without a run.
    fn timing_without_run(&self) -> CourierTiming {
        let (patience, idle) = (self.patience, self.idle_exit);
        CourierTiming { poll: LOOK, beat: BEAT, patience, idle, ..CourierTiming::default() }
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            // A worker continues even if nobody can read its output.
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }
}

/// A worker's session with a store.
struct WorkerSession<'a> {
    arguments: &'a WorkerArguments,
    end_signal: EndSignal,
    handle: StoreHandle,
    compute: ServerSettings,
    slot: Slot,
}

impl WorkerSession<'_> {
    fn work(&self) -> Result<Exit> {
        let run = match self.find_run()? {
            Some(run) => run,
            None => match self.play_matches(true)? {
                NextStep::Run(run) => run,
                NextStep::End(exit) => {
                    return Ok(end_without_run(exit, self.arguments.has(Job::SelfPlay))?);
                }
            },
        };
        let exit = self.play_for(run)?;
        if exit == Exit::Ended && self.arguments.has(Job::Match) {
            return Ok(match self.play_matches(false)? {
                NextStep::End(exit @ (Exit::Unreachable | Exit::Superseded)) => exit,
                // It ran out of patience before the store said whether there are matches.
                NextStep::End(Exit::Idle) => Exit::Unreachable,
                _ if self.end_signal.is_set() => Exit::Interrupted,
                _ => Exit::Ended,
            });
        }
        Ok(exit)
    }

    /// The run to play for. If there is none yet, or none that the store reports soon, a worker
    /// with other work need not end: it looks again later.
    fn find_run(&self) -> Result<Option<Run>> {
        if !self.arguments.has(Job::SelfPlay) {
            return Ok(None);
        }
        if !self.arguments.has(Job::Match) {
            return Ok(Some(self.read_run(&self.handle.store)?));
        }
        // It also looks between matches, which must not wait for a store that fails for a while.
        match self.read_run(&self.handle.store.clone().with_patience(ANSWER)) {
            Err(RunError::Absent) => Ok(None),
            Err(RunError::Store(error)) if error.is_transient() => Ok(None),
            run => Ok(Some(run?)),
        }
    }

    fn read_run(&self, store: &Store) -> Result<Run, RunError> {
        self.handle.runtime.wait(Run::read(store, encoding_version()))
    }

    fn play_for(&self, run: Run) -> Result<Exit> {
        let config = RunConfig::from_table(run.config, &self.arguments.store)
            .context("the run's configuration")
            .context(Stopped(Exit::Unfit))?;
        let timing = self.arguments.timing(&config.fleet);
        let look = POLLS_BETWEEN_LOOKS * timing.poll;
        let park = Duration::from_secs_f64(config.fleet.park);
        let player = FleetPlayer::new(Repertoire::new(config)?, self.compute);
        let settings = self.settings(timing);
        let (runtime, store) = (&self.handle.runtime, self.handle.store.clone());
        let mut worker = Worker::start(runtime, store, settings, player.clone())?;
        let outbox = worker.outbox();
        self.end_signal.watch(&outbox);
        let (slot, generation) = (&self.slot, worker.generation());
        let say = |text: &str| self.arguments.say(text);
        say(&format!("worker {slot}/{generation} of run {} plays", run.id));
        let found = read_parked(worker.take_parked());
        if !found.is_empty() {
            say(&format!("it goes on with {} games", found.len()));
        }
        let matches = || self.matches(generation, &outbox, timing.beat, look);
        let mut matches = self.arguments.has(Job::Match).then(matches);
        let seed = seed(&run.id, slot, generation);
        let played = player.play(&outbox, seed, found, park, &mut matches);
        // Even if playing failed, finished games are still sent.
        outbox.finish();
        let exit = worker.wait();
        let delivered = outbox.delivered();
        say(&format!("{} games in {} files delivered", delivered.games, delivered.files));
        if delivered.too_large > 0 {
            say(&format!("{} games left out, too long for a file", delivered.too_large));
        }
        self.tell(matches.as_ref());
        played?;
        Ok(exit)
    }

    /// Plays matches without a run: until there have been none for long enough or a run begins; if
    /// `waits` is false, only as long as there are any.
    fn play_matches(&self, waits: bool) -> Result<NextStep> {
        let timing = self.arguments.timing_without_run();
        let (runtime, store) = (&self.handle.runtime, self.handle.store.clone());
        let worker = Worker::join_without_run(runtime, store, self.settings(timing))?;
        let outbox = worker.outbox();
        self.end_signal.watch(&outbox);
        let (slot, generation) = (&self.slot, worker.generation());
        self.arguments.say(&format!("worker {slot}/{generation} plays matches"));
        let mut matches = self.matches(generation, &outbox, timing.beat, LOOK);
        let played = self.play_all(&mut matches, &outbox, waits);
        outbox.finish();
        let exit = worker.wait();
        self.tell(Some(&matches));
        Ok(match played? {
            // A worker that has been replaced in the meantime must not displace its successor.
            Some(run) if exit == Exit::Interrupted && !self.end_signal.is_set() => {
                NextStep::Run(run)
            }
            Some(_) | None => NextStep::End(exit),
        })
    }

    /// Returns a run that has begun.
    fn play_all(&self, matches: &mut Matches, outbox: &Outbox, waits: bool) -> Result<Option<Run>> {
        loop {
            // Before ending, the worker needs a definite answer.
            let answer = if waits { ANSWER } else { self.arguments.patience };
            let is_sure = matches.play_all(answer)?;
            if outbox.orders() == Orders::Stop || (!waits && is_sure) {
                return Ok(None);
            }
            if !waits {
                return Err(Stopped(Exit::Unreachable).into());
            }
            if let Some(run) = self.find_run()? {
                return Ok(Some(run));
            }
            outbox.wait_for_orders_at_most(matches.poll());
        }
    }

    fn matches(&self, generation: u64, outbox: &Outbox, beat: Duration, poll: Duration) -> Matches {
        let process = Process { slot: self.slot.clone(), generation };
        Matches::new(&self.handle, process, outbox.clone(), self.compute, beat, poll)
    }

    fn settings(&self, timing: CourierTiming) -> WorkerSettings {
        let claim = claim(&self.compute);
        let settings = WorkerSettings::new(self.slot.clone(), encoding_version(), claim);
        WorkerSettings { timing, ..settings }
    }

    fn tell(&self, matches: Option<&Matches>) {
        if let Some(units) = matches.map(Matches::delivered).filter(|&units| units > 0) {
            self.arguments.say(&format!("{units} units of matches delivered"));
        }
    }
}

/// How a worker that has found no run ends. If it would play for one, a learner may yet start, so
/// that the worker must be started again, whether it has played matches meanwhile or not.
fn end_without_run(exit: Exit, would_play: bool) -> Result<Exit, RunError> {
    if would_play && exit == Exit::Idle { Err(RunError::Absent) } else { Ok(exit) }
}

/// Whether the worker has been told to end, both for what it is doing and for what it does next.
#[derive(Clone, Default)]
struct EndSignal(Arc<Mutex<(bool, Option<Outbox>)>>);

impl EndSignal {
    /// Ends the work that uses this outbox as soon as the worker is told to end.
    fn watch(&self, outbox: &Outbox) {
        let mut end_signal = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if end_signal.0 {
            outbox.interrupt();
        }
        end_signal.1 = Some(outbox.clone());
    }

    fn is_set(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    fn interrupt(&self) {
        let mut end_signal = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        end_signal.0 = true;
        end_signal.1.iter().for_each(Outbox::interrupt);
    }
}

fn claim(compute: &ServerSettings) -> Claim {
    let device = match compute.device {
        Device::Cpu => format!("{} threads", compute.threads),
        Device::Cuda => Device::Cuda.to_string(),
    };
    let nonce = format!("{:016x}", rand::random::<u64>());
    Claim { nonce, host: host::name(), version: env!("CARGO_PKG_VERSION").to_owned(), device }
}

/// An unused slot name: the machine's name, truncated if necessary, and random digits.
fn new_slot() -> Result<Slot> {
    let plain = |letter: char| match letter.to_ascii_lowercase() {
        plain @ ('a'..='z' | '0'..='9') => plain,
        _ => '-',
    };
    let host: String = host::name().chars().map(plain).take(20).collect();
    Ok(format!("{host}-{:08x}", rand::random::<u32>()).parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_workers_for_matches_alone_are_done_when_there_is_no_run() {
        let code = |exit, would_play| {
            end_without_run(exit, would_play).unwrap_or_else(|absent| absent.exit()).code()
        };
        assert_eq!([code(Exit::Idle, false), code(Exit::Idle, true)], [0, 75]);
        for would_play in [false, true] {
            assert_eq!(code(Exit::Superseded, would_play), 0, "its successor is there");
            assert_eq!(code(Exit::Interrupted, would_play), 75);
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_workers_without_other_work_wait_for_a_store_to_tell_of_a_run() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            arguments: WorkerArguments,
        }
        let folder = tempfile::tempdir().unwrap();
        // A link to itself cannot be read.
        let run = folder.path().join("run.toml");
        std::os::unix::fs::symlink(&run, &run).unwrap();
        let url = format!("file://{}", folder.path().display());
        let find = |jobs: &str, patience: &str| {
            let words = ["worker", "--store", &url, "--jobs", jobs, "--patience", patience];
            let Line { arguments } = <Line as clap::Parser>::try_parse_from(words).unwrap();
            let store = Store::open(&url).unwrap().with_patience(arguments.patience);
            let session = WorkerSession {
                arguments: &arguments,
                end_signal: EndSignal::default(),
                handle: StoreHandle::new(store).unwrap(),
                compute: ServerSettings::new(Device::Cpu, models::Precision::F32),
                slot: new_slot().unwrap(),
            };
            session.find_run().map(|run| run.is_some())
        };
        let begun = std::time::Instant::now();
        assert!(matches!(find("selfplay,match", "10m"), Ok(false)));
        assert!(begun.elapsed() < Duration::from_secs(60), "matches do not wait for it");
        assert!(find("selfplay", "1s").is_err());
    }

    #[test]
    fn a_worker_without_the_device_that_it_is_told_to_use_is_not_started_again() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            arguments: WorkerArguments,
        }
        for (option, value) in [("--device", "abacus"), ("--precision", "f7")] {
            let words = ["worker", "--store", "file:///nowhere", option, value];
            let Line { arguments } = <Line as clap::Parser>::try_parse_from(words).unwrap();
            let error = arguments.execute().unwrap_err();
            assert_eq!(crate::fleet::exit::of(&error), Some(Exit::Unfit), "{error:#}");
            assert!(format!("{error:#}").contains(value), "{error:#}");
        }
    }

    #[test]
    fn new_slots_have_names_that_slots_may_have() {
        assert_ne!(new_slot().unwrap(), new_slot().unwrap());
    }
}
