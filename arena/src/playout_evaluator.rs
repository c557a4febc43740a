//! An evaluator that uses only the rules, for positions of any rule set.

use engine::{Color, MAX_SIZE, Move, Position, Size};
use rayon::prelude::*;
use search::{Cached, Evaluation, Evaluator, EvaluatorError, Policy, Ticket, softmax};

use crate::playout::{playable_points, playout_with_observer};
use search::Random;

/// Default number of playouts per position.
const PLAYOUTS: u32 = 32;

/// Factor from playout results to logits of the policy.
const LOGIT_SCALE: f32 = 8.0;

/// Number of prior playouts for each point, with the position's own value.
const PRIOR_PLAYOUTS: f32 = 5.0;

/// The logit of moves that no playout would make, such as filling an own eye.
const SENSELESS_LOGIT: f32 = -10.0;

/// Evaluates a position by random playouts: its value is their mean result, and its policy prefers
/// the points that the mover occupied in the successful ones, at whatever time ("all moves as
/// first", Brügmann, *Monte Carlo Go*, 1993). Equal positions get equal evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayoutEvaluator {
    playouts: u32,
}

impl Default for PlayoutEvaluator {
    /// The number of playouts that is strongest overall: more make each simulation more reliable,
    /// fewer leave time for more simulations.
    fn default() -> PlayoutEvaluator {
        PlayoutEvaluator { playouts: PLAYOUTS }
    }
}

impl PlayoutEvaluator {
    /// An evaluator with this many playouts per position, at least one.
    pub fn new(playouts: u32) -> PlayoutEvaluator {
        PlayoutEvaluator { playouts: playouts.max(1) }
    }

    fn evaluate_position(self, position: &Position) -> Evaluation {
        let mut random = Random::new(position.hash());
        let mut tally = Tally::new(position);
        (0..self.playouts).for_each(|_| tally.play_out(position, &mut random));
        let playable = playable_points(position);
        let logit = |played: &Move| match played.point() {
            Some(point) if playable.contains(point) => LOGIT_SCALE * tally.advantage(*played),
            Some(_) => SENSELESS_LOGIT,
            None => 0.0,
        };
        let legal = position.legal_moves();
        let mut priors: Vec<f32> = legal.iter().map(logit).collect();
        softmax(&mut priors);
        let policy = legal.iter().copied().zip(priors).collect();
        Evaluation { policy, value: tally.mover.sign() * tally.mean(), lead: None }
    }
}

impl Evaluator for PlayoutEvaluator {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Ok(batch.par_iter().map(|position| self.evaluate_position(position)).collect())
    }

    /// The policy of the playouts themselves: uniform over the moves that they make.
    fn policies(&mut self, batch: &[&Position]) -> Result<Vec<Policy>, EvaluatorError> {
        Ok(batch.par_iter().map(|position| random_policy(position)).collect())
    }
}

/// [`PlayoutEvaluator`] with cached evaluations. Policies are cheaper to compute than to cache.
pub struct CachedPlayoutEvaluator(Cached<PlayoutEvaluator>);

impl CachedPlayoutEvaluator {
    /// Caches up to `capacity` evaluations.
    pub fn with_capacity(capacity: usize) -> CachedPlayoutEvaluator {
        CachedPlayoutEvaluator(Cached::new(PlayoutEvaluator::default(), capacity))
    }
}

impl Evaluator for CachedPlayoutEvaluator {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.0.evaluate(batch)
    }

    fn policies(&mut self, batch: &[&Position]) -> Result<Vec<Policy>, EvaluatorError> {
        PlayoutEvaluator::default().policies(batch)
    }

    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        self.0.begin(batch)
    }
}

fn random_policy(position: &Position) -> Policy {
    let legal = position.legal_moves();
    let playable = playable_points(position);
    let is_playable = |played: &Move| played.point().is_some_and(|point| playable.contains(point));
    let choice: Vec<bool> = if legal.iter().any(is_playable) {
        legal.iter().map(is_playable).collect()
    } else if legal.contains(&Move::Pass) {
        legal.iter().map(|&played| played == Move::Pass).collect()
    } else {
        vec![true; legal.len()]
    };
    let share = 1.0 / choice.iter().filter(|&&chosen| chosen).count().max(1) as f32;
    let prior = |chosen| if chosen { share } else { 0.0 };
    legal.iter().zip(choice).map(|(&played, chosen)| (played, prior(chosen))).collect()
}

/// Statistics of the playouts of one position. Results are from the mover's perspective, −1 to 1.
struct Tally {
    mover: Color,
    size: Size,
    playouts: u32,
    result: f32,
    /// For each point, the number of playouts in which the mover was the first to play there, and
    /// the sum of their results.
    taken: Vec<(u32, f32)>,
}

impl Tally {
    fn new(position: &Position) -> Tally {
        let taken = vec![(0, 0.0); MAX_SIZE * MAX_SIZE];
        Tally { mover: position.turn(), size: position.size(), playouts: 0, result: 0.0, taken }
    }

    fn play_out(&mut self, position: &Position, random: &mut Random) {
        let mut first: [Option<Color>; MAX_SIZE * MAX_SIZE] = [None; MAX_SIZE * MAX_SIZE];
        let size = self.size;
        let black = playout_with_observer(&mut position.clone(), random, |player, played| {
            if let Some(point) = played.point() {
                first[point.index(size)].get_or_insert(player);
            }
        });
        let result = self.mover.sign() * black;
        self.playouts += 1;
        self.result += result;
        for (taken, first) in self.taken.iter_mut().zip(first) {
            if first == Some(self.mover) {
                taken.0 += 1;
                taken.1 += result;
            }
        }
    }

    fn mean(&self) -> f32 {
        self.result / self.playouts.max(1) as f32
    }

    /// How much better the mover did in playouts where the mover occupied this move's point.
    fn advantage(&self, played: Move) -> f32 {
        let Some((times, sum)) = played.point().map(|point| self.taken[point.index(self.size)])
        else {
            return 0.0;
        };
        let times = times as f32;
        (sum - times * self.mean()) / (times + PRIOR_PLAYOUTS)
    }
}

#[cfg(test)]
mod tests {
    use engine::{Bitboard, Rules, Variant};

    use super::*;

    fn played(rules: &str, size: u8, moves: &str) -> Position {
        let mut position = Position::new(Rules::parse(rules, size).expect("rules"));
        for text in moves.split_whitespace() {
            position.play(text.parse().expect("a move")).expect("a legal move");
        }
        position
    }

    #[test]
    fn every_position_of_every_variant_is_judged_and_always_in_the_same_way() {
        for variant in Variant::ALL {
            let mut position = Position::new(variant.rules(4).expect("rules"));
            let mut random = Random::new(5);
            while position.outcome().is_none() {
                let legal = position.legal_moves();
                let mut evaluator = PlayoutEvaluator::new(4);
                let judged = evaluator.evaluate(&[&position, &position]).expect("an evaluation");
                assert_eq!(judged[0], judged[1], "{variant}");
                judged[0].check(&position).expect("a good evaluation");
                let policies = evaluator.policies(&[&position]).expect("a policy");
                search::check_policy(&policies[0], &position).expect("a good policy");
                position.play_unchecked(random.choose(&legal).expect("a move"));
            }
        }
    }

    #[test]
    fn the_value_is_blacks_and_the_policy_the_movers() {
        let judge = |rules: &str, turn: Color| {
            let (rules, empty) = (Rules::parse(rules, 3).expect("rules"), Bitboard::EMPTY);
            let position = Position::with_stones(rules, empty, empty, turn).expect("a position");
            let judged = PlayoutEvaluator::new(400).evaluate(&[&position]).expect("an evaluation");
            judged[0].clone()
        };
        let middle = Move::Place("B2".parse().expect("a point"));
        for turn in Color::BOTH {
            assert!(judge("go,komi=-9.5", turn).value > 0.3, "{turn}: Black is ahead");
            assert!(judge("go,komi=9.5", turn).value < -0.3, "{turn}: White is ahead");
            let Evaluation { policy, .. } = judge("go,komi=0", turn);
            let place = policy.iter().position(|&(played, _)| played == middle);
            let others = policy.iter().enumerate().filter(|(index, _)| Some(*index) != place);
            let most = others.map(|(_, &(_, prior))| prior).fold(0.0, f32::max);
            assert!(place.is_some_and(|place| policy[place].1 > most), "{turn}: {policy:?}");
        }
    }

    #[test]
    fn own_eyes_are_left_alone() {
        // Black owns the board except for two eyes at A1 and C1.
        let position =
            played("go,komi=0", 3, "B1 pass B2 pass A2 pass C2 pass A3 pass B3 pass C3 pass");
        let legal = position.legal_moves();
        let mut evaluator = PlayoutEvaluator::default();
        let policy = evaluator.policies(&[&position]).expect("a policy").remove(0);
        let judged = evaluator.evaluate(&[&position]).expect("an evaluation").remove(0);
        let pass = legal.iter().position(|&played| played == Move::Pass).expect("a pass");
        assert_eq!(policy[pass].1, 1.0);
        assert!(judged.policy[pass].1 > 0.9 && judged.value == 1.0, "{judged:?}");
    }
}
