//! What the games of a phase say about the network that played them.

use std::collections::HashSet;

use selfplay::GameRecord;

/// Games with these first turns in common have the same opening.
const OPENING_TURNS: usize = 8;

/// Bins of the calibration error.
const BINS: usize = 10;

/// Sums over the games of a phase.
#[derive(Default)]
pub struct GameStatistics {
    games: u64,
    turns: u64,
    capped: u64,
    draws: u64,
    black_wins: u64,
    entropy: f64,
    surprise: f64,
    rows: u64,
    /// Searched turns, and those whose result the search proved.
    searched: u64,
    proven: u64,
    openings: HashSet<Vec<u16>>,
    /// By predicted value: number, sum of predictions, sum of results.
    calibration: [(u64, f64, f64); BINS],
}

impl GameStatistics {
    /// Takes in a finished game.
    pub fn add(&mut self, game: &GameRecord) {
        let result = game.winner.map_or(0.0, |winner| f64::from(winner.sign()));
        self.games += 1;
        self.turns += game.turns.len() as u64;
        self.capped += u64::from(game.capped);
        self.draws += u64::from(game.winner.is_none());
        self.black_wins += u64::from(result > 0.0);
        let searched = || game.turns.iter().filter(|turn| turn.simulations > 0);
        self.searched += searched().count() as u64;
        self.proven += searched().filter(|turn| turn.proven.is_some()).count() as u64;
        let opening = game.turns.iter().take(OPENING_TURNS).map(|turn| turn.action);
        self.openings.insert(std::iter::once(game.size.into()).chain(opening).collect());
        for turn in game.turns.iter().filter(|turn| !turn.target.is_empty()) {
            let predicted = f64::from(turn.root_value);
            let bin = ((predicted + 1.0) / 2.0 * BINS as f64) as usize;
            let (count, predictions, results) = &mut self.calibration[bin.min(BINS - 1)];
            *count += 1;
            *predictions += predicted;
            *results += result;
            self.rows += 1;
            self.surprise += f64::from(turn.surprise);
            self.entropy += turn.target.iter().map(|&(_, weight)| entropy(weight)).sum::<f64>();
        }
    }

    /// Positions with a target so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Expected calibration error: mean distance between predicted and actual result over bins of the prediction, in
    /// units of a result (−1 to 1).
    pub fn calibration_error(&self) -> f64 {
        let distance = |&(_, predictions, results): &(u64, f64, f64)| (predictions - results).abs();
        self.calibration.iter().map(distance).sum::<f64>() / self.rows.max(1) as f64
    }

    /// The curves of the phase.
    pub fn curves(&self) -> Vec<(&'static str, f64)> {
        let games = self.games.max(1) as f64;
        vec![
            ("games/length", self.turns as f64 / games),
            ("games/black_win_share", self.black_wins as f64 / games),
            ("games/draw_share", self.draws as f64 / games),
            ("games/capped_share", self.capped as f64 / games),
            ("games/duplicate_openings", 1.0 - self.openings.len() as f64 / games),
            ("games/proven_share", self.proven as f64 / self.searched.max(1) as f64),
            ("policy/target_entropy", self.entropy / self.rows.max(1) as f64),
            ("policy/surprise", self.surprise / self.rows.max(1) as f64),
            ("value/calibration_error", self.calibration_error()),
        ]
    }
}

fn entropy(weight: u16) -> f64 {
    let probability = f64::from(weight) / 65535.0;
    if probability > 0.0 { -probability * probability.ln() } else { 0.0 }
}
