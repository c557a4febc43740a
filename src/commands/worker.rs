//! `worker`: plays for a run in an object store.

use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use fleet::blocking::{Carrier, Worker};
use fleet::{Claim, Exit, Pace, Run, Slot, WorkerSettings};
use models::{Device, ServerSettings};
use train::{FleetSettings, Repertoire, RunConfig, encoding_version};

use crate::arguments::ComputeArguments;
use crate::exit::{Stopped, joining};
use crate::fleet_player::{Table, find, seed};
use crate::fleet_store::{open_for, time};
use crate::host;

/// Play for a run in an object store, whose learner is `hotstone train --store`.
///
/// Ends with code 0 when the run is over or there is nothing to do, 75 if it is to be started again, and 64 if it would
/// only fail again.
#[derive(Args)]
pub struct WorkerArguments {
    /// Where the run is: file:///FOLDER, s3://BUCKET/RUN or gs://BUCKET/RUN.
    #[arg(long, value_name = "URL")]
    store: String,
    /// The worker's place in the run. A worker that starts in the place of another one replaces it. [default: a new one]
    #[arg(long)]
    slot: Option<Slot>,
    /// Stop after this time, as in 4h, 90m or 30s.
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    life: Option<Duration>,
    /// Stop when there has been nothing to do for this time.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "10m")]
    idle_exit: Duration,
    /// Stop when the store has been out of reach for this time.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "30m")]
    patience: Duration,
    #[command(flatten)]
    compute: ComputeArguments,
    /// Print only errors.
    #[arg(long)]
    quiet: bool,
}

impl WorkerArguments {
    /// Runs the command.
    pub fn execute(&self) -> Result<()> {
        let compute = self.compute.settings()?;
        let carrier = Carrier::start()?;
        let store = open_for(&self.store, self.patience)?;
        let run = carrier.wait(Run::read(&store, encoding_version())).map_err(joining)?;
        let config = RunConfig::from_table(run.config, &self.store)
            .context("the run's configuration")
            .context(Stopped(Exit::Unfit))?;
        let slot = self.slot.clone().map_or_else(new_slot, Ok)?;
        let mut settings = WorkerSettings::new(slot.clone(), encoding_version(), claim(&compute));
        settings.pace = self.pace(&config.fleet);
        let park = Duration::from_secs_f64(config.fleet.park);
        let table = Table::new(Repertoire::new(config)?, compute);
        let mut worker = Worker::start(&carrier, store, settings, table.clone())?;
        let outbox = worker.outbox();
        let asked = outbox.clone();
        carrier.when_asked_to_end(move || asked.interrupt())?;
        if let Some(life) = self.life {
            let over = outbox.clone();
            carrier.after(life, move || over.interrupt());
        }
        let generation = worker.generation();
        self.say(&format!("worker {slot}/{generation} of run {} plays", worker.run().id));
        let found = find(worker.take_parked());
        if !found.is_empty() {
            self.say(&format!("it goes on with {} games", found.len()));
        }
        let played = table.play(&outbox, seed(worker.run(), &slot, generation), found, park);
        // If playing failed, what is finished is sent nevertheless.
        outbox.finish();
        let exit = worker.wait();
        let delivered = outbox.delivered();
        self.say(&format!("{} games in {} files delivered", delivered.games, delivered.files));
        played?;
        if exit.code() != 0 {
            return Err(Stopped(exit).into());
        }
        self.say(&Stopped(exit).to_string());
        Ok(())
    }

    fn pace(&self, fleet: &FleetSettings) -> Pace {
        let seconds = Duration::from_secs_f64;
        Pace {
            poll: seconds(fleet.poll),
            file: seconds(fleet.file),
            beat: seconds(fleet.beat),
            patience: self.patience,
            idle: self.idle_exit,
            ..Pace::default()
        }
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
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

/// A slot that nobody has: the machine's name, as far as it fits, and random digits.
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
    fn new_slots_have_names_that_slots_may_have() {
        assert_ne!(new_slot().unwrap(), new_slot().unwrap());
    }
}
