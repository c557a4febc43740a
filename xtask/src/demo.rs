//! `cargo xtask demo`: from a fresh checkout to an agent that beats its untrained self, step by step.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::run::{cargo, run};
use crate::setup::setup;

/// The run folder of the demo, and the network in it with the simulations that it plays with.
const RUN: &str = "runs/demo";
const AGENT: &str = "model:runs/demo@64";
const UNTRAINED: &str = "model:runs/demo/checkpoints/00000000@64";

/// One command of the demo.
struct Step {
    what: &'static str,
    /// The arguments of `hotstone`.
    arguments: Vec<&'static str>,
}

/// Everything that the demo asks of `hotstone`, in order.
fn steps(resume: bool) -> Vec<Step> {
    let training = match resume {
        true => vec!["train", "--run", RUN, "--resume"],
        false => vec!["train", "--run", RUN, "--config", "demo"],
    };
    let a_match = |opponent| vec!["match", AGENT, opponent, "--games", "200"];
    vec![
        Step { what: "train", arguments: training },
        Step { what: "against random play", arguments: a_match("random") },
        Step { what: "against its untrained self", arguments: a_match(UNTRAINED) },
        Step { what: "against plain tree search", arguments: a_match("uct:1000") },
    ]
}

/// What to type to play against the result.
const PLAY: &str = "target/release/hotstone play runs/demo";

/// Prepares, builds, trains and measures; an interrupted demo goes on where it stopped.
pub fn demo(root: &Path) -> Result<()> {
    let mut times = Vec::new();
    let mut timed = |what, action: &mut dyn FnMut() -> Result<()>| -> Result<()> {
        eprintln!("\n== {what}");
        let started = Instant::now();
        action()?;
        times.push((what, started.elapsed()));
        Ok(())
    };
    timed("set up", &mut || setup(root, false))?;
    timed("build", &mut || run(cargo(root).args(["build", "--release"])))?;
    for step in steps(root.join(RUN).exists()) {
        timed(step.what, &mut || run(hotstone(root).args(&step.arguments)))?;
    }
    println!("\n{}\nPlay against it: {PLAY}", table(&times));
    Ok(())
}

fn hotstone(root: &Path) -> Command {
    let mut command = Command::new(root.join("target/release/hotstone"));
    command.current_dir(root);
    command
}

/// The wall time of every step and of all.
fn table(times: &[(&str, Duration)]) -> String {
    let total = times.iter().map(|(_, time)| *time).sum();
    let rows = times.iter().copied().chain([("total", total)]);
    rows.map(|(what, time)| format!("{what:<28} {:>8.1} s\n", time.as_secs_f64())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_ends_with_the_total() {
        let text = table(&[("build", Duration::from_secs(90)), ("train", Duration::from_secs(10))]);
        let last: Vec<_> = text.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(last, ["total", "100.0", "s"]);
    }

    #[test]
    fn only_a_second_demo_resumes() {
        assert!(!steps(false)[0].arguments.contains(&"--resume"));
        assert!(steps(true)[0].arguments.contains(&"--resume"));
    }
}
