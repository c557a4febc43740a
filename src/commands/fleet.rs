//! `fleet`: looks after a run in an object store.

mod job;
mod kubernetes;
mod slurm;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};
use fleet::blocking::Carrier;
use fleet::{Created, Fetched, Observer, Run, Store, StoreError, names, tidy};
use train::{RunConfig, encoding_version};

use crate::exit::{joining, opening};

/// Writers that race for one object, and races.
const WRITERS: usize = 16;
const RACES: usize = 20;
/// Objects that are listed.
const LISTED: usize = 20;
/// Larger than any object of a check, in bytes.
const LARGEST: u64 = 64;

/// Look after a run in an object store, which a learner (`train --store`) and workers (`worker --store`) share.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub struct FleetArguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Try out whether a store can hold a run.
    Check(StoreArguments),
    /// Show how a run is doing.
    Status(StatusArguments),
    /// Remove what learners have left that were killed or shut out.
    Tidy(StoreArguments),
    Slurm(slurm::SlurmArguments),
    K8s(kubernetes::KubernetesArguments),
}

#[derive(Args)]
struct StoreArguments {
    /// The store: file:///FOLDER, s3://BUCKET/RUN or gs://BUCKET/RUN.
    #[arg(long, value_name = "URL")]
    store: String,
}

#[derive(Args)]
struct StatusArguments {
    #[command(flatten)]
    place: StoreArguments,
    /// Look again every so many seconds, until interrupted.
    #[arg(long, value_name = "SECONDS")]
    every: Option<u64>,
}

impl FleetArguments {
    /// Runs the command.
    pub fn execute(&self) -> Result<()> {
        let carrier = Carrier::start()?;
        match &self.task {
            Task::Check(place) => check(&carrier, &place.open()?),
            Task::Status(arguments) => arguments.show(&carrier),
            Task::Tidy(place) => place.tidy(&carrier),
            Task::Slurm(arguments) => arguments.execute(),
            Task::K8s(arguments) => arguments.execute(),
        }
    }
}

impl StoreArguments {
    fn open(&self) -> Result<Store> {
        Ok(Store::open(&self.store).map_err(opening)?)
    }

    fn tidy(&self, carrier: &Carrier) -> Result<()> {
        let tidied = carrier.wait(tidy(&self.open()?)).map_err(opening)?;
        println!(
            "removed: {} segments, {} objects of checkpoints, {} of models, {} of checks",
            tidied.segments, tidied.checkpoints, tidied.models, tidied.probes
        );
        Ok(())
    }
}

impl StatusArguments {
    fn show(&self, carrier: &Carrier) -> Result<()> {
        let store = self.place.open()?;
        let run = carrier.wait(Run::read(&store, encoding_version())).map_err(joining)?;
        let config = RunConfig::from_table(run.config, &self.place.store)?;
        let beat = Duration::from_secs_f64(config.fleet.beat);
        let observer = Observer::new(store, beat, f64::from(config.learning.reuse));
        loop {
            let status = carrier.wait(observer.look()).map_err(opening)?;
            let status = status.context("no learner has begun the run")?;
            print!("run {}: {}\n{status}", run.id, run.rules);
            let Some(pause) = self.every else { return Ok(()) };
            std::thread::sleep(Duration::from_secs(pause));
            println!();
        }
    }
}

/// Tries everything that a run needs of a store.
fn check(carrier: &Carrier, store: &Store) -> Result<()> {
    let timed = Instant::now();

    let name = names::probe(&nonce());
    let first = carrier.wait(store.create(&name, "first".into())).map_err(opening)?;
    let second = carrier.wait(store.create(&name, "second".into())).map_err(opening)?;
    let kept = carrier.wait(store.get(&name, LARGEST)).map_err(opening)?;
    let is_atomic = first == Created::Mine && second != Created::Mine;
    ensure!(
        is_atomic && kept.is_some_and(|kept| kept == "first"),
        "the store lets a second writer create an object that exists: learn with --sole-learner, or use another store"
    );
    println!("a second writer cannot create an object that exists");

    for _ in 0..RACES {
        let winners = race(carrier, store)?;
        ensure!(
            winners == 1,
            "of {WRITERS} writers of one object {winners} were told that they had created it: learn with \
             --sole-learner, or use another store"
        );
    }
    println!("of {WRITERS} writers at once one creates an object, in each of {RACES} races");

    let Fetched::New { tag, .. } =
        carrier.wait(store.get_unless(&name, None, LARGEST)).map_err(opening)?
    else {
        anyhow::bail!("an object that was just written is missing");
    };
    let again = carrier.wait(store.get_unless(&name, tag.as_deref(), LARGEST)).map_err(opening)?;
    let answer = match again {
        Fetched::Unchanged => "an object that has not changed is not sent again",
        Fetched::New { .. } => {
            "an object that has not changed is sent again, which costs only bytes"
        }
        Fetched::Absent => anyhow::bail!("an object that was just read is missing"),
    };
    println!("{answer}");

    let listed: Vec<_> = (0..LISTED).map(|_| names::probe(&nonce())).collect();
    for name in &listed {
        carrier.wait(store.put(name, "listed".into())).map_err(opening)?;
    }
    let found = carrier.wait(store.list(&names::probes())).map_err(opening)?;
    let found: Vec<_> = found.into_iter().map(|it| it.name).collect();
    ensure!(
        listed.iter().all(|name| found.contains(name)),
        "a listing lacks objects that were written before it"
    );
    println!("a listing has everything that was written before it");

    carrier.wait(store.delete(listed.into_iter().chain([name]).collect())).map_err(opening)?;
    println!("the store can hold a run (checked in {:.1} s)", timed.elapsed().as_secs_f64());
    Ok(())
}

/// A name that nobody else has.
fn nonce() -> String {
    format!("{:016x}", rand::random::<u64>())
}

/// How many of several writers at once are told that they have created an object.
fn race(carrier: &Carrier, store: &Store) -> Result<usize> {
    let name = &names::probe(&nonce());
    let created: Vec<Result<Created, StoreError>> = std::thread::scope(|scope| {
        let writer = |number: usize| {
            scope.spawn(move || carrier.wait(store.create(name, format!("{number}").into())))
        };
        let writers: Vec<_> = (0..WRITERS).map(writer).collect();
        let join = |writer: std::thread::ScopedJoinHandle<'_, _>| {
            writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        writers.into_iter().map(join).collect()
    });
    let mut winners = 0;
    for created in created {
        winners += usize::from(created.map_err(opening)? == Created::Mine);
    }
    carrier.wait(store.delete(vec![name.clone()])).map_err(opening)?;
    Ok(winners)
}
