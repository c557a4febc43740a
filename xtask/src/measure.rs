//! `cargo xtask measure`: the main benchmarks of docs/performance.md, in one table.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};

use crate::run::build;
use crate::setup::setup;

/// Time limit for all benchmarks together, however slow or busy the machine is; the rest are
/// skipped.
const ALL: Duration = Duration::from_secs(15 * 60);

/// Time limit for one benchmark, so that a hanging one does not block the others. Each should take
/// half a minute.
const ONE: Duration = Duration::from_secs(120);

/// Figures from a report to show in the table, with their units.
type Figures = &'static [(&'static str, &'static str)];

const ENGINE: Figures = &[("plies_per_s", "plies/s"), ("leaf_ns", "ns a leaf")];

const NETWORK: Figures = &[
    ("forward_evals_per_s", "evaluations/s"),
    ("server_evals_per_s", "through the server"),
    ("learner_samples_per_s", "samples/s learning"),
    ("product_flops", "FLOP/s in a bare product"),
];

const SELF_PLAY: Figures = &[
    ("selfplay_evals_per_s", "evaluations/s"),
    ("efficiency", "of the bare network"),
    ("efficiency_of_cpu", "of it by processor time"),
    ("rss_bytes", "bytes resident"),
];

const SEARCH: Figures = &[
    ("search_evals_per_s", "evaluations/s"),
    ("visits_per_s", "visits/s"),
    ("share_of_forward", "of the bare network"),
    ("seconds_a_move", "s a move"),
];

/// Builds the program if necessary, measures, and prints the table as Markdown.
pub fn measure(root: &Path, quick: bool, device: Option<&str>) -> Result<()> {
    setup(root, false)?;
    build(root, &[])?;
    let program = root.join("target/release/hotstone");
    let rules = names(&output(&program, "rules", ONE)?);
    let machine = machine(&program)?;
    let rows = rows(&program, &benchmarks(&rules, quick, device), ALL, ONE);
    println!("\n```\n{machine}```\n\n{}", table(&rows));
    Ok(())
}

/// The names of the variants, which are the first words on the lines of a list.
fn names(list: &str) -> Vec<String> {
    list.lines().filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect()
}

/// The CPU with its vector instructions, its load, and what the program detects.
fn machine(program: &Path) -> Result<String> {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let mut fields = info.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(key, _)| key.trim() == name).map_or("unknown", |(_, value)| value.trim())
    };
    let is_vector = |flag: &&str| flag.starts_with("avx") || flag.starts_with("amx");
    let vectors: Vec<&str> = field("flags").split(' ').filter(is_vector).collect();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    Ok(format!(
        "processor      {}\nvectors        {}\nload before    {load}{}",
        field("model name"),
        vectors.join(" "),
        output(program, "doctor", ONE)?
    ))
}

/// A benchmark of the program.
struct Benchmark {
    /// The arguments of `hotstone` that produce the same report.
    command: String,
    figures: Figures,
}

/// All benchmarks: ten minutes in total; or, to try out the command, as short as possible and only
/// for the first of the variants `rules`. Networks run on `device`, if given.
fn benchmarks(rules: &[String], quick: bool, device: Option<&str>) -> Vec<Benchmark> {
    let rules = if quick { &rules[..rules.len().min(1)] } else { rules };
    let device = device.map(|device| format!(" --device {device}")).unwrap_or_default();
    let mut all = Vec::new();
    let mut add = |words: String, seconds: f64, figures: Figures| {
        let seconds = if quick { 0.1 } else { seconds };
        let device = if words.starts_with("engine") { "" } else { &device };
        all.push(Benchmark {
            command: format!("bench {words} --seconds {seconds}{device}"),
            figures,
        });
    };
    for rules in rules {
        for size in [9, 19] {
            add(format!("engine --rules {rules} --size {size}"), 2.0, ENGINE);
        }
    }
    for network in ["", " --channels 96", " --blocks 4 --channels 32 --size 7"] {
        for precision in ["f32", "bf16"] {
            add(format!("network{network} --precision {precision}"), 4.0, NETWORK);
        }
    }
    for (setting, seconds) in [
        ("", 20.0),
        (" --channels 96", 20.0),
        (" --games 512", 10.0),
        (" --games 64 --size 19 --simulations 800", 20.0),
        (" --blocks 2 --channels 32 --games 64", 10.0),
        (" --blocks 4 --channels 32 --size 7 --games 128", 8.0),
        // With the smallest network.
        (" --blocks 1 --channels 8", 8.0),
    ] {
        add(format!("selfplay{setting}"), seconds, SELF_PLAY);
    }
    // Without rules, self-play is measured on the first variant.
    for rules in rules.iter().skip(1) {
        add(format!("selfplay --rules {rules}"), 8.0, SELF_PLAY);
    }
    for network in ["", " --channels 96"] {
        add(format!("search{network}"), 20.0, SEARCH);
    }
    all
}

/// A row of the table.
struct Row {
    command: String,
    found: String,
}

/// Runs one benchmark after another. A failure is shown in its row, and the others continue.
fn rows(program: &Path, benchmarks: &[Benchmark], all: Duration, one: Duration) -> Vec<Row> {
    let began = Instant::now();
    let row = |(index, benchmark): (usize, &Benchmark)| {
        eprintln!("{} of {}: hotstone {}", index + 1, benchmarks.len(), benchmark.command);
        let limit = one.min(all.saturating_sub(began.elapsed()));
        let report = output(program, &format!("{} --json", benchmark.command), limit);
        let found = match report.and_then(|report| figures(&report, benchmark.figures)) {
            Ok(found) => found,
            Err(error) if limit.is_zero() => format!("left out: {error}"),
            Err(error) => format!("failed: {error}"),
        };
        Row { command: benchmark.command.clone(), found }
    };
    benchmarks.iter().enumerate().map(row).collect()
}

fn table(rows: &[Row]) -> String {
    let line = |Row { command, found }: &Row| {
        format!("| `hotstone {command}` | {} |\n", found.replace('|', "\\|"))
    };
    let rows: String = rows.iter().map(line).collect();
    format!("| command | found |\n|---|---|\n{rows}")
}

/// The figures of a report.
fn figures(report: &str, figures: Figures) -> Result<String> {
    let text = |(key, unit): &(&str, &str)| {
        let value = number(report, key).ok_or_else(|| anyhow!("the report has no {key}"))?;
        Ok(format!("{} {unit}", written(value)))
    };
    Ok(figures.iter().map(text).collect::<Result<Vec<String>>>()?.join(", "))
}

/// A number in a report, which is a flat JSON object. A JSON library would double what has to be
/// compiled first.
fn number(report: &str, key: &str) -> Option<f64> {
    let (_, after) = report.split_once(&format!("\"{key}\":"))?;
    after.split([',', '}']).next()?.trim().parse().ok()
}

/// Two decimals, or whole thousands with commas.
fn written(value: f64) -> String {
    if value.abs() < 100.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8_lossy(&groups.join(&b","[..])).into_owned()
}

/// A program's output if it succeeds in time; otherwise the error is the last line of its standard
/// error. Both streams go to files next to the program, because pipes would have to be drained.
fn output(program: &Path, arguments: &str, limit: Duration) -> Result<String> {
    ensure!(!limit.is_zero(), "no time is left");
    let [printed, complaints] = ["stdout", "stderr"].map(|name| program.with_extension(name));
    let mut command = Command::new(program);
    command.args(arguments.split_whitespace()).stdin(Stdio::null());
    command.stdout(File::create(&printed)?).stderr(File::create(&complaints)?);
    let mut child = command.spawn().context("cannot run the program")?;
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if began.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            bail!("not done after {:.0} s", limit.as_secs_f64());
        }
        thread::sleep(Duration::from_millis(20));
    };
    let complaints = fs::read_to_string(complaints)?;
    match complaints.lines().rfind(|line| !line.trim().is_empty()) {
        _ if status.success() => Ok(fs::read_to_string(printed)?),
        Some(last) => bail!("{last}"),
        None => bail!("{status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stands in for the program: fails in one benchmark, hangs in another, and reports nothing for
    /// a third.
    #[cfg(unix)]
    const SCRIPT: &str = r#"#!/bin/sh
case "$*" in
    *"--channels 96"*) echo "warning" >&2; echo "error: no memory | left" >&2; exit 1 ;;
    *"--games 512"*) exec sleep 60 ;;
    "bench search"*) echo '{"rules":"go"}' ;;
    "bench engine"*) echo '{"rules":"go","plies_per_s":1234567.8,"leaf_ns":740.6}' ;;
    *) echo '{"selfplay_evals_per_s":26300.4,"efficiency":0.8612,"efficiency_of_cpu":1,"rss_bytes":260123456}' ;;
esac
"#;

    #[cfg(unix)]
    #[test]
    fn a_benchmark_that_fails_is_a_row_and_the_others_go_on() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("hotstone");
        fs::write(&program, SCRIPT).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let rules = names("go    Go by area\ntile  After an incursion\n");
        let benchmarks = benchmarks(&rules, true, Some("cuda"));
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
        let benchmarks = benchmarks(&["go".to_owned()], false, None);
        let rows = rows(Path::new("nothing"), &benchmarks, Duration::ZERO, ONE);
        assert!(rows.iter().all(|row| row.found == "left out: no time is left"));
    }

    #[test]
    fn numbers_are_written_as_people_read_them() {
        let values = [0.8612, 99.5, 100.0, 999.6, 1_234_567.8].map(written);
        assert_eq!(values, ["0.86", "99.50", "100", "1,000", "1,234,568"]);
        assert_eq!(number("{\"a_b\":1,\"b\":2.5e3}", "b"), Some(2500.0));
        assert_eq!(number("{\"a\":null}", "a"), None);
    }

    #[test]
    fn a_full_run_takes_its_time_and_covers_every_variant() {
        let rules: Vec<String> = ["go", "tile", "conquest"].map(ToOwned::to_owned).into();
        let all = benchmarks(&rules, false, None);
        for kind in ["engine", "selfplay"] {
            for rules in &rules[1..] {
                let named = format!("{kind} --rules {rules}");
                assert!(all.iter().any(|one| one.command.contains(&named)), "{named}");
            }
        }
        let mut commands: Vec<&str> = all.iter().map(|one| one.command.as_str()).collect();
        commands.sort_unstable();
        commands.dedup();
        assert_eq!(commands.len(), all.len(), "a benchmark is listed twice");
        assert!(all.iter().all(|one| !one.command.contains("--device")));
        assert!(benchmarks(&rules, true, None).len() < all.len());
    }
}
