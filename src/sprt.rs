//! A sequential test as commands take and print it.

use std::str::FromStr;

use arena::{Pentanomial, Sprt, Verdict};

/// Two differences in normalised Elo, the lower one first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hypotheses(pub f64, pub f64);

impl FromStr for Hypotheses {
    type Err = String;

    fn from_str(text: &str) -> Result<Hypotheses, String> {
        let numbers: Vec<f64> =
            text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
        match numbers[..] {
            [low, high]
                if low < high
                    && low.is_finite()
                    && high.is_finite()
                    && text.split(',').count() == 2 =>
            {
                Ok(Hypotheses(low, high))
            }
            _ => Err("expected two numbers, the lower one first, as in 0,20".to_owned()),
        }
    }
}

/// The ratio, its bounds, and what follows.
pub fn verdict(test: &Sprt, pairs: &Pentanomial) -> String {
    let (low, high) = test.bounds();
    let said = match test.verdict(pairs) {
        Verdict::Undecided => "not decided".to_owned(),
        Verdict::Rejected => format!("the difference is {} normalised Elo or less", test.elo0),
        Verdict::Accepted => format!("the difference is {} normalised Elo or more", test.elo1),
    };
    let ratio = test.ratio(pairs);
    format!("log likelihood ratio {ratio:.3}, bounds {low:.3} and {high:.3}: {said}")
}

/// The same for machines.
pub fn json(test: &Sprt, pairs: &Pentanomial) -> serde_json::Value {
    let (low, high) = test.bounds();
    let verdict = match test.verdict(pairs) {
        Verdict::Undecided => "undecided",
        Verdict::Rejected => "rejected",
        Verdict::Accepted => "accepted",
    };
    serde_json::json!({
        "elo0": test.elo0, "elo1": test.elo1, "alpha": test.alpha, "beta": test.beta,
        "ratio": test.ratio(pairs), "low": low, "high": high, "verdict": verdict,
    })
}
