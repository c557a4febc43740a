//! What running into a ban costs, by playing on: from the same position the game continues both
//! with the part of the rules that forbids the preferred move and without it.

use arena::{MatchGame, Pentanomial};
use engine::{Color, DistinctivePart, GameResult, Move, Position};
use search::{Evaluator, EvaluatorError};

use crate::agent::search_all;
use crate::decisive_bans::{Candidate, candidates_of};

/// Two games that continue from a position of a third: the first position where a part of the rules
/// forbids the move that the policy prefers without it.
#[derive(Debug, Clone)]
pub struct AblationPair {
    /// The index of the original game.
    pub game: usize,
    /// Turns before the position.
    pub turn: usize,
    /// The player to move, who runs into the ban.
    pub player: Color,
    /// The part of the rules that forbids the move, named as it follows the word "without".
    pub part: &'static str,
    /// The forbidden move.
    pub preferred: Move,
    /// The games from that position on: with the part, and without it.
    pub continuations: [Continuation; 2],
}

/// How a game continued.
#[derive(Debug, Clone, PartialEq)]
pub struct Continuation {
    /// Its moves.
    pub moves: Vec<Move>,
    /// Its result.
    pub result: GameResult,
}

impl AblationPair {
    /// Half points of the player when playing without the part, plus those of the opponent when
    /// playing with it: 2 if the part makes no difference, more if it costs the player something.
    pub fn half_points(&self) -> usize {
        let [with, without] = &self.continuations;
        without.result.half_points(self.player) + with.result.half_points(self.player.opponent())
    }
}

/// The pairs by the points of the player who continues without the part.
pub fn ablation_pairs(games: &[AblationPair]) -> Pentanomial {
    let mut pairs = Pentanomial::default();
    games.iter().for_each(|game| pairs.add(game.half_points()));
    pairs
}

/// Continues each game from the first position where one of `parts`, some of the rules' own
/// ([`engine::Rules::distinctive_parts`]), forbids the move that the policy prefers without it:
/// once under the same rules, and once without the part from there to the end. Games without such a
/// position are not continued. All moves are searched with the given number of simulations, and
/// equal games give equal continuations. The evaluator must know the rules with and without each
/// part.
///
/// ```
/// use arena::MatchGame;
/// use engine::Rules;
/// use game::Game;
/// use search::evaluators::Uniform;
/// use studies::rule_ablations;
///
/// // White throws in at A1, and Black may not take after White's capture.
/// let rules = Rules::parse("stoical", 5)?;
/// let mut game = Game::new(rules);
/// for played in "A3 A2 B3 B2 C3 C2 D2 C1 D1 pass A1 B1 pass pass".split(' ') {
///     game.play(played.parse()?)?;
/// }
/// let game = MatchGame::new(&game, game.end().expect("two passes"), 0, Default::default());
/// let played = rule_ablations(&[game], &rules.distinctive_parts(), 8, &mut Uniform)?;
/// assert!(played.iter().all(|one| one.half_points() <= 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The evaluator's first error.
pub fn rule_ablations<E: Evaluator>(
    games: &[MatchGame],
    parts: &[DistinctivePart],
    simulations: u32,
    evaluator: &mut E,
) -> Result<Vec<AblationPair>, EvaluatorError> {
    let mut met = Vec::new();
    for (number, game) in games.iter().enumerate() {
        met.extend(first_met(candidates_of(number, game, parts), evaluator)?);
    }
    let start =
        |(candidate, _): &(Candidate, Move)| [candidate.position.clone(), candidate.free.clone()];
    let mut continued = play_on(met.iter().flat_map(start), simulations, evaluator)?.into_iter();
    let mut played = Vec::new();
    for (candidate, preferred) in met {
        let (Some(with), Some(without)) = (continued.next(), continued.next()) else { break };
        played.push(AblationPair {
            game: candidate.game,
            turn: candidate.turn,
            player: candidate.position.turn(),
            part: candidate.part,
            preferred,
            continuations: [with, without],
        });
    }
    Ok(played)
}

/// The first candidate of a game in which the preferred move is banned, with that move.
fn first_met<E: Evaluator>(
    candidates: Vec<Candidate>,
    evaluator: &mut E,
) -> Result<Option<(Candidate, Move)>, EvaluatorError> {
    let free: Vec<&Position> = candidates.iter().map(|candidate| &candidate.free).collect();
    if free.is_empty() {
        return Ok(None);
    }
    let preferred: Vec<Option<Move>> =
        evaluator.evaluate(&free)?.iter().map(|evaluation| evaluation.likeliest()).collect();
    Ok(candidates.into_iter().zip(preferred).find_map(|(candidate, preferred)| {
        let preferred = preferred?;
        let is_banned = candidate.banned.iter().any(|&(banned, _)| banned == preferred);
        is_banned.then_some((candidate, preferred))
    }))
}

/// Plays every position to the end of the game.
fn play_on<E: Evaluator>(
    starts: impl Iterator<Item = Position>,
    simulations: u32,
    evaluator: &mut E,
) -> Result<Vec<Continuation>, EvaluatorError> {
    let mut games: Vec<(Position, Vec<Move>)> = starts.map(|start| (start, Vec::new())).collect();
    loop {
        let mut running: Vec<&mut (Position, Vec<Move>)> =
            games.iter_mut().filter(|(position, _)| position.outcome().is_none()).collect();
        if running.is_empty() {
            break;
        }
        let positions = running.iter().map(|(position, _)| position.clone());
        let searches = search_all(positions, simulations, evaluator)?;
        for ((position, moves), search) in running.iter_mut().zip(searches) {
            let chosen = search.result().choose(position, 0.0, 0.0);
            position.play_unchecked(chosen);
            moves.push(chosen);
        }
    }
    let ended = games.into_iter().filter_map(|(position, moves)| {
        let result = position.outcome()?.result;
        Some(Continuation { moves, result })
    });
    Ok(ended.collect())
}

#[cfg(test)]
mod tests {
    use arena::PlayoutEvaluator;
    use engine::{Rules, Variant};
    use search::Evaluation;
    use search::evaluators::Scripted;

    use super::*;
    use crate::test_positions::games;

    /// The games continue from the original's position, with the ban and without, and it is the
    /// first such position.
    #[test]
    fn continuations_are_legal_games() {
        let mut all = 0;
        for variant in Variant::ALL {
            let rules = variant.rules(4).expect("rules");
            let mut evaluator = Scripted { seed: 3 };
            let games = games(rules, 30);
            let played = rule_ablations(&games, &rules.distinctive_parts(), 4, &mut evaluator)
                .expect("answers");
            assert!(played.is_sorted_by_key(|one| one.game), "{variant}");
            for one in &played {
                let mut position = Position::new(rules);
                for &earlier in &games[one.game].moves[..one.turn] {
                    position.play(earlier).expect("a legal move");
                }
                assert_eq!(position.turn(), one.player);
                assert!(position.check_move(one.preferred).is_err(), "{variant}");
                let part = rules.distinctive_parts().into_iter().find(|part| part.name == one.part);
                let free = position.under(part.expect("a part").without).expect("the stones");
                free.check_move(one.preferred).expect("legal without the part");
                for (mut position, continuation) in
                    [position, free].into_iter().zip(&one.continuations)
                {
                    continuation.moves.iter().for_each(|&next| {
                        position.play(next).expect("a legal move");
                    });
                    let outcome = position.outcome().expect("the end");
                    assert_eq!(outcome.result, continuation.result);
                }
            }
            assert_eq!(ablation_pairs(&played).pairs() as usize, played.len());
            let again = rule_ablations(&games, &rules.distinctive_parts(), 4, &mut evaluator)
                .expect("answers");
            assert_eq!(ablation_pairs(&again), ablation_pairs(&played), "{variant}: equal games");
            all += played.len();
        }
        assert!(all > 20, "{all}");
    }

    /// The rules alone, with a preference for one move.
    struct Prefers(Move);

    impl Evaluator for Prefers {
        fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
            let mut evaluations = PlayoutEvaluator::default().evaluate(batch)?;
            for Evaluation { policy, .. } in &mut evaluations {
                if policy.iter().any(|(played, _)| *played == self.0) {
                    let more = |played| if played == self.0 { 0.5 } else { 0.0 };
                    policy
                        .iter_mut()
                        .for_each(|(played, prior)| *prior = *prior / 2.0 + more(*played));
                }
            }
            Ok(evaluations)
        }
    }

    /// White would win by the capture that is forbidden, as the solver knows.
    #[test]
    fn a_ban_that_loses_the_game_costs_all_of_it() {
        let mut game = game::Game::new(Rules::parse("nogo", 3).expect("rules"));
        for text in "B1 B2 A3 C1 C3 B3 A1".split(' ') {
            game.play(text.parse().expect(text)).expect("a legal move");
        }
        let end = game::GameEnd::resigned(Color::Black);
        let game = MatchGame::new(&game, end, 0, Default::default());
        let capture: Move = "A1".parse().expect("a move");
        let parts = game.rules.distinctive_parts();
        let played =
            rule_ablations(&[game], &parts, 1_000, &mut Prefers(capture)).expect("answers");
        let [one] = &played[..] else { panic!("one position: {played:?}") };
        assert_eq!((one.turn, one.player, one.preferred), (5, Color::White, capture));
        assert_eq!(one.part, "the ban on captures");
        let results = one.continuations.each_ref().map(|continuation| continuation.result);
        assert_eq!(results, [Color::Black, Color::White].map(GameResult::Won));
        assert_eq!(one.half_points(), 4);
    }
}
