//! Positions of games where a ban decides: the rules forbid the move that the same rules without
//! the ban would call for. Also measures what that costs.

use arena::{BoardKey, MatchGame, stones_up_to_symmetry};
use engine::{DistinctivePart, IllegalMove, Move, Position, Rules};
use search::{Evaluator, EvaluatorError, Search};

use crate::agent::search_all;
use crate::observe::chance;

/// What to look for, and how hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisiveBanPlan {
    /// Number of positions to find.
    pub count: usize,
    /// Number of positions to search: those whose banned moves the policy likes best.
    pub candidates: usize,
    /// Simulations of each search.
    pub simulations: u32,
}

/// A position in which a ban decides.
#[derive(Debug, Clone)]
pub struct DecisiveBan {
    /// The index of the game.
    pub game: usize,
    /// Turns before the position.
    pub turn: usize,
    /// The position.
    pub position: Position,
    /// The part of the rules that forbids the move, named as it follows the word "without".
    pub part: &'static str,
    /// The same rules without the part.
    pub without: Rules,
    /// The move that a search without the part chooses, and that the part forbids.
    pub wanted: Move,
    /// Why it is forbidden.
    pub reason: IllegalMove,
    /// The winning probability of the player to move with the ban and without it, by the searches.
    pub chances: [f64; 2],
    /// The principal variation with the ban, beginning with the player's best move.
    pub instead: Vec<Move>,
    /// The principal variation without the ban, beginning with the wanted move.
    pub continuation: Vec<Move>,
}

impl DecisiveBan {
    /// By how much the ban lowers the winning probability of the player to move. A search is no
    /// proof, so it may be negative.
    pub fn cost(&self) -> f64 {
        let [with, without] = self.chances;
        without - with
    }
}

/// The positions of games in which a ban costs the player to move the most, at most one from each
/// game and without duplicates, in order of the cost.
///
/// A candidate is a position in which the rules forbid a placement that the same rules without one
/// of `parts`, some of their own ([`Rules::distinctive_parts`]), allow with the same stones and
/// history. The `candidates` positions whose banned moves have the largest total probability
/// without the part are searched with it and without it. If the search without it chooses a banned
/// move, the ban decides. Rules whose parts forbid no placement have no such positions: Conquest,
/// Alter Igo, and Go, whose repetition rule is not a part of its own. The evaluator must know the
/// rules with and without each part.
///
/// ```
/// use arena::MatchGame;
/// use engine::Rules;
/// use game::Game;
/// use search::evaluators::Uniform;
/// use studies::{DecisiveBanPlan, decisive_bans};
///
/// // White throws in at A1, and Black may not take after White's capture.
/// let rules = Rules::parse("stoical", 5)?;
/// let mut game = Game::new(rules);
/// for played in "A3 A2 B3 B2 C3 C2 D2 C1 D1 pass A1 B1 pass pass".split(' ') {
///     game.play(played.parse()?)?;
/// }
/// let game = MatchGame::new(&game, game.end().expect("two passes"), 0, Default::default());
/// let plan = DecisiveBanPlan { count: 10, candidates: 100, simulations: 500 };
/// let found = decisive_bans(&[game], &rules.distinctive_parts(), &plan, &mut Uniform)?;
/// assert!(found.iter().all(|one| one.continuation[0] == one.wanted));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The evaluator's first error.
pub fn decisive_bans<E: Evaluator>(
    games: &[MatchGame],
    parts: &[DistinctivePart],
    plan: &DecisiveBanPlan,
    evaluator: &mut E,
) -> Result<Vec<DecisiveBan>, EvaluatorError> {
    let mut candidates = Vec::new();
    for (number, game) in games.iter().enumerate() {
        candidates.extend(weighed(candidates_of(number, game, parts), evaluator)?);
        keep_largest(&mut candidates, plan.candidates);
    }
    let searched = search_both(candidates, plan.simulations, evaluator)?;
    let mut found: Vec<DecisiveBan> = searched.into_iter().flatten().collect();
    found.sort_by(|one, other| other.cost().total_cmp(&one.cost()));
    let mut known: Vec<(usize, BoardKey)> = Vec::new();
    found.retain(|one| {
        let key = stones_up_to_symmetry(&one.position);
        let is_new = known.iter().all(|(game, other)| *game != one.game && *other != key);
        if is_new {
            known.push((one.game, key));
        }
        is_new
    });
    found.truncate(plan.count);
    Ok(found)
}

/// A position with banned moves that a search might want.
pub(crate) struct Candidate {
    /// The number of the game.
    pub game: usize,
    /// Turns before the position.
    pub turn: usize,
    /// The position.
    pub position: Position,
    /// The part of the rules that forbids something in it.
    pub part: &'static str,
    /// The same position under the rules without the part.
    pub free: Position,
    /// What the part forbids, and why it is illegal.
    pub banned: Vec<(Move, IllegalMove)>,
    /// The total probability of the banned moves without the part.
    weight: f32,
}

/// Every position of a game, with each of the parts that forbids something in it, in order of
/// turns.
pub(crate) fn candidates_of(
    number: usize,
    game: &MatchGame,
    parts: &[DistinctivePart],
) -> Vec<Candidate> {
    let positions = game.positions();
    let mut candidates = Vec::new();
    for (turn, position) in positions.iter().take(game.moves.len()).enumerate() {
        for part in parts {
            let Ok(free) = position.under(part.without) else { continue };
            let banned: Vec<(Move, IllegalMove)> = (position.banned_points() & free.legal_points())
                .iter()
                .map(Move::Place)
                .filter_map(|placed| Some((placed, position.check_move(placed).err()?)))
                .collect();
            if !banned.is_empty() {
                candidates.push(Candidate {
                    game: number,
                    turn,
                    position: position.clone(),
                    part: part.name,
                    free,
                    banned,
                    weight: 0.0,
                });
            }
        }
    }
    candidates
}

/// Asks the evaluator for the probability of the banned moves.
fn weighed<E: Evaluator>(
    mut candidates: Vec<Candidate>,
    evaluator: &mut E,
) -> Result<Vec<Candidate>, EvaluatorError> {
    let free: Vec<&Position> = candidates.iter().map(|candidate| &candidate.free).collect();
    if free.is_empty() {
        return Ok(candidates);
    }
    let policies = evaluator.policies(&free)?;
    for (candidate, policy) in candidates.iter_mut().zip(policies) {
        let is_banned = |played: &Move| candidate.banned.iter().any(|(banned, _)| banned == played);
        candidate.weight =
            policy.iter().filter(|(played, _)| is_banned(played)).map(|(_, prior)| prior).sum();
    }
    Ok(candidates)
}

/// Keeps the candidates with the largest weights; of equal ones, the earlier.
fn keep_largest(candidates: &mut Vec<Candidate>, count: usize) {
    candidates.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    candidates.truncate(count);
}

/// Searches each candidate with the part and without it; `None` where the search without it does
/// not want a banned move.
fn search_both<E: Evaluator>(
    candidates: Vec<Candidate>,
    simulations: u32,
    evaluator: &mut E,
) -> Result<Vec<Option<DecisiveBan>>, EvaluatorError> {
    let positions = candidates
        .iter()
        .flat_map(|candidate| [candidate.position.clone(), candidate.free.clone()]);
    let searches = search_all(positions, simulations, evaluator)?;
    let both = candidates.into_iter().zip(searches.chunks_exact(2));
    Ok(both.map(|(candidate, searches)| judged(candidate, searches)).collect())
}

fn judged(candidate: Candidate, searches: &[Search]) -> Option<DecisiveBan> {
    let [with, without] = searches else { return None };
    let wanted = without.result().best;
    let &(_, reason) = candidate.banned.iter().find(|(banned, _)| *banned == wanted)?;
    let sign = candidate.position.turn().sign();
    Some(DecisiveBan {
        game: candidate.game,
        turn: candidate.turn,
        part: candidate.part,
        without: *candidate.free.rules(),
        wanted,
        reason,
        chances: [with, without].map(|search| chance(search.result().root_value * sign)),
        instead: with.state().principal_variation(),
        continuation: without.state().principal_variation(),
        position: candidate.position,
    })
}

#[cfg(test)]
mod tests {
    use arena::PlayoutEvaluator;
    use engine::{Color, GameResult, Variant};
    use search::evaluators::{Scripted, Uniform};

    use super::*;
    use crate::test_positions::games;

    fn record(rules: &str, size: usize, moves: &str) -> MatchGame {
        let mut game = game::Game::new(Rules::parse(rules, size).expect("rules"));
        for text in moves.split(' ') {
            game.play(text.parse().expect(text)).expect("a legal move");
        }
        let end = game.end().unwrap_or(game::GameEnd::resigned(Color::Black));
        MatchGame::new(&game, end, 0, Default::default())
    }

    const PLAN: DecisiveBanPlan = DecisiveBanPlan { count: 10, candidates: 50, simulations: 1_000 };

    /// The search agrees with the solver, with the ban and without it.
    #[test]
    fn a_ban_that_loses_the_game_is_found() {
        let moves = "B1 B2 A3 C1 C3 B3 A1";
        let game = record("nogo", 3, moves);
        let found = decisive_bans(
            std::slice::from_ref(&game),
            &game.rules.distinctive_parts(),
            &PLAN,
            &mut Uniform,
        )
        .expect("answers");
        let [one] = &found[..] else { panic!("one position: {found:?}") };
        assert_eq!((one.game, one.turn, one.part), (0, 5, "the ban on captures"));
        assert_eq!(one.reason, IllegalMove::CaptureForbidden);
        assert_eq!((one.chances, one.cost()), ([0.0, 1.0], 1.0));
        assert_eq!(one.continuation.first(), Some(&one.wanted));
        let solved = |rules| {
            let solved = solver::Solver::new(rules).solve(&game.moves[..5]).expect("a small board");
            (solved.value.result(), solved.best)
        };
        let (with, instead) = solved(game.rules);
        let (without, wanted) = solved(one.without);
        assert_eq!(with, GameResult::Won(Color::Black));
        assert_eq!(without, GameResult::Won(Color::White));
        assert!(wanted.contains(&one.wanted) && instead.contains(&one.instead[0]));
    }

    #[test]
    fn a_ban_on_a_capture_costs_something() {
        let moves = "B1 A2 C2 B3 C1 A3 A1 pass B2 pass C3 pass A2 B3 A3 pass pass";
        let game = record("stoical", 3, moves);
        let parts = game.rules.distinctive_parts();
        let found = decisive_bans(&[game], &parts, &PLAN, &mut PlayoutEvaluator::default())
            .expect("answers");
        let [one] = &found[..] else { panic!("one position: {found:?}") };
        assert_eq!((one.turn, one.wanted.to_string().as_str()), (15, "B3"));
        assert_eq!(one.reason, IllegalMove::StoicalCapture);
        assert!(one.cost() > 0.1, "{:?}", one.chances);
    }

    /// Whatever is found is really banned and wanted; something is found wherever a part forbids
    /// anything.
    #[test]
    fn what_is_found_is_banned_and_wanted() {
        let plan = DecisiveBanPlan { count: 5, candidates: 60, simulations: 16 };
        let (mut all, mut silent) = (0, 0);
        for variant in Variant::ALL {
            let rules = variant.rules(4).expect("rules");
            let mut evaluator = Scripted { seed: 3 };
            let games = games(rules, 30);
            let found = decisive_bans(&games, &rules.distinctive_parts(), &plan, &mut evaluator)
                .expect("answers");
            assert!(found.len() <= 5);
            assert!(found.is_sorted_by(|one, other| one.cost() >= other.cost()), "{variant}");
            for one in &found {
                let mut position = Position::new(rules);
                for &played in &games[one.game].moves[..one.turn] {
                    position.play(played).expect("a legal move");
                }
                assert_eq!(position.hash(), one.position.hash(), "{variant}");
                assert_eq!(position.check_move(one.wanted), Err(one.reason), "{variant}");
                let mut free = position.under(one.without).expect("the same stones");
                for &played in &one.continuation {
                    free.play(played).expect("a legal line");
                }
                for &played in &one.instead {
                    position.play(played).expect("a legal line");
                }
                assert!(one.chances.iter().all(|chance| (0.0..=1.0).contains(chance)));
            }
            let bans = rules.possible_bans().len();
            let has_ban = rules
                .distinctive_parts()
                .iter()
                .any(|part| bans > part.without.possible_bans().len());
            assert!(has_ban || found.is_empty(), "{variant}");
            all += found.len();
            silent += usize::from(has_ban && found.is_empty());
        }
        assert!(all > 20, "{all}");
        assert!(silent <= 2, "only cushions and hot stones may forbid nothing that Go allows");
    }

    #[test]
    fn go_and_conquest_have_no_such_positions() {
        for (rules, moves) in [("go", "C3 D3 pass pass"), ("conquest", "A1 B2 C3")] {
            let game = record(rules, 5, moves);
            let parts = game.rules.distinctive_parts();
            let found = decisive_bans(&[game], &parts, &PLAN, &mut Uniform).expect("answers");
            assert!(found.is_empty());
        }
    }
}
