//! What the job files of all schedulers have in common.

use anyhow::{Context, Result, ensure};
use clap::{Args, Parser};
use fleet::Slot;

use crate::commands::learning::train::TrainingArguments;

/// Where the run is.
#[derive(Args)]
pub struct PlaceArguments {
    /// The store: s3://BUCKET/RUN, gs://BUCKET/RUN or, for Slurm, file:///FOLDER that all machines share.
    #[arg(long, value_name = "URL", value_parser = address)]
    pub store: String,
}

/// An address that can be written into a job file. Whether such a store exists is known only on the
/// job's machines.
fn address(text: &str) -> Result<String, String> {
    let is_known = ["file:///", "s3://", "gs://"].iter().any(|scheme| text.starts_with(scheme));
    // When the job runs, a question mark or a hash would be refused, because they have special
    // meanings in addresses.
    let is_plain = !text.contains(|it: char| it.is_control() || "?#".contains(it));
    if is_known && is_plain {
        Ok(text.to_owned())
    } else {
        Err("expected file:///FOLDER, s3://BUCKET/RUN or gs://BUCKET/RUN, with %3F for '?' and %23 for '#'".to_owned())
    }
}

/// What the learner learns.
#[derive(Args)]
pub struct LearningArguments {
    /// What to learn, as arguments of `hotstone train`, such as `-- --config 9 --rules tile`. Without them, the job
    /// continues the run in the store.
    #[arg(last = true, value_name = "TRAIN")]
    train: Vec<String>,
}

/// The command line of `train`, to find mistakes before a job waits in a queue for hours.
#[derive(Parser)]
#[command(name = "train", no_binary_name = true)]
struct Training {
    #[command(flatten)]
    arguments: TrainingArguments,
}

impl LearningArguments {
    /// The learner's command line after the program's name; it may be started any number of times.
    pub fn command(&self, store: &str) -> Result<Vec<String>> {
        let mut command = vec!["train".to_owned(), "--store".to_owned(), store.to_owned()];
        if self.train.is_empty() {
            command.push("--resume".to_owned());
        } else {
            command.push("--begin-or-resume".to_owned());
            command.extend(self.train.iter().cloned());
        }
        Training::parse_from(&command[1..]).arguments.check().context("after `--`")?;
        Ok(command)
    }
}

/// The workers' places in the run.
#[derive(Args)]
pub struct SlotArguments {
    /// Workers, each on a machine or a part of one.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub workers: u32,
    /// Prefix of the names of their slots. Two jobs for the same run need different ones, or their workers
    /// replace each other.
    #[arg(long, value_name = "PREFIX", default_value = "")]
    slots: String,
}

impl SlotArguments {
    /// The slot of the worker for whose index a scheduler substitutes `number`.
    pub fn slot(&self, number: &str) -> Result<String> {
        let longest: Result<Slot, _> = format!("{}{}", self.slots, self.workers - 1).parse();
        ensure!(
            longest.is_ok(),
            "--slots {:?}: expected a-z, 0-9 and '-', with the worker's number at most 32 characters",
            self.slots
        );
        Ok(format!("{}{number}", self.slots))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_would_be_refused_where_the_job_runs_are_refused_at_once() {
        assert!(address("s3://bucket/run").is_ok());
        for text in ["/scratch/run", "s3://bucket/run#2", "gs://bucket/run?x", "s3://b/r\n"] {
            assert!(address(text).unwrap_err().contains("expected file:///FOLDER"), "{text}");
        }
    }
}
