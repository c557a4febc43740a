//! Progress of a run: a bar on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

/// Resolution of the bar, which shows a fraction.
const STEPS: u64 = 10_000;

/// The progress of a run on standard error. Clones show the same.
#[derive(Clone)]
pub struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
}

impl Progress {
    /// A bar if standard error is a terminal; nothing at all if `quiet`.
    pub fn new(quiet: bool) -> Progress {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(STEPS);
            let style = "{bar:30.cyan/blue} {percent:>3}%  {msg}";
            bar.set_style(
                ProgressStyle::with_template(style)
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        Progress { bar, quiet }
    }

    /// Shows how far the run is and what it is doing, on a terminal only.
    pub fn show(&self, progress: f32, doing: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position((f64::from(progress) * STEPS as f64) as u64);
            bar.set_message(doing.to_owned());
        }
    }

    /// Whether there is a bar.
    pub fn has_bar(&self) -> bool {
        self.bar.is_some()
    }

    /// Prints a line that stays on screen.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None if self.quiet => {}
            // The run continues even if nobody can read the output.
            None => {
                let _ = writeln!(std::io::stderr(), "{text}");
            }
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Seconds as `1 h 05 min`, `5 min 20 s` or `20 s`.
pub fn duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}
