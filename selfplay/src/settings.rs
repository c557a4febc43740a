//! Settings of self-play.

use serde::{Deserialize, Serialize};

/// How training games are played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlaySettings {
    /// Games in progress at once on each size, over all workers: the total size of the batches that
    /// the network sees. The more there are, the longer a young run waits for its first games to
    /// end: on two cores, 64 are better in runs of minutes (`docs/results/method.md`). KataGo: 400
    /// to 1,000 on a GPU; pgx: 1,024.
    pub games: usize,
    /// Threads that play games; 0 chooses a number such that each thread's games fill a batch of
    /// the network, and the next batch is ready when one comes back.
    pub workers: usize,
    /// Simulations per move, each from a given fraction of the run on: `[[0.0, 8], [0.4, 16]]`.
    ///
    /// KLENT, table 9 (9×9 Go): 8 learns fastest up to 2·10⁹ evaluations, 16 after that. MiniZero
    /// increases them likewise.
    pub simulations: Vec<(f32, u32)>,
    /// Maximum number of root moves that sequential halving considers. Danihelka et al.: 16.
    pub considered: u32,
    /// The number considered is also limited to this fraction of the simulations, so that there is
    /// something to halve: with one simulation each, moves would be compared by single evaluations.
    /// Danihelka et al.: 1; ours: 0.5, worth 40 to 143 Elo (`docs/results/method.md`).
    pub considered_share: f32,
    /// σ(q) = (50 + max N) · value_scale · q. Danihelka et al.: 1.0 on Go.
    pub value_scale: f32,
    /// Up to this number of plies, as a fraction of the board's area, moves are drawn from the
    /// improved policy. AlphaGo Zero: 30 plies on 361 points, 0.08; KataGo: temperature 0.8,
    /// halving every 19 plies.
    pub sampled_plies: f32,
    /// From there up to this number of plies, likewise a fraction, moves are drawn from the square
    /// of the policy (temperature ½); after that, the winner of sequential halving is played.
    /// KataGo: down to temperature 0.2.
    pub sharpened_plies: f32,
    /// Fraction of games that open with 1 to `random_plies` uniformly random legal moves. KataGo:
    /// none.
    pub random_share: f32,
    /// See `random_share`; fewer where a move would end the game.
    pub random_plies: u32,
    /// Fraction of games that once, early on, play the search's second-best move instead of its
    /// choice, and are used for training only after that. KataGo: 0.04, with the best of a few
    /// random moves.
    pub fork_share: f32,
    /// Mean number of moves drawn from the raw policy before that, as a fraction of the area.
    /// KataGo: 0.025.
    pub fork_plies: f32,
    /// Fraction of all other games that open with moves drawn from the raw policy. KataGo: all.
    pub opening_share: f32,
    /// Mean number of such moves, as a fraction of the area; the number is exponentially
    /// distributed. KataGo: 0.04.
    pub opening_plies: f32,
    /// Fraction of games with a komi other than the rules', where the rules have one. KataGo: all
    /// of them; ours: 0.1, so that the network learns what a point of komi is worth.
    pub komi_share: f32,
    /// Standard deviation of that komi in points; the komi is rounded to half points. KataGo: 1.
    pub komi_deviation: f32,
    /// Fraction of those games whose komi has a far larger standard deviation, 0.15 points per
    /// point of the board, so that the network also sees lost and won games. KataGo: 0.06 with a
    /// deviation of 12.
    pub wide_komi_share: f32,
    /// Number of positions at which komi begins to vary, and at which it varies fully, with a
    /// linear increase in between: `[50000, 150000]`. A young network learns less from games that
    /// komi decides. KataGo: from the start.
    pub komi_ramp: (u64, u64),
    /// Points, at most 2, by which the running estimate of a kind's fair komi moves after a game
    /// played at it, towards what would have been fair; 0 keeps the rules' komi. However many games
    /// a phase has, they move it by at most 2 points. KataGo searches for it at each start.
    pub komi_step: f32,
    /// A game is decided when the loser's winning probability has been below this for
    /// `decided_turns` turns; 0 plays all games out in full. KataGo: 0.05. Ours: 0, because a young
    /// network is often confidently wrong and learnt less with it: at 0.05, the calibration error
    /// of a demo run was 0.45 after 66,000 positions, instead of 0.15.
    pub decided_chance: f32,
    /// See `decided_chance`. KataGo: 5.
    pub decided_turns: u32,
    /// Minimum fraction of a decided game's turns that are used for training; such turns get half
    /// the simulations. KataGo: 0.1.
    pub decided_rows: f32,
    /// A game ends by agreement when the opponent has passed, the current score is a loss, and the
    /// loser's winning probability has been below this for `decided_turns` turns: the loser passes
    /// too, and that turn is not used for training. The result is exact, because the score decides
    /// it. Without this, losers never pass, and up to half of all turns come after the game is
    /// decided. 0 turns it off. KataGo ends games where all stones are alive:
    /// `endGameIfAllPassAlive`.
    pub agreed_chance: f32,
    /// Fraction of games that are played out in full anyway, to measure how often such agreements
    /// would be wrong: `games/audited_share` in the log is the fraction of all games that went on
    /// after one, and `games/refuted_share` the fraction of those that the player who would have
    /// agreed did not lose. AlphaGo Zero: 0.1 of games without resignation.
    pub audit_share: f32,
    /// Fraction of games that begin where the network misjudged an earlier game the most; 0 turns
    /// it off. RGSC (Tsai et al. 2026): +77 Elo; Go-Exploit likewise.
    pub restart_share: f32,
    /// Number of positions that each worker keeps for restarts. RGSC: 100.
    pub restart_archive: usize,
}

impl Default for SelfPlaySettings {
    fn default() -> SelfPlaySettings {
        SelfPlaySettings {
            games: 256,
            workers: 0,
            simulations: vec![(0.0, 8), (0.4, 16), (0.8, 32)],
            considered: 16,
            considered_share: 0.5,
            value_scale: 1.0,
            sampled_plies: 0.15,
            sharpened_plies: 0.4,
            random_share: 0.15,
            random_plies: 3,
            fork_share: 0.05,
            fork_plies: 0.025,
            opening_share: 0.75,
            opening_plies: 0.04,
            komi_share: 0.1,
            komi_deviation: 1.0,
            wide_komi_share: 0.0,
            komi_ramp: (0, 0),
            komi_step: 0.0,
            decided_chance: 0.0,
            decided_turns: 5,
            decided_rows: 0.1,
            agreed_chance: 0.03,
            audit_share: 0.1,
            restart_share: 0.0,
            restart_archive: 200,
        }
    }
}

/// The most simulations that a turn's record can store.
const MAX_SIMULATIONS: u32 = u16::MAX as u32;

/// More than any machine has memory for.
const MAX_GAMES: usize = 1_000_000;

/// More than any machine has cores for, and fewer than a system refuses.
const MAX_WORKERS: usize = 4096;

impl SelfPlaySettings {
    /// Simulations per move when `progress` (0 to 1) of the run is complete.
    pub fn simulations_at(&self, progress: f32) -> u32 {
        self.simulations
            .iter()
            .take_while(|&&(from, _)| from <= progress)
            .last()
            .or(self.simulations.first())
            .map_or(1, |&(_, simulations)| simulations)
    }

    /// The fraction of the variation of komi in force when `positions` positions have been
    /// recorded.
    pub fn variation_at(&self, positions: u64) -> f32 {
        let (from, until) = self.komi_ramp;
        if positions >= until {
            return 1.0;
        }
        positions.saturating_sub(from) as f32 / (until - from.min(until - 1)) as f32
    }

    fn shares(&self) -> [f32; 11] {
        [
            self.considered_share,
            self.random_share,
            self.fork_share,
            self.opening_share,
            self.komi_share,
            self.wide_komi_share,
            self.decided_chance,
            self.decided_rows,
            self.agreed_chance,
            self.audit_share,
            self.restart_share,
        ]
    }

    fn plies(&self) -> [f32; 4] {
        [self.sampled_plies, self.sharpened_plies, self.fork_plies, self.opening_plies]
    }

    /// The first invalid value, if any.
    pub fn problem(&self) -> Option<&'static str> {
        let are_countable =
            self.simulations.iter().all(|&(_, n)| (1..=MAX_SIMULATIONS).contains(&n));
        if !(1..=MAX_GAMES).contains(&self.games) {
            Some("self_play.games must be from 1 to 1000000")
        } else if self.workers > MAX_WORKERS {
            Some("self_play.workers must be from 0 to 4096")
        } else if !are_countable || self.simulations.is_empty() {
            Some("self_play.simulations must have entries, with numbers from 1 to 65535")
        } else if !self.simulations.is_sorted_by_key(|&(from, _)| from) {
            Some("self_play.simulations must be in order of progress")
        } else if self.considered == 0 {
            Some("self_play.considered must be at least 1")
        } else if !self.shares().iter().all(|share| (0.0..=1.0).contains(share)) {
            Some("self_play: shares and chances must be from 0 to 1")
        } else if self.decided_chance > 0.0 && self.decided_turns == 0 {
            Some("self_play.decided_turns must be at least 1 where decided_chance is more than 0")
        } else if self.random_share + self.fork_share > 1.0 {
            Some("self_play.random_share and self_play.fork_share must not exceed 1 together")
        } else if self.random_share > 0.0 && self.random_plies == 0 {
            Some("self_play.random_plies must be at least 1")
        } else if !self.plies().iter().all(|share| (0.0..=1.0).contains(share)) {
            Some("self_play: numbers of plies must be from 0 to 1 of the board's area")
        } else if !(self.value_scale >= 0.0 && self.value_scale.is_finite()) {
            Some("self_play.value_scale must be a number from 0 on")
        } else if !(0.0..=40.0).contains(&self.komi_deviation) {
            Some("self_play.komi_deviation must be from 0 to 40")
        } else if self.komi_ramp.0 > self.komi_ramp.1 {
            Some("self_play.komi_ramp must not end before it begins")
        } else if !(0.0..=2.0).contains(&self.komi_step) {
            Some("self_play.komi_step must be from 0 to 2")
        } else if self.restart_share > 0.0 && self.restart_archive == 0 {
            Some("self_play.restart_archive must be at least 1")
        } else {
            None
        }
    }
}

/// Settings of one phase of self-play, which may differ in the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// Simulations per move.
    pub simulations: u32,
    /// Training step of the network that plays, for the records.
    pub model: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulations_are_those_of_the_last_step_that_has_begun() {
        let at = |simulations: &[(f32, u32)], progress| {
            let simulations = simulations.to_vec();
            SelfPlaySettings { simulations, ..SelfPlaySettings::default() }.simulations_at(progress)
        };
        let steps = [(0.0, 8), (0.4, 16), (0.8, 32)];
        for (progress, expected) in
            [(0.0, 8), (0.39, 8), (0.4, 16), (0.79, 16), (0.8, 32), (1.0, 32), (1.5, 32)]
        {
            assert_eq!(at(&steps, progress), expected, "{progress}");
        }
        // Before the first step there is nothing else to use.
        let late = [(0.5, 4), (0.6, 6)];
        assert_eq!([0.0, 0.5, 0.6].map(|progress| at(&late, progress)), [4, 4, 6]);
        assert_eq!([0.0, 1.0].map(|progress| at(&[], progress)), [1, 1]);
    }

    /// With no turns at all every game would be decided from its first turn on, however even it is,
    /// and be searched half as long.
    #[test]
    fn a_game_needs_at_least_one_turn_to_be_decided() {
        let problem = |decided_chance, decided_turns| {
            let settings =
                SelfPlaySettings { decided_chance, decided_turns, ..SelfPlaySettings::default() };
            settings.problem().unwrap_or_default()
        };
        assert!(problem(0.03, 0).contains("decided_turns must be at least 1"));
        assert_eq!([problem(0.03, 1), problem(0.0, 0)], [""; 2]);
    }

    #[test]
    fn komi_begins_to_vary_at_one_end_of_its_ramp_and_varies_fully_at_the_other() {
        for (komi_ramp, expected) in [
            (
                (50_000, 150_000),
                [(0, 0.0), (50_000, 0.0), (75_000, 0.25), (150_000, 1.0), (u64::MAX, 1.0)],
            ),
            ((0, 100), [(0, 0.0), (1, 0.01), (50, 0.5), (100, 1.0), (101, 1.0)]),
            // No ramp: in force from the start, or from that number of positions on.
            ((0, 0), [(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0), (u64::MAX, 1.0)]),
            ((100, 100), [(0, 0.0), (50, 0.0), (99, 0.0), (100, 1.0), (101, 1.0)]),
        ] {
            let settings = SelfPlaySettings { komi_ramp, ..SelfPlaySettings::default() };
            for (positions, part) in expected {
                let found = settings.variation_at(positions);
                assert_eq!(found, part, "{positions} positions of {komi_ramp:?}");
            }
        }
    }
}
