//! An evaluator that assumes rules other than the game's: what it loses by that is what knowing the
//! rules is worth.

use engine::{Move, Position, Rules};
use search::{Evaluation, Evaluator, EvaluatorError, Policy, Ticket};

/// The prior, before normalisation, of a move that does not exist under the assumed rules. The
/// search must still be able to play it.
const UNKNOWN_MOVE_PRIOR: f32 = 1e-4;

/// Evaluates positions as if other rules applied, by asking the inner evaluator about the same
/// stones under those rules. The moves are those of the actual game, and so are results that follow
/// from its rules.
///
/// Where the game would be over under the other rules, the value is the result there. Positions
/// that cannot exist under them are treated as even, with all moves equally likely.
///
/// ```
/// use arena::RulesOverride;
/// use engine::{Position, Rules};
/// use search::Evaluator;
/// use search::evaluators::Uniform;
///
/// let played = Position::new(Rules::parse("nogo", 5)?);
/// let mut assuming = RulesOverride::new(Uniform, Rules::parse("go", 5)?);
/// // NoGo has no passes.
/// assert_eq!(assuming.evaluate(&[&played])?[0].policy.len(), 25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RulesOverride<E> {
    inner: E,
    rules: Option<Rules>,
}

impl<E> RulesOverride<E> {
    /// Evaluates under `rules`, whatever is played.
    pub fn new(inner: E, rules: Rules) -> RulesOverride<E> {
        RulesOverride { inner, rules: Some(rules) }
    }

    /// Evaluates under the rules that are played: the inner evaluator unchanged.
    pub fn disabled(inner: E) -> RulesOverride<E> {
        RulesOverride { inner, rules: None }
    }
}

/// The legal moves, with the priors that a policy has for the same moves.
fn transfer_priors(legal: &[Move], policy: &[(Move, f32)]) -> Policy {
    let prior = |played: &Move| {
        let found = policy.iter().find(|(other, _)| other == played);
        found.map_or(0.0, |(_, prior)| *prior).max(UNKNOWN_MOVE_PRIOR)
    };
    let sum: f32 = legal.iter().map(prior).sum();
    legal.iter().map(|played| (*played, prior(played) / sum)).collect()
}

impl<E: Evaluator> Evaluator for RulesOverride<E> {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.begin(batch).wait()
    }

    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        let Some(rules) = self.rules else { return self.inner.begin(batch) };
        let legal: Vec<Vec<Move>> =
            batch.iter().map(|position| position.legal_moves().to_vec()).collect();
        let (mut asked, mut known) = (Vec::new(), Vec::new());
        for position in batch {
            let Ok(under) = position.under(rules) else {
                known.push(Some(0.0));
                continue;
            };
            let outcome = under.outcome();
            known.push(outcome.map(|outcome| outcome.result.black_value()));
            if outcome.is_none() {
                asked.push(under);
            }
        }
        let asked: Vec<&Position> = asked.iter().collect();
        let ticket = (!asked.is_empty()).then(|| self.inner.begin(&asked));
        Ticket::new(move || {
            let mut evaluations = ticket.map_or(Ok(Vec::new()), Ticket::wait)?.into_iter();
            let answer = |(known, legal): (Option<f32>, Vec<Move>)| match known {
                Some(value) => {
                    Some(Evaluation { policy: transfer_priors(&legal, &[]), value, lead: None })
                }
                None => evaluations.next().map(|evaluation| Evaluation {
                    policy: transfer_priors(&legal, &evaluation.policy),
                    ..evaluation
                }),
            };
            Ok(known.into_iter().zip(legal).map_while(answer).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use engine::Variant;
    use search::evaluators::Scripted;
    use search::{Checked, Random};

    use super::*;
    use crate::random_move;

    /// Positions of a random game.
    fn positions(rules: Rules) -> Vec<Position> {
        let (mut position, mut random) = (Position::new(rules), Random::new(5));
        let mut all = Vec::new();
        while position.outcome().is_none() && all.len() < 40 {
            all.push(position.clone());
            let played = random_move(&position, &mut random).expect("a move");
            position.play(played).expect("a legal move");
        }
        all
    }

    #[test]
    fn whoever_is_told_the_truth_thinks_the_same() {
        for variant in Variant::ALL {
            let rules = variant.rules(4).expect("rules");
            let all = positions(rules);
            let all: Vec<&Position> = all.iter().collect();
            let expected = Scripted { seed: 3 }.evaluate(&all).expect("answers");
            let mut truthful = RulesOverride::disabled(Scripted { seed: 3 });
            assert_eq!(truthful.evaluate(&all).expect("answers"), expected);
            let values = |all: &[Evaluation]| all.iter().map(|it| it.value).collect::<Vec<_>>();
            let mut named = RulesOverride::new(Scripted { seed: 3 }, rules);
            assert_eq!(values(&named.evaluate(&all).expect("answers")), values(&expected));
        }
    }

    #[test]
    fn whatever_it_is_told_its_moves_are_those_of_the_game() {
        for played in Variant::ALL {
            let all = positions(played.rules(4).expect("rules"));
            let all: Vec<&Position> = all.iter().collect();
            for assumed in Variant::ALL {
                let assumed = assumed.rules(4).expect("rules");
                let assuming = RulesOverride::new(Scripted { seed: 3 }, assumed);
                let evaluations = Checked(assuming).evaluate(&all).expect("legal policies");
                assert_eq!(evaluations.len(), all.len());
            }
        }
    }

    /// The second pass ends the game that the player is told of, but not the one that is played.
    #[test]
    fn a_game_that_would_be_over_has_the_result_there() {
        let [played, told] =
            ["hot-stone", "go,komi=0"].map(|text| Rules::parse(text, 3).expect("rules"));
        let mut position = Position::new(played);
        for text in ["B2", "pass", "pass"] {
            position.play(text.parse().expect(text)).expect("a legal move");
        }
        let mut assuming = RulesOverride::new(Scripted { seed: 3 }, told);
        assert_eq!(assuming.evaluate(&[&position]).expect("an answer")[0].value, 1.0);
    }
}
