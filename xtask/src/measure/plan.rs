//! Which benchmarks there are, how long they take, and what is taken from their reports.

use anyhow::{Result, anyhow};

/// How long benchmarks take: ten minutes in all, or as short as they go, to try the command itself.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Length {
    Full,
    Quick,
}

/// A benchmark of the program.
pub(super) struct Benchmark {
    pub what: String,
    /// Of `hotstone bench`.
    pub arguments: Vec<String>,
    figures: &'static [Figure],
}

/// A number of a report, and how it is written.
struct Figure {
    key: &'static str,
    scale: f64,
    unit: &'static str,
}

const fn figure(key: &'static str, unit: &'static str) -> Figure {
    Figure { key, scale: 1.0, unit }
}

impl Figure {
    const fn scaled(self, scale: f64) -> Figure {
        Figure { scale, ..self }
    }
}

const ENGINE: &[Figure] = &[figure("plies_per_s", "plies/s"), figure("leaf_ns", "ns a leaf")];

const NETWORK: &[Figure] = &[
    figure("forward_evals_per_s", "evaluations/s"),
    figure("server_evals_per_s", "through the server"),
    figure("learner_samples_per_s", "samples/s learning"),
    figure("product_flops", "TFLOP/s in a bare product").scaled(1e-12),
];

const SELF_PLAY: &[Figure] = &[
    figure("selfplay_evals_per_s", "evaluations/s"),
    figure("efficiency", "of the bare network"),
    figure("efficiency_of_cpu", "of it by processor time"),
    figure("rss_bytes", "MB resident").scaled(1e-6),
];

const SEARCH: &[Figure] = &[
    figure("search_evals_per_s", "evaluations/s"),
    figure("visits_per_s", "visits/s"),
    figure("share_of_forward", "of the bare network"),
    figure("seconds_a_move", "s a move"),
];

/// All benchmarks. Of the variants, `rules`, a quick run looks at the first alone. What computes with a network does so on
/// `device`, if one is named.
pub(super) fn benchmarks(rules: &[String], length: Length, device: Option<&str>) -> Vec<Benchmark> {
    let mut plan = Plan { length, device, benchmarks: Vec::new() };
    let shown = if length == Length::Quick { 1 } else { rules.len() };
    for rules in &rules[..shown.min(rules.len())] {
        for size in [9, 19] {
            let what = format!("rules of {rules}, {size}×{size}, one core");
            plan.add(&what, &format!("engine --rules {rules} --size {size}"), 2.0, ENGINE);
        }
    }
    for network in ["", "--channels 96", "--blocks 4 --channels 32 --size 7"] {
        for precision in ["f32", "bf16"] {
            let what = format!("network of {}, {precision}", shape(network));
            plan.add(&what, &format!("network {network} --precision {precision}"), 4.0, NETWORK);
        }
    }
    for (arguments, what, seconds) in [
        ("", "256 games", 20.0),
        ("--channels 96", "256 games", 20.0),
        ("--games 512", "512 games", 10.0),
        ("--games 64 --size 19 --simulations 800", "64 games, 800 simulations", 20.0),
        ("--blocks 2 --channels 32 --games 64", "64 games", 10.0),
        ("--blocks 4 --channels 32 --size 7 --games 128", "128 games", 8.0),
        ("--blocks 1 --channels 8", "256 games, where the network is least", 8.0),
    ] {
        let what = format!("self-play with {}, {what}", shape(arguments));
        plan.add(&what, &format!("selfplay {arguments}"), seconds, SELF_PLAY);
    }
    // The first variant is what self-play is measured with where no rules are named.
    for rules in rules[..shown.min(rules.len())].iter().skip(1) {
        let what = format!("self-play of {rules} with 6×64");
        plan.add(&what, &format!("selfplay --rules {rules}"), 8.0, SELF_PLAY);
    }
    for network in ["", "--channels 96"] {
        let what = format!("one tree with {}, 1,600 simulations", shape(network));
        plan.add(&what, &format!("search {network}"), 20.0, SEARCH);
    }
    plan.benchmarks
}

struct Plan<'a> {
    length: Length,
    device: Option<&'a str>,
    benchmarks: Vec<Benchmark>,
}

impl Plan<'_> {
    /// Adds a benchmark that measures for so many seconds in a full run.
    fn add(&mut self, what: &str, words: &str, seconds: f64, figures: &'static [Figure]) {
        let seconds = match self.length {
            Length::Full => seconds,
            Length::Quick => 0.1,
        };
        let mut arguments: Vec<String> = words.split_whitespace().map(ToOwned::to_owned).collect();
        arguments.extend(["--seconds".to_owned(), seconds.to_string()]);
        let has_network = !words.starts_with("engine");
        if let Some(device) = self.device.filter(|_| has_network) {
            arguments.extend(["--device".to_owned(), device.to_owned()]);
        }
        self.benchmarks.push(Benchmark { what: what.to_owned(), arguments, figures });
    }
}

/// Blocks, channels and board of the network that arguments ask for; the program's own are 6×64 on 9×9.
fn shape(arguments: &str) -> String {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let value = |name: &str, default| {
        let place = words.iter().position(|word| *word == name);
        place.and_then(|place| words.get(place + 1).copied()).unwrap_or(default)
    };
    let (blocks, channels) = (value("--blocks", "6"), value("--channels", "64"));
    let size = value("--size", "9");
    format!("{blocks}×{channels} on {size}×{size}")
}

impl Benchmark {
    /// What somebody types to see the same.
    pub(super) fn command(&self) -> String {
        format!("hotstone bench {}", self.arguments.join(" "))
    }

    /// What a report says.
    pub(super) fn found(&self, report: &str) -> Result<String> {
        let text = |figure: &Figure| {
            let value = number(report, figure.key);
            let value = value.ok_or_else(|| anyhow!("the report has no {}", figure.key))?;
            Ok(format!("{} {}", written(value * figure.scale), figure.unit))
        };
        let texts = self.figures.iter().map(text).collect::<Result<Vec<String>>>()?;
        Ok(texts.join(", "))
    }
}

/// A number in a report, which is one flat object. A library would double what a newcomer compiles before anything else.
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
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_read_them() {
        let values = [0.8612, 99.5, 100.0, 999.6, 1_234_567.8].map(written);
        assert_eq!(values, ["0.86", "99.50", "100", "1,000", "1,234,568"]);
        assert_eq!(number("{\"a_b\":1,\"b\":2.5e3}", "b"), Some(2500.0));
        assert_eq!(number("{\"a\":null}", "a"), None);
        assert_eq!(shape("--channels 96"), "6×96 on 9×9");
    }

    #[test]
    fn a_full_run_takes_its_time_and_covers_every_variant() {
        let rules: Vec<String> = ["go", "tile", "conquest"].map(ToOwned::to_owned).into();
        let all = benchmarks(&rules, Length::Full, None);
        for kind in ["engine", "selfplay"] {
            for rules in &rules[1..] {
                let named = format!("{kind} --rules {rules}");
                assert!(all.iter().any(|one| one.command().contains(&named)), "{named}");
            }
        }
        let mut commands: Vec<String> = all.iter().map(Benchmark::command).collect();
        commands.sort();
        commands.dedup();
        assert_eq!(commands.len(), all.len(), "a benchmark is there twice");
        assert!(all.iter().all(|one| !one.command().contains("--device")));
        assert!(benchmarks(&rules, Length::Quick, None).len() < all.len());
    }
}
