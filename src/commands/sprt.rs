//! `hotstone sprt`

use anyhow::{Context, Result, ensure};
use arena::{Pentanomial, Sprt, elo_text};
use clap::Args;

/// Decide between two hypotheses about a difference in strength by the results of paired games (a sequential probability
/// ratio test).
#[derive(Args)]
pub struct SprtArguments {
    /// Pairs with 0, 1/2, 1, 3/2 and 2 points, as in 365,16618,36229,16974,390.
    #[arg(long, value_delimiter = ',', required = true)]
    pentanomial: Vec<u32>,
    /// The two differences in normalised Elo (Elo in units of the standard deviation of a game, as pairs of games show it):
    /// 0,20 distinguishes a small gain from none.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    nelo: Sprt,
    /// Probability of accepting the higher difference where the lower one is true.
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// Probability of accepting the lower difference where the higher one is true.
    #[arg(long, default_value_t = 0.05)]
    beta: f64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl SprtArguments {
    /// Prints the ratio and the verdict.
    pub fn execute(&self) -> Result<()> {
        let counts = <[u32; 5]>::try_from(self.pentanomial.as_slice()).ok().with_context(|| {
            format!("--pentanomial: expected 5 counts, not {}", self.pentanomial.len())
        })?;
        let total = counts.iter().try_fold(0_u32, |total, &count| total.checked_add(count));
        ensure!(total.is_some(), "--pentanomial: expected at most {} pairs in all", u32::MAX);
        for (name, error) in [("--alpha", self.alpha), ("--beta", self.beta)] {
            ensure!(
                error > 0.0 && error < 0.5,
                "{name} {error}: expected a probability above 0 and below 0.5"
            );
        }
        let test = Sprt { alpha: self.alpha, beta: self.beta, ..self.nelo };
        let pairs = Pentanomial(counts);
        if self.json {
            println!("{}", test.json(&pairs));
            return Ok(());
        }
        let (normalized, error) = pairs.normalized_elo();
        let elo = pairs.elo();
        println!("{}", test.describe(&pairs));
        let text = |elo: f64, finite: String| if elo.is_finite() { finite } else { elo_text(elo) };
        println!("normalised Elo {normalized:.2} ± {}", text(error, format!("{error:.2}")));
        let [low, value, high] = elo.parts().map(|elo| text(elo, format!("{elo:+.2}")));
        println!("Elo {value}, 95 % interval {low} to {high}");
        Ok(())
    }
}
