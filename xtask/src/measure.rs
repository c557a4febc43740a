//! `cargo xtask measure`: every benchmark that docs/performance.md names, in one table.

mod machine;
mod plan;

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::plan::{Benchmark, Length};
use crate::run::{cargo, run};
use crate::setup::setup;

/// All benchmarks together take no longer, however slow or busy the machine is: those whose turn never comes are left out.
const ALL: Duration = Duration::from_secs(15 * 60);

/// Nor does one of them, so that one that hangs does not cost the others their turn. They are planned to take half a minute.
const ONE: Duration = Duration::from_secs(120);

/// How long to wait between two looks at a program that is at work.
const LOOK: Duration = Duration::from_millis(20);

/// Builds the program if need be, measures, and prints the table as Markdown.
pub fn measure(root: &Path, quick: bool, device: Option<&str>) -> Result<()> {
    setup(root, false)?;
    run(cargo(root).args(["build", "--release"]))?;
    let program = root.join("target/release/hotstone");
    let length = if quick { Length::Quick } else { Length::Full };
    let rules = names(&output(Command::new(&program).arg("rules"), ONE)?);
    let machine = machine::describe(&program)?;
    let benchmarks = plan::benchmarks(&rules, length, device);
    let rows = rows(&program, &benchmarks, ALL, ONE);
    println!("\n{machine}\n\n{}", table(&rows));
    Ok(())
}

/// The variants, which begin the lines of a list.
fn names(list: &str) -> Vec<String> {
    list.lines().filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect()
}

/// A row of the table.
struct Row {
    what: String,
    command: String,
    found: String,
}

/// Measures one after the other. A benchmark that fails says so in its row, and the others go on.
fn rows(program: &Path, benchmarks: &[Benchmark], all: Duration, one: Duration) -> Vec<Row> {
    let began = Instant::now();
    let row = |(index, benchmark): (usize, &Benchmark)| {
        eprintln!("{} of {}: {}", index + 1, benchmarks.len(), benchmark.command());
        let limit = one.min(all.saturating_sub(began.elapsed()));
        let found = match benchmark.measure(program, limit) {
            Ok(found) => found,
            Err(error) if limit.is_zero() => format!("left out: {error}"),
            Err(error) => format!("failed: {error}"),
        };
        Row { what: benchmark.what.clone(), command: benchmark.command(), found }
    };
    benchmarks.iter().enumerate().map(row).collect()
}

impl Benchmark {
    fn measure(&self, program: &Path, limit: Duration) -> Result<String> {
        let mut command = Command::new(program);
        let report = output(command.arg("bench").args(&self.arguments).arg("--json"), limit)?;
        self.found(&report)
    }
}

fn table(rows: &[Row]) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let line =
        |row: &Row| format!("| {} | `{}` | {} |\n", cell(&row.what), row.command, cell(&row.found));
    let rows: String = rows.iter().map(line).collect();
    format!("| what | command | found |\n|---|---|---|\n{rows}")
}

/// What a program prints, if it ends well and in time; what it complains of last is the error if not.
fn output(command: &mut Command, limit: Duration) -> Result<String> {
    if limit.is_zero() {
        bail!("no time is left");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("the program cannot be run")?;
    let (printed, complaints) = (child.stdout.take(), child.stderr.take());
    let (status, printed, complaints) = thread::scope(|scope| {
        let printed = scope.spawn(|| all_of(printed));
        let complaints = scope.spawn(|| all_of(complaints));
        let status = wait(&mut child, limit);
        (status, printed.join().unwrap_or_default(), complaints.join().unwrap_or_default())
    });
    let last = complaints.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    match status? {
        None => bail!("not done after {:.0} s", limit.as_secs_f64()),
        Some(status) if status.success() => Ok(printed),
        Some(status) if last.is_empty() => bail!("{status}"),
        Some(_) => bail!("{last}"),
    }
}

fn all_of(source: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What could not be read is missing from the report, and is missed there.
    let _ = source.map(|mut source| source.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Waits for a program to end; one that does not in time is ended, and has no status.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<std::process::ExitStatus>> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if began.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Stands in for the program: fails at one benchmark, hangs at another, and reports nothing of a third.
    const SCRIPT: &str = r#"#!/bin/sh
case "$*" in
    *"--channels 96"*) echo "warning" >&2; echo "error: no memory | left" >&2; exit 1 ;;
    *"--games 512"*) exec sleep 60 ;;
    "bench search"*) echo '{"rules":"go"}' ;;
    "bench engine"*) echo '{"rules":"go","plies_per_s":1234567.8,"leaf_ns":740.6}' ;;
    *) echo '{"selfplay_evals_per_s":26300.4,"efficiency":0.8612,"efficiency_of_cpu":1,"rss_bytes":260123456}' ;;
esac
"#;

    #[test]
    fn a_benchmark_that_fails_is_a_row_and_the_others_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("hotstone");
        fs::write(&program, SCRIPT).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let rules = names("go    Go by area\ntile  After an incursion\n");
        let benchmarks = plan::benchmarks(&rules, Length::Quick, Some("cuda"));
        let rows = rows(&program, &benchmarks, ALL, Duration::from_secs(3));
        assert_eq!(rows.len(), benchmarks.len());
        let found = |words: &str| {
            let row = rows.iter().find(|row| row.command.contains(words));
            row.unwrap_or_else(|| panic!("{words}")).found.as_str()
        };
        assert_eq!(found("engine"), "1,234,568 plies/s, 741 ns a leaf");
        assert!(found("selfplay").contains("0.86 of the bare network"), "{}", found("selfplay"));
        assert!(found("--channels 96").contains("no memory"));
        assert_eq!(found("--games 512"), "failed: not done after 3 s");
        assert!(found("search").starts_with("failed: "));
        for row in &rows {
            let takes_a_device = !row.command.contains("engine");
            assert_eq!(row.command.contains("--device cuda"), takes_a_device, "{}", row.command);
        }
        let table = table(&rows);
        assert_eq!(table.lines().count(), rows.len() + 2);
        assert!(table.contains("failed: error: no memory \\| left |"), "{table}");
    }

    #[test]
    fn what_there_is_no_time_for_is_left_out() {
        let benchmarks = plan::benchmarks(&["go".to_owned()], Length::Full, None);
        let rows = rows(Path::new("nothing"), &benchmarks, Duration::ZERO, ONE);
        assert!(rows.iter().all(|row| row.found == "left out: no time is left"));
    }
}
