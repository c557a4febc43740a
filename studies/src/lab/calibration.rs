//! Whether the probabilities given by the agents came true.

use crate::observe::ObservedGame;

/// Number of bins of probabilities.
const BINS: usize = 10;

/// Minimum number of positions for a bin to be judged.
const MIN_POSITIONS: usize = 50;

/// How far the fraction of games won may be from the probability given.
const MAX_ERROR: f64 = 0.05;

/// One bin of probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// Number of positions in which the probability given was in this bin.
    pub positions: usize,
    /// Mean of Black's winning probabilities given in them.
    pub said: f64,
    /// Black's share of the points in their games.
    pub happened: f64,
    /// Standard error of the difference. Positions of one game are not independent.
    pub error: f64,
}

/// Whether figures that depend on probabilities can be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reliability {
    /// No bin is off by more than 5 %.
    Holds,
    /// Some bin is, but it may be chance; or no bin has enough positions.
    Open,
    /// Some bin is, by more than chance.
    Fails,
}

/// Probabilities given, and what happened.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calibration {
    /// The bins that contain positions, smallest probability first.
    pub bins: Vec<Bin>,
}

impl Calibration {
    /// The calibration of the agents' games.
    pub(crate) fn of<'s>(games: impl Iterator<Item = &'s ObservedGame>) -> Calibration {
        let mut sums = [Sums::default(); BINS];
        for game in games {
            let mut surprises = [0.0; BINS];
            for &chance in &game.chances {
                let bin = ((chance * BINS as f64) as usize).min(BINS - 1);
                sums[bin].positions += 1;
                sums[bin].said += chance;
                sums[bin].happened += game.black;
                surprises[bin] += game.black - chance;
            }
            for (sums, surprise) in sums.iter_mut().zip(surprises) {
                sums.squares += surprise * surprise;
            }
        }
        let filled = sums.iter().filter(|sums| sums.positions > 0);
        Calibration { bins: filled.map(|sums| sums.bin()).collect() }
    }

    /// The verdict, based on the bins with enough positions.
    pub fn reliability(&self) -> Reliability {
        let judged = || self.bins.iter().filter(|bin| bin.positions >= MIN_POSITIONS);
        let beyond = |bin: &Bin| (bin.happened - bin.said).abs() - MAX_ERROR;
        if judged().any(|bin| beyond(bin) > 2.0 * bin.error) {
            Reliability::Fails
        } else if judged().next().is_none() || judged().any(|bin| beyond(bin) > 0.0) {
            Reliability::Open
        } else {
            Reliability::Holds
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Sums {
    positions: usize,
    said: f64,
    happened: f64,
    squares: f64,
}

impl Sums {
    fn bin(&self) -> Bin {
        let count = self.positions as f64;
        Bin {
            positions: self.positions,
            said: self.said / count,
            happened: self.happened / count,
            error: self.squares.sqrt() / count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_positions_and_small_errors_tell_nothing() {
        let bin = |positions, happened, error| Bin { positions, said: 0.55, happened, error };
        let judged = |bins: &[Bin]| Calibration { bins: bins.to_vec() }.reliability();
        assert_eq!(judged(&[]), Reliability::Open);
        assert_eq!(judged(&[bin(49, 0.55, 0.05)]), Reliability::Open);
        assert_eq!(judged(&[bin(50, 0.58, 0.05), bin(49, 0.9, 0.01)]), Reliability::Holds);
        assert_eq!(judged(&[bin(50, 0.58, 0.05), bin(60, 0.65, 0.05)]), Reliability::Open);
        assert_eq!(judged(&[bin(60, 0.65, 0.05), bin(50, 0.75, 0.05)]), Reliability::Fails);
    }
}
