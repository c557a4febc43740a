//! `fleet`: looks after a run in an object store.

mod fetch;
mod job;
mod kubernetes;
mod slurm;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Subcommand};
use fleet::blocking::AsyncRuntime;
use fleet::{CheckReport, Observer, Run, WRITERS, check, collect_garbage};
use train::{RunConfig, encoding_version};

use self::fetch::FetchArguments;
use crate::arguments::at_least;
use crate::fleet::store::StoreArguments;

/// Look after a run in an object store, which a learner (`train --store`) and workers (`worker --store`) share.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub struct FleetArguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Test whether a store is fit for a run.
    Check(CheckArguments),
    /// Show how a run is doing.
    Status(StatusArguments),
    Fetch(FetchArguments),
    /// Remove what killed or shut-out learners have left behind and, in a folder, files that were only partly written.
    Tidy(StoreArguments),
    Slurm(slurm::SlurmArguments),
    K8s(kubernetes::KubernetesArguments),
}

#[derive(Args)]
struct CheckArguments {
    #[command(flatten)]
    place: StoreArguments,
    /// How often 16 writers at once try to create the same object.
    #[arg(long, value_name = "NUMBER", default_value_t = 150, value_parser = at_least(1))]
    races: usize,
}

#[derive(Args)]
struct StatusArguments {
    #[command(flatten)]
    place: StoreArguments,
    /// Refresh every so many seconds, until interrupted.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
}

impl FleetArguments {
    /// Runs the command.
    pub fn execute(&self) -> Result<()> {
        let runtime = AsyncRuntime::start()?;
        match &self.task {
            Task::Check(arguments) => arguments.check(&runtime),
            Task::Status(arguments) => arguments.show(&runtime),
            Task::Fetch(arguments) => arguments.execute(&runtime),
            Task::Tidy(place) => remove_leftovers(place, &runtime),
            Task::Slurm(arguments) => arguments.execute(),
            Task::K8s(arguments) => arguments.execute(),
        }
    }
}

fn remove_leftovers(place: &StoreArguments, runtime: &AsyncRuntime) -> Result<()> {
    let removed = runtime.wait(collect_garbage(&place.open()?))?;
    println!(
        "removed: {} segments, {} objects of checkpoints, {} of models, {} of checks",
        removed.segments, removed.checkpoints, removed.models, removed.probes
    );
    if removed.partial + removed.folders > 0 {
        println!("and {} half-written files, {} empty folders", removed.partial, removed.folders);
    }
    Ok(())
}

impl CheckArguments {
    fn check(&self, runtime: &AsyncRuntime) -> Result<()> {
        let (store, timed) = (self.place.open()?, Instant::now());
        let report = runtime.wait(check(&store, self.races, rand::random()))?;
        for line in self.lines(&report) {
            println!("{line}");
        }
        ensure!(report.is_consistent(), "the store cannot hold a run: use another one");
        if !report.is_atomic() {
            bail!(
                "the store cannot keep a second learner out: learn with --sole-learner and start one learner only, or use another store"
            );
        }
        println!("the store can hold a run (checked in {:.1} s)", timed.elapsed().as_secs_f64());
        Ok(())
    }

    fn lines(&self, report: &CheckReport) -> [String; 5] {
        let CheckReport {
            keeps_first,
            torn_races,
            most_winners,
            saves_bytes,
            lists_all,
            lists_after,
        } = report;
        let races = self.races;
        let said = |is_so: &bool, good: &str, bad: &str| if *is_so { good } else { bad }.to_owned();
        [
            said(
                keeps_first,
                "a second writer cannot create an object that exists",
                "a second writer can create an object that exists",
            ),
            if *torn_races == 0 {
                format!(
                    "of {WRITERS} writers at once one creates an object, in each of {races} races"
                )
            } else {
                format!(
                    "of {WRITERS} writers at once up to {most_winners} create the same object; not exactly one in \
                     {torn_races} of {races} races"
                )
            },
            said(
                saves_bytes,
                "an object that has not changed is not sent again",
                "an object that has not changed is sent again, which costs only bytes",
            ),
            said(
                lists_all,
                "a listing has everything that was written before it",
                "a listing lacks objects that were written before it",
            ),
            said(
                lists_after,
                "a listing from a name on has the names after it",
                "a listing from a name on has not exactly the names after it",
            ),
        ]
    }
}

impl StatusArguments {
    fn show(&self, runtime: &AsyncRuntime) -> Result<()> {
        let store = self.place.open()?;
        let run = runtime.wait(Run::read(&store, encoding_version()))?;
        let config = RunConfig::from_table(run.config, &self.place.url)?;
        let beat = Duration::from_secs_f64(config.fleet.beat);
        let observer = Observer::new(store, beat, f64::from(config.learning.reuse));
        loop {
            let status = runtime.wait(observer.look())?;
            let status = status.context("no learner has begun the run")?;
            print!("run {}: {}\n{status}", run.id, run.rules);
            let Some(pause) = self.every else { return Ok(()) };
            std::thread::sleep(Duration::from_secs(pause));
            println!();
        }
    }
}
