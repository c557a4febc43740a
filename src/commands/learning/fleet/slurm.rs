//! `fleet slurm`: jobs for Slurm.

use anyhow::{Result, ensure};
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

use super::job::{LearningArguments, PlaceArguments, SlotArguments};
use crate::shell::for_shell;

/// Print a job for Slurm, to be piped into sbatch: the learner, or an array of workers.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub struct SlurmArguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Print the learner's job.
    Learner(LearnerArguments),
    /// Print the job of the workers, an array with a task for each.
    Workers(WorkersArguments),
}

#[derive(Args)]
struct LearnerArguments {
    #[command(flatten)]
    job: JobArguments,
    #[command(flatten)]
    learning: LearningArguments,
}

#[derive(Args)]
struct WorkersArguments {
    #[command(flatten)]
    job: JobArguments,
    #[command(flatten)]
    slots: SlotArguments,
}

/// What each task is given.
#[derive(Args)]
struct JobArguments {
    #[command(flatten)]
    place: PlaceArguments,
    /// Time limit, in sbatch's notation. When it expires, the job goes back into the queue.
    #[arg(long, default_value = "12:00:00")]
    time: String,
    /// CPUs for the learner, or for each worker.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    cpus: u32,
    /// GPUs for the learner, or for each worker.
    #[arg(long, default_value_t = 0)]
    gpus: u32,
    /// The program, where nodes find it.
    #[arg(long, default_value = "hotstone", value_parser = NonEmptyStringValueParser::new())]
    program: String,
}

/// How a job is started, and how it is requeued.
struct Script<'a> {
    job: &'a JobArguments,
    /// Its description, for people.
    what: &'static str,
    name: &'static str,
    /// The line that makes it an array, and the name of its log.
    array: Option<String>,
    log: &'static str,
    /// The words of the command, quoted for the shell.
    words: Vec<String>,
    /// Its number in the queue. The number of an array's last task is also that of the whole array,
    /// and requeueing it would restart all tasks.
    number: &'static str,
}

impl SlurmArguments {
    /// Runs the command.
    pub fn execute(&self) -> Result<()> {
        let script = match &self.part {
            Part::Learner(learner) => learner.script()?,
            Part::Workers(workers) => workers.script()?,
        };
        print!("{script}");
        Ok(())
    }
}

impl LearnerArguments {
    fn script(&self) -> Result<String> {
        let words = self.learning.command(&self.job.place.store)?;
        Script {
            job: &self.job,
            what: "The learner",
            name: "hotstone-learner",
            array: None,
            log: "%x-%j.log",
            words: words.iter().map(|word| for_shell(word)).collect(),
            number: "$SLURM_JOB_ID",
        }
        .text()
    }
}

impl WorkersArguments {
    fn script(&self) -> Result<String> {
        let slot = self.slots.slot("$SLURM_ARRAY_TASK_ID")?;
        let words = ["worker", "--store", &for_shell(&self.job.place.store), "--slot"];
        let words = words.into_iter().map(str::to_owned).chain([format!("\"{slot}\"")]);
        Script {
            job: &self.job,
            what: "Workers",
            name: "hotstone-worker",
            array: Some(format!("#SBATCH --array=0-{}\n", self.slots.workers - 1)),
            log: "%x-%A_%a.log",
            words: words.collect(),
            number: "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID",
        }
        .text()
    }
}

impl Script<'_> {
    fn text(&self) -> Result<String> {
        let Script { job, what, name, array, log, words, number } = self;
        let JobArguments { place: PlaceArguments { store }, time, cpus, gpus, program } = job;
        ensure!(
            !time.is_empty() && time.chars().all(|it| it.is_ascii_digit() || ":-".contains(it)),
            "--time {time}: expected a time as sbatch takes it, such as 12:00:00 or 2-00:00:00"
        );
        let array = array.as_deref().unwrap_or_default();
        let gpus =
            if *gpus > 0 { format!("#SBATCH --gpus-per-task={gpus}\n") } else { String::new() };
        let (program, words) = (for_shell(program), words.join(" "));
        Ok(format!(
            r#"#!/bin/bash
# {what} of the Hotstone run in {store}
# Whatever else your cluster asks for goes to sbatch, as in `sbatch --partition=long --account=go`.
#SBATCH --job-name={name}
{array}#SBATCH --ntasks=1
#SBATCH --cpus-per-task={cpus}
{gpus}#SBATCH --time={time}
# A minute before its time is up it is told to stop, and hands over what is finished.
#SBATCH --signal=TERM@60
# If the node fails or others need it, Slurm starts the job again elsewhere.
#SBATCH --requeue
#SBATCH --output={log}
#SBATCH --open-mode=append

srun --cpus-per-task={cpus} {program} {words}
code=$?

# 0: the run is over or, if this is a worker, another one has its slot. 64, or 2 if the program is not found: it would fail
# again in the same way. After everything else, such as 75 when it was told to stop, it continues later where it stopped.
case $code in
    0 | 2 | 64) exit $code ;;
    *) scontrol requeue "{number}" ;;
esac
"#
        ))
    }
}
