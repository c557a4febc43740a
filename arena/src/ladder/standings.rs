//! The ranking of players, and whose next games would be most informative.

use std::fmt;

use search::Random;
use serde_json::{Value, json};

use super::bounds::bounds;
use super::encounters::Ladder;
use super::fit::{Fit, fit};
use super::residuals::{Cycle, Residual, greatest_cycle, residuals};
use crate::plot::{self, Interval};
use crate::{Estimate, elo_json, elo_texts};

/// A player's rating.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The player's index.
    pub player: usize,
    /// Elo. The interval is found by resampling pairs of games. It has no end where no result
    /// bounds the rating: above for those against whom most of the others never made half a point,
    /// not even by way of somebody else, below for those who never made one against most others.
    ///
    /// The mean of the players whose intervals have both ends is 0, or that of all players if there
    /// are none: how far the rest are away is not known.
    pub elo: Estimate,
    /// Games played.
    pub games: usize,
    /// Points scored.
    pub points: f64,
}

impl Standing {
    fn is_bounded(&self) -> bool {
        self.elo.low.is_finite() && self.elo.high.is_finite()
    }
}

/// The ratings of a ladder.
#[derive(Debug, Clone, PartialEq)]
pub struct Standings {
    /// Names by index.
    pub players: Vec<String>,
    /// All players, strongest first.
    pub table: Vec<Standing>,
    /// The advantage of moving first, in Elo.
    pub first_player: Estimate,
    /// The share of the games that were drawn.
    pub draws: f64,
    /// Results compared with what the ratings predict, largest deviation first.
    pub residuals: Vec<Residual>,
    /// Sum of the squared deviations; about equal to `degrees_of_freedom` if one number per player
    /// is enough.
    pub misfit: f64,
    /// Number of encounters beyond what the ratings can absorb.
    pub degrees_of_freedom: usize,
    /// The three players who beat each other in a cycle most clearly, unless chance explains it.
    pub cycle: Option<Cycle>,
}

/// Number of resamplings for the intervals.
const RESAMPLINGS: usize = 400;

impl Ladder {
    /// The two players, of those who `may_meet`, whose next games would be most informative about
    /// the order.
    ///
    /// The information of a game about the difference between two ratings is p(1 − p); it is worth
    /// most where the difference is known least (Glickman and Jensen, *Adaptive paired comparison
    /// design*, 2005). Players who have not played yet come first.
    pub fn next_encounter(
        &self,
        may_meet: impl Fn((usize, usize)) -> bool,
    ) -> Option<(usize, usize)> {
        let fit = fit(self);
        let all = 0..self.players.len();
        all.clone()
            .flat_map(|second| (0..second).map(move |first| (first, second)))
            .filter(|&pair| may_meet(pair))
            .max_by(|&one, &other| fit.information(one).total_cmp(&fit.information(other)))
    }

    /// Ratings, intervals and residuals.
    pub fn standings(&self, seed: u64) -> Standings {
        let best = fit(self);
        let resampled = self.resample(seed);
        let residuals = residuals(self, &best);
        Standings {
            players: self.players.clone(),
            table: self.table(&best, &resampled),
            first_player: interval(&best, &resampled, Fit::first_player_elo),
            draws: self.drawn(),
            misfit: residuals.iter().map(|residual| residual.deviations.powi(2)).sum(),
            degrees_of_freedom: (residuals.len() + 1).saturating_sub(self.players.len()),
            cycle: greatest_cycle(self, &residuals),
            residuals,
        }
    }

    fn table(&self, best: &Fit, resampled: &[Fit]) -> Vec<Standing> {
        let bounds = bounds(self);
        let players = 0..self.players.len();
        let mut scale: Vec<usize> = players.clone().collect();
        if bounds.iter().any(|bounds| bounds.below && bounds.above) {
            scale.retain(|&player| bounds[player].below && bounds[player].above);
        }
        let zero = |fit: &Fit| {
            scale.iter().map(|&player| fit.elo(player)).sum::<f64>() / scale.len() as f64
        };
        let standing = |player: usize| {
            let mut elo = interval(best, resampled, |fit| fit.elo(player) - zero(fit));
            if !bounds[player].below {
                elo.low = f64::NEG_INFINITY;
            }
            if !bounds[player].above {
                elo.high = f64::INFINITY;
            }
            let (games, points) = self.games_and_points(player);
            Standing { player, elo, games, points }
        };
        let mut table: Vec<Standing> = players.map(standing).collect();
        table.sort_by(|a, b| b.elo.value.total_cmp(&a.elo.value));
        table
    }

    /// Fits of ladders whose pairs are drawn from this ladder's with replacement. For each two
    /// players, one pair with an unknown result is added: otherwise few or equal results would
    /// leave no uncertainty at all.
    fn resample(&self, seed: u64) -> Vec<Fit> {
        let met = Ladder { players: self.players.clone(), encounters: self.merged_encounters() };
        (0..RESAMPLINGS as u64)
            .map(|number| {
                let mut random = Random::derive(seed, number);
                let mut copy = met.clone();
                for encounter in &mut copy.encounters {
                    let pairs = &encounter.pairs;
                    let draw = |_| match pairs.get(random.below(pairs.len() + 1)) {
                        Some(&pair) => pair,
                        None => [random.below(3) as u8, random.below(3) as u8],
                    };
                    encounter.pairs = (0..pairs.len()).map(draw).collect();
                }
                fit(&copy)
            })
            .collect()
    }
}

/// A value of the best fit, with the interval of its values in resampled fits.
fn interval(best: &Fit, resampled: &[Fit], value: impl Fn(&Fit) -> f64) -> Estimate {
    let mut values: Vec<f64> = resampled.iter().map(&value).collect();
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
    let value = value(best);
    // The added unknown pairs draw every rating towards the mean, which must not shift the interval.
    let shift = value - at(0.5);
    Estimate { low: (at(0.025) + shift).min(value), value, high: (at(0.975) + shift).max(value) }
}

impl fmt::Display for Standings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.players.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(6);
        writeln!(f, "      {:<width$}   Elo   95 % interval    games   score", "player")?;
        for (place, standing) in self.table.iter().enumerate() {
            let [low, elo, high] = elo_texts(standing.elo);
            writeln!(
                f,
                "{:>3}.  {:<width$} {elo:>5}  {low:>6} to {high:>5}  {:>7}  {:>5.1} %",
                place + 1,
                self.players[standing.player],
                standing.games,
                100.0 * standing.points / standing.games.max(1) as f64,
            )?;
        }
        let bounded = self.table.iter().filter(|row| row.is_bounded()).count();
        if (1..self.table.len()).contains(&bounded) {
            writeln!(f, "0 Elo is the mean of the players whose intervals have both ends")?;
        }
        let [low, advantage, high] = elo_texts(self.first_player);
        writeln!(f, "moving first is worth {advantage} Elo, 95 % interval {low} to {high}")?;
        writeln!(f, "{:.1} % of the games were drawn", 100.0 * self.draws)?;
        writeln!(f, "misfit {:.1} on {} degrees of freedom", self.misfit, self.degrees_of_freedom)?;
        for residual in self.residuals.iter().take(3) {
            writeln!(
                f,
                "  {} against {}: {:.1} %, expected {:.1} % ({:+.1} standard errors)",
                self.players[residual.first],
                self.players[residual.second],
                100.0 * residual.score,
                100.0 * residual.expected,
                residual.deviations,
            )?;
        }
        if let Some(Cycle { players, elo, deviations }) = self.cycle {
            let [a, b, c] = players.map(|player| self.players[player].as_str());
            writeln!(
                f,
                "  in a circle: {a} > {b} > {c} > {a} by {elo:.0} Elo ({deviations:.1} standard errors)"
            )?;
        }
        Ok(())
    }
}

impl Standings {
    /// The ratings and their intervals as an SVG image.
    pub fn picture(&self) -> String {
        let rows: Vec<Interval> = self
            .table
            .iter()
            .map(|row| Interval { label: self.players[row.player].clone(), estimate: row.elo })
            .collect();
        plot::intervals("Elo with 95 % intervals", "Elo", &rows)
    }

    /// The standings as JSON.
    pub fn json(&self) -> Value {
        json!({
            "players": self.table.iter().map(|row| json!({
                "player": self.players[row.player], "elo": row.elo.value,
                "low": elo_json(row.elo.low), "high": elo_json(row.elo.high),
                "games": row.games, "points": row.points,
            })).collect::<Vec<_>>(),
            "first_player": {
                "elo": self.first_player.value, "low": self.first_player.low, "high": self.first_player.high,
            },
            "draws": self.draws,
            "misfit": self.misfit,
            "degrees_of_freedom": self.degrees_of_freedom,
            "residuals": self.residuals.iter().map(|residual| json!({
                "first": self.players[residual.first], "second": self.players[residual.second],
                "pairs": residual.pairs, "score": residual.score, "expected": residual.expected,
                "deviations": residual.deviations,
            })).collect::<Vec<_>>(),
            "cycle": self.cycle.map(|cycle| json!({
                "players": cycle.players.map(|player| &self.players[player]),
                "elo": cycle.elo, "deviations": cycle.deviations,
            })),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Encounter;
    use super::super::fit::ELO;
    use super::super::simulated::Simulated;
    use super::*;

    #[test]
    fn what_nothing_bounds_has_no_end() {
        let mut ladder = Ladder::new(["best", "worst", "absent"].map(str::to_owned).to_vec());
        ladder.encounters.push(Encounter { first: 0, second: 1, pairs: vec![[2, 2]; 10] });
        let standings = ladder.standings(1);
        let ends = |player| {
            let row = standings.table.iter().find(|row| row.player == player).expect("a row");
            (row.elo.low.is_finite(), row.elo.high.is_finite())
        };
        assert_eq!([0, 1, 2].map(ends), [(true, false), (false, true), (false, false)]);
        assert!(standings.to_string().contains("−∞ to"), "{standings}");
        let ends =
            |row: usize| ["low", "high"].map(|end| standings.json()["players"][row][end].clone());
        let words: Vec<Value> = (0..3).flat_map(ends).filter(Value::is_string).collect();
        assert_eq!(words, ["Infinity", "-Infinity", "Infinity", "-Infinity"]);
        assert!(!standings.picture().contains("inf"));
        ladder.encounters.push(Encounter { first: 0, second: 1, pairs: vec![[2, 1]] });
        assert!(ladder.standings(1).table[0].elo.high.is_finite());
    }

    #[test]
    fn a_rating_that_rounds_to_zero_has_no_sign() {
        let mut ladder = Ladder::new(["first", "second"].map(str::to_owned).to_vec());
        let pairs = [vec![[2, 0]; 100], vec![[0, 2]; 100], vec![[2, 1]]].concat();
        ladder.encounters.push(Encounter { first: 0, second: 1, pairs });
        let standings = ladder.standings(1);
        assert!(standings.table[1].elo.value < 0.0, "{standings}");
        assert_eq!(standings.to_string().matches("   +0  ").count(), 2, "{standings}");
    }

    /// Two who never lost a point to the other three, and are not known to be any number of Elo
    /// above them.
    #[test]
    fn the_scale_is_that_of_the_bounded() {
        let mut ladder = Ladder::new((0..5).map(|number| format!("p{number}")).collect());
        for (first, second) in [(0, 1), (2, 3), (3, 4), (2, 4)] {
            let pairs = [vec![[2, 2]; 6], vec![[2, 0]; 10]].concat();
            ladder.encounters.push(Encounter { first, second, pairs });
        }
        let before = ladder.standings(1);
        for (first, second) in [(0, 2), (0, 3), (1, 3), (1, 4)] {
            ladder.encounters.push(Encounter { first, second, pairs: vec![[2, 2]; 10] });
        }
        let standings = ladder.standings(1);
        let row = |player| standings.table.iter().find(|row| row.player == player).expect("a row");
        for player in [0, 1] {
            let elo = row(player).elo;
            assert!(elo.low > 0.0 && elo.high == f64::INFINITY, "{standings}");
        }
        let rest = [2, 3, 4].map(|player| row(player).elo);
        assert!(rest.iter().all(|elo| elo.low.is_finite() && elo.high.is_finite()), "{standings}");
        assert!(rest.iter().map(|elo| elo.value).sum::<f64>().abs() < 1e-6, "{standings}");
        let line = "0 Elo is the mean of the players whose intervals have both ends";
        assert!(standings.to_string().contains(line), "{standings}");
        // Before, nobody in the two groups had met, and three of five are a majority.
        assert!(before.to_string().contains(line), "{before}");
        // Any point for one of the three.
        ladder.encounters.push(Encounter { first: 1, second: 2, pairs: vec![[2, 1]] });
        let standings = ladder.standings(1);
        assert!(standings.table.iter().all(Standing::is_bounded), "{standings}");
        assert!(!standings.to_string().contains(line), "{standings}");
    }

    #[test]
    fn intervals_contain_the_truth() {
        let elo = [-450.0, -250.0, -100.0, 0.0, 100.0, 250.0, 450.0];
        let strengths = elo.iter().map(|elo| elo / ELO).collect();
        let truth = Simulated { strengths, advantage: 0.2, draws: 0.1 };
        let (mut held, mut all) = ([0; 2], 0);
        for seed in 0..30 {
            let (mut ladder, mut random) = (truth.ladder(), Random::new(seed));
            for _ in 0..30 {
                let next = ladder.next_encounter(|_| true).expect("two players");
                ladder.encounters.push(truth.encounter(next, 10, &mut random));
            }
            let table = ladder.standings(seed).table;
            let bounded: Vec<f64> =
                table.iter().filter(|row| row.is_bounded()).map(|row| elo[row.player]).collect();
            let zero = bounded.iter().sum::<f64>() / bounded.len() as f64;
            for row in table {
                let truth = elo[row.player] - zero;
                all += 1;
                held[0] += usize::from(row.elo.low <= truth);
                held[1] += usize::from(truth <= row.elo.high);
            }
        }
        assert!(held.iter().all(|held| held * 100 >= all * 96), "{held:?} of {all}");
    }
}
