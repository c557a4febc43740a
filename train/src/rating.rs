//! A run's gain since an earlier checkpoint, and its strength against players without a network.

use std::ops::ControlFlow;

use arena::{
    Estimate, Match, MatchError, Openings, Pentanomial, Player, PlayerSetup, ReferencePlayer,
};
use engine::Rules;
use search::{Evaluator, Settings};

use crate::EvaluationSettings;

/// What the pairs of games between two players say about their difference in Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Difference {
    /// The difference. A clean sweep means a large one, not an infinite one; the fewer games there
    /// were, because there are few openings, the less it shows.
    pub elo: Estimate,
    /// Half the width of its interval, for a rating. An end at infinity counts as the largest
    /// difference that these games can show: beside an infinite error, no rating would decide
    /// anything, and the checkpoint before a collapse would never be preferred.
    pub error: f64,
}

impl Difference {
    fn of(pairs: &Pentanomial) -> Difference {
        let most = largest_difference(2 * pairs.pairs() as usize);
        let elo = pairs.elo();
        let [low, value, high] = elo.parts().map(|elo| elo.clamp(-most, most));
        let elo = Estimate { low: elo.low.min(value), value, high: elo.high.max(value) };
        Difference { elo, error: (high - low) / 2.0 }
    }
}

/// The Elo difference between the first and the second evaluator, from matches with paired openings
/// under each of the rules.
pub(crate) fn elo_gain<E: Evaluator>(
    panel: &[Rules],
    settings: &EvaluationSettings,
    evaluators: &mut [E; 2],
    seed: u64,
) -> Result<Difference, MatchError> {
    let players = [0, 1].map(|evaluator| searching(evaluator, settings.simulations));
    difference(panel, settings, players, evaluators, seed)
}

/// The Elo difference between an evaluator and a reference player.
pub(crate) fn elo_against<E: Evaluator>(
    panel: &[Rules],
    settings: &EvaluationSettings,
    evaluator: E,
    reference: ReferencePlayer,
    seed: u64,
) -> Result<Estimate, MatchError> {
    let players = [searching(0, settings.simulations), reference.into()];
    Ok(difference(panel, settings, players, &mut [evaluator], seed)?.elo)
}

/// A player that plays to win and considers at most half as many moves as it has simulations, like
/// those of self-play: at the 16 simulations of most ratings, 16 moves would be compared by a
/// single evaluation each.
fn searching(evaluator: usize, simulations: u32) -> Player {
    let settings = Settings::to_win(simulations).with_simulations(simulations);
    Player::Searching { evaluator, settings, temperature: 0.0 }
}

fn difference<E: Evaluator>(
    panel: &[Rules],
    settings: &EvaluationSettings,
    players: [Player; 2],
    evaluators: &mut [E],
    seed: u64,
) -> Result<Difference, MatchError> {
    let is_repetitive = players.iter().all(Player::is_deterministic);
    let [first, second] = players;
    let players = [PlayerSetup::new("first", first), PlayerSetup::new("second", second)];
    let mut pairs = Pentanomial::default();
    for rules in panel {
        let share = settings.games.div_ceil(2 * panel.len().max(1));
        let mut game = Match { pairs: share, seed, ..Match::new(*rules, players.clone()) };
        let openings = openings_of(&game);
        if is_repetitive {
            // The same game again from the same opening would be no evidence.
            game.pairs = share.min(openings.lines.len());
        }
        game.openings = Some(openings);
        let report = game.play(evaluators, &mut |_| ControlFlow::Continue(()))?;
        pairs.0.iter_mut().zip(report.tally.pairs.0).for_each(|(all, here)| *all += here);
    }
    Ok(Difference::of(&pairs))
}

/// The openings of a match. Where each of them ends the game, as under a very small move limit, the
/// games begin on the empty board: a run is to be rated under any rules.
fn openings_of(game: &Match) -> Openings {
    game.openings().unwrap_or_else(|_| Openings::draw(game.rules, 0, 1, game.seed))
}

/// The largest difference that a match of so many games can show: half a point short of a clean
/// sweep.
fn largest_difference(games: usize) -> f64 {
    arena::elo_of_score(1.0 - 0.5 / games.max(2) as f64)
}

#[cfg(test)]
mod tests {
    use search::evaluators::Uniform;

    use super::*;

    #[test]
    fn players_have_something_to_halve() {
        for (simulations, considered) in [(4, 2), (16, 8), (32, 16), (64, 16)] {
            let player = searching(0, simulations);
            let Player::Searching { settings, .. } = player else { panic!("it searches") };
            assert_eq!(settings.simulations, simulations);
            assert_eq!(settings.max_num_considered_actions, considered, "of {simulations}");
        }
    }

    #[test]
    fn every_match_has_a_finite_error() {
        let most = largest_difference(64);
        let error = |pairs| Difference::of(&Pentanomial(pairs)).error;
        let even = Pentanomial([4, 8, 8, 8, 4]).elo();
        assert_eq!(error([4, 8, 8, 8, 4]), (even.high - even.low) / 2.0);
        for sweep in [[32, 0, 0, 0, 0], [0, 0, 0, 0, 32]] {
            assert!(!Pentanomial(sweep).elo().value.is_finite());
            assert!((0.0..most).contains(&error(sweep)), "{}", error(sweep));
        }
    }

    #[test]
    fn a_clean_sweep_of_few_games_shows_less_than_one_of_many() {
        let [few, many] = [4, 32].map(|won| Difference::of(&Pentanomial([0, 0, 0, 0, won])));
        assert_eq!(few.elo.value, largest_difference(8));
        assert_eq!(many.elo.value, largest_difference(64));
        assert!(few.elo.value < many.elo.value && few.elo.high.is_infinite());
        // Also as the end of its interval: a larger error would hide what the games do show.
        assert_eq!(few.error, (few.elo.value - few.elo.low) / 2.0);
        let lost = Difference::of(&Pentanomial([4, 0, 0, 0, 0]));
        assert_eq!((lost.elo.value, lost.elo.low), (-few.elo.value, f64::NEG_INFINITY));
    }

    /// The difference between two equal players, who share the points of every pair.
    fn between_equals(rules: Rules, games: usize) -> Estimate {
        let settings =
            EvaluationSettings { games, simulations: 2, ..EvaluationSettings::default() };
        elo_gain(&[rules], &settings, &mut [Uniform, Uniform], 7).unwrap().elo
    }

    #[test]
    fn games_that_would_repeat_others_are_no_evidence() {
        let rules = Rules::parse("go", 3).unwrap();
        let openings = Openings::draw_enough(rules, 2_000, 7).lines.len();
        assert!((30..2_000).contains(&openings), "{openings}");
        let gain = between_equals(rules, 4_000);
        assert_eq!(gain, Pentanomial([0, 0, openings as u32, 0, 0]).elo());
    }

    #[test]
    fn runs_are_rated_where_every_opening_ends_the_game() {
        let rules = Rules::parse("go,max_moves=1", 3).unwrap();
        assert_eq!(between_equals(rules, 8), Pentanomial([0, 0, 1, 0, 0]).elo());
        let settings =
            EvaluationSettings { games: 8, simulations: 2, ..EvaluationSettings::default() };
        let elo = elo_against(&[rules], &settings, Uniform, ReferencePlayer::Random, 7).unwrap();
        assert!(elo.value.is_finite());
    }
}
