//! `cargo xtask demo`: from a fresh checkout to an agent that beats its untrained self, step by
//! step.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::run::{build, run};
use crate::setup::setup;

/// The folder of the `demo` configuration's run.
const RUN: &str = "runs/demo";

/// The `hotstone` commands of the demo, in order.
fn steps(resume: bool) -> [(&'static str, &'static str); 4] {
    let train = if resume { "train --run runs/demo --resume" } else { "train --config demo" };
    [
        ("train", train),
        ("against random play", "match model:runs/demo@64 random --games 200"),
        (
            "against its untrained self",
            "match model:runs/demo@64 model:runs/demo/checkpoints/00000000@64 --games 200",
        ),
        ("against plain tree search", "match model:runs/demo@64 uct:1000 --games 200"),
    ]
}

/// Prepares, builds, trains and measures; an interrupted demo continues where it stopped.
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
    timed("build", &mut || build(root, &[]))?;
    for (what, words) in steps(is_begun(&root.join(RUN))) {
        let mut hotstone = Command::new(root.join("target/release/hotstone"));
        hotstone.args(words.split(' ')).current_dir(root);
        timed(what, &mut || run(&mut hotstone))?;
    }
    let table = table(&times);
    println!("\n{table}\nPlay against it: target/release/hotstone play {RUN}");
    Ok(())
}

/// Whether a folder holds a run that can be resumed: one that is interrupted before has no
/// configuration yet.
fn is_begun(run: &Path) -> bool {
    run.join("config.toml").exists()
}

/// The wall time of every step and in total.
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
        assert!(!steps(false)[0].1.contains("--resume"));
        assert!(steps(true)[0].1.contains("--resume"));
    }

    #[test]
    fn a_demo_that_was_interrupted_before_its_run_began_begins_again() {
        let run = tempfile::tempdir().unwrap();
        std::fs::create_dir(run.path().join("checkpoints")).unwrap();
        assert!(!is_begun(run.path()));
        std::fs::write(run.path().join("config.toml"), "").unwrap();
        assert!(is_begun(run.path()));
    }
}
