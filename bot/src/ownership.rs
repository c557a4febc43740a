//! Estimates the final ownership by playouts.

use engine::{Bitboard, Color, Move, Point, Position};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use search::{Evaluator, EvaluatorError, Policy, check_policy};

/// How a position is played out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayoutSettings {
    /// Number of playouts. The standard error of each probability is about 1/(2·√games).
    pub games: u32,
    /// Turns after which a game is scored as it stands; the rules' own limit also applies.
    pub turns: u32,
    /// Seed of the drawn moves.
    pub seed: u64,
}

impl PlayoutSettings {
    /// 32 games of at most two turns per point: enough to see what is settled, at a bounded cost.
    pub fn of(position: &Position) -> PlayoutSettings {
        let area = position.size().area() as u32;
        PlayoutSettings { games: 32, turns: 2 * area, seed: position.hash() }
    }
}

/// The probable owner of each point at the end, in the order row · size + column from A1.
///
/// A point belongs to a player if it holds the player's stone, lies in the player's territory, or
/// is owned by the player in Conquest. What is missing from a sum of 1 is the probability that it
/// belongs to neither.
#[derive(Debug, Clone, PartialEq)]
pub struct Ownership {
    /// Probability that the point is Black's, from 0 to 1.
    pub black: Vec<f32>,
    /// Probability that the point is White's, from 0 to 1.
    pub white: Vec<f32>,
}

/// Plays the game out several times with the evaluator's policy, and counts who holds each point at
/// the end. For a finished game the result is exact.
///
/// # Errors
/// The evaluator fails, or its answer does not fit the positions.
pub fn final_ownership(
    position: &Position,
    evaluator: &mut (impl Evaluator + ?Sized),
    playouts: PlayoutSettings,
) -> Result<Ownership, EvaluatorError> {
    run_playouts(position, evaluator, playouts).map(|games| games.ownership())
}

/// Runs the playouts of [`final_ownership`] to the end.
///
/// # Errors
/// As for [`final_ownership`].
pub(crate) fn run_playouts(
    position: &Position,
    evaluator: &mut (impl Evaluator + ?Sized),
    playouts: PlayoutSettings,
) -> Result<PlayoutGames, EvaluatorError> {
    let mut games = PlayoutGames::new(position, playouts);
    while games.advance(evaluator)? {}
    Ok(games)
}

/// Like [`final_ownership`], but only while `should_continue`, which is called before every turn, returns
/// true; `None` if it was stopped.
pub fn final_ownership_while(
    position: &Position,
    evaluator: &mut (impl Evaluator + ?Sized),
    playouts: PlayoutSettings,
    should_continue: &mut dyn FnMut() -> bool,
) -> Result<Option<Ownership>, EvaluatorError> {
    let mut games = PlayoutGames::new(position, playouts);
    while games.is_running() {
        if !should_continue() {
            return Ok(None);
        }
        games.advance(evaluator)?;
    }
    Ok(Some(games.ownership()))
}

/// Games being played out together, with one batch per turn.
pub struct PlayoutGames {
    games: Vec<Position>,
    /// The player to move before the first turn; below, where that player has placed stones in each
    /// game.
    mover: Color,
    placed: Vec<Bitboard>,
    turns_left: u32,
    random: ChaCha8Rng,
}

impl PlayoutGames {
    /// Before the first turn. A finished game needs no playouts.
    pub fn new(position: &Position, playouts: PlayoutSettings) -> PlayoutGames {
        let count = if position.outcome().is_some() { 1 } else { playouts.games.max(1) };
        PlayoutGames {
            games: vec![position.clone(); count as usize],
            mover: position.turn(),
            placed: vec![Bitboard::EMPTY; count as usize],
            turns_left: playouts.turns,
            random: ChaCha8Rng::seed_from_u64(playouts.seed),
        }
    }

    fn is_running(&self) -> bool {
        self.turns_left > 0 && self.games.iter().any(|game| game.outcome().is_none())
    }

    /// Takes a turn in every game that is not over; returns `false` once there are no such games or
    /// no turns left.
    ///
    /// # Errors
    /// As for [`final_ownership`].
    pub fn advance(
        &mut self,
        evaluator: &mut (impl Evaluator + ?Sized),
    ) -> Result<bool, EvaluatorError> {
        if !self.is_running() {
            return Ok(false);
        }
        let games = self.games.iter_mut().zip(&mut self.placed);
        let mut running: Vec<(&mut Position, &mut Bitboard)> =
            games.filter(|(game, _)| game.outcome().is_none()).collect();
        let batch: Vec<&Position> = running.iter().map(|(game, _)| &**game).collect();
        let policies = evaluator.policies(&batch)?;
        if policies.len() != running.len() {
            let (expected, found) = (running.len(), policies.len());
            return Err(EvaluatorError::AnswerCount { expected, found });
        }
        for ((game, placed), policy) in running.iter_mut().zip(&policies) {
            let played = draw(game, policy, &mut self.random)?;
            if let Some(point) = played.point().filter(|_| game.turn() == self.mover) {
                placed.insert(point);
            }
            game.play_unchecked(played);
        }
        self.turns_left -= 1;
        Ok(self.is_running())
    }

    /// Who holds each point so far.
    pub fn ownership(&self) -> Ownership {
        Ownership::of(&self.games.iter().collect::<Vec<_>>())
    }

    /// Who holds each point after a move: in the games in which the player to move has played there
    /// at any time ("all moves as first"), combined at half weight with all games, since the former
    /// can be few.
    pub(crate) fn ownership_after(&self, played: Move) -> Ownership {
        let all = self.ownership();
        let games = self.games.iter().zip(&self.placed);
        let with_move: Vec<&Position> = games
            .filter(|(_, placed)| played.point().is_some_and(|point| placed.contains(point)))
            .map(|(game, _)| game)
            .collect();
        if with_move.is_empty() { all } else { Ownership::of(&with_move).mixed(&all) }
    }
}

/// A legal move drawn from the policy.
fn draw(
    position: &Position,
    policy: &Policy,
    random: &mut impl Rng,
) -> Result<Move, EvaluatorError> {
    check_policy(policy, position)?;
    let priors: Vec<f32> = policy.iter().map(|&(_, prior)| prior).collect();
    let drawn = search::draw(&priors, random.random());
    // A running game has a legal move.
    Ok(drawn.map_or(Move::Pass, |index| policy[index].0))
}

impl Ownership {
    /// The fraction of the games in which each point belongs to each player.
    fn of(games: &[&Position]) -> Ownership {
        let points: Vec<Point> =
            games.first().into_iter().flat_map(|game| game.size().points()).collect();
        let held: Vec<[Bitboard; 2]> = games.iter().map(|game| game.ownership()).collect();
        let share = |color: Color| {
            let of = |point| held.iter().filter(|held| held[color.index()].contains(point)).count();
            points.iter().map(|&point| of(point) as f32 / held.len() as f32).collect()
        };
        Ownership { black: share(Color::Black), white: share(Color::White) }
    }

    /// A weighted mean: two parts of this and one part of the other.
    fn mixed(&self, other: &Ownership) -> Ownership {
        let mixed = |own: &[f32], other: &[f32]| {
            own.iter().zip(other).map(|(own, other)| (2.0 * own + other) / 3.0).collect()
        };
        Ownership {
            black: mixed(&self.black, &other.black),
            white: mixed(&self.white, &other.white),
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::{Rules, Variant};
    use search::evaluators::{Nan, Scripted, Uniform};
    use search::{Counted, Evaluation, Evaluator};

    use super::*;

    fn played(rules: &str, size: u8, moves: &str) -> Position {
        let mut position = Position::new(Rules::parse(rules, size).unwrap());
        moves.split_whitespace().for_each(|text| position.play(text.parse().unwrap()).unwrap());
        position
    }

    #[test]
    fn probabilities_of_every_variant_are_probabilities() {
        for variant in Variant::ALL {
            let position = Position::new(variant.rules(5).unwrap());
            let playouts = PlayoutSettings::of(&position);
            let found = final_ownership(&position, &mut Scripted { seed: 1 }, playouts).unwrap();
            let again = final_ownership(&position, &mut Scripted { seed: 1 }, playouts).unwrap();
            assert_eq!(found, again, "{variant}");
            assert_eq!((found.black.len(), found.white.len()), (25, 25));
            for (black, white) in found.black.iter().zip(&found.white) {
                assert!((0.0..=1.0).contains(black) && (0.0..=1.0).contains(white), "{variant}");
                assert!(black + white <= 1.0 + 1e-6, "{variant}: {black} and {white}");
            }
            assert!(found.black.iter().sum::<f32>() > 0.0, "{variant}");
        }
    }

    #[test]
    fn a_finished_game_is_known_exactly_and_costs_nothing() {
        let position = played("go", 4, "B1 C1 B2 C2 B3 C3 B4 C4 pass pass");
        assert!(position.outcome().is_some());
        let mut counted = Counted::new(Uniform);
        let found =
            final_ownership(&position, &mut counted, PlayoutSettings::of(&position)).unwrap();
        assert_eq!(counted.positions, 0);
        let black: Vec<f32> = [1.0, 1.0, 0.0, 0.0].repeat(4);
        let white: Vec<f32> = [0.0, 0.0, 1.0, 1.0].repeat(4);
        assert_eq!(found, Ownership { black, white });
    }

    /// Always passes where it can.
    struct Passes;

    impl Evaluator for Passes {
        fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
            let passes = |position: &&Position| {
                let legal = position.legal_moves();
                let of = |&m: &Move| (m, if m == Move::Pass { 1.0 } else { 0.0 });
                Evaluation { policy: legal.iter().map(of).collect(), value: 0.0, lead: None }
            };
            Ok(batch.iter().map(passes).collect())
        }
    }

    #[test]
    fn the_policy_decides_the_moves() {
        let position = played("go", 3, "B1 C1 B2 C2 B3");
        let found =
            final_ownership(&position, &mut Passes, PlayoutSettings::of(&position)).unwrap();
        // C3 touches both colours.
        assert_eq!(found.black, [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
        assert_eq!(found.white, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_limit_of_turns_bounds_the_cost_and_owned_points_count() {
        // Black walls off the corner, whose point is Black's for good.
        let position = played("conquest", 5, "A2 E5 B1");
        assert!(!position.owned(Color::Black).is_empty());
        let mut counted = Counted::new(Uniform);
        let playouts = PlayoutSettings { games: 8, turns: 3, seed: 0 };
        let found = final_ownership(&position, &mut counted, playouts).unwrap();
        assert!(counted.batches <= 3 && counted.positions <= 24);
        assert_eq!(found.black[0], 1.0);
    }

    #[test]
    fn a_network_that_has_blown_up_is_an_error() {
        let position = played("go", 3, "");
        let found = final_ownership(&position, &mut Nan, PlayoutSettings::of(&position));
        assert!(matches!(found, Err(EvaluatorError::Prior { .. })));
    }
}
