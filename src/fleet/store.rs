//! Opens the store of a run for commands, and determines how long they wait for it.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use fleet::{Store, StoreError};

/// Where a run is.
#[derive(Args)]
pub struct StoreArguments {
    /// The store: file:///FOLDER, s3://BUCKET/RUN or gs://BUCKET/RUN.
    #[arg(long = "store", value_name = "URL")]
    pub url: String,
}

impl StoreArguments {
    /// Opens it.
    pub fn open(&self) -> Result<Store> {
        open(&self.url)
    }
}

/// Opens a store that reports on the terminal what it has to retry.
pub fn open(url: &str) -> Result<Store> {
    Ok(Store::open(url)?.with_listener(tell))
}

/// The same, with this limit on how long it may be unreachable.
pub fn open_for(url: &str, patience: Duration) -> Result<Store> {
    Ok(open(url)?.with_patience(patience))
}

fn tell(error: &StoreError) {
    eprintln!("{error}; trying again");
}

/// Parses a duration such as 4h, 90m or 30s.
pub fn time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is no time: expected a number with s, m or h, as in 90m");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let number = text.strip_suffix(unit).ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_numbers_with_a_unit() {
        for (text, seconds) in [("30s", 30), ("90m", 5400), ("4h", 14_400)] {
            assert_eq!(time(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "h", "30", "1.5h", "-1m", "1d", "5ä", "99999999999999999999h"] {
            assert!(time(text).unwrap_err().contains("as in 90m"), "{text}");
        }
    }
}
