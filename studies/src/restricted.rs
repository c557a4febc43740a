//! What the use of a rule is worth: a player who may not use what sets the rules apart plays one
//! who may.

use arena::{MatchError, MatchGame, Openings, PLAYERS, Pentanomial};
use engine::{Color, Move, Position, Rules};
use game::Game;
use search::{Evaluation, Evaluator, EvaluatorError, LEAVES_AT_ONCE, Policy, Search, Settings};

use crate::agent::{NAME, agent_settings, failure};
use crate::own_rule::moves_without_own_rule;

/// Number of pairs of games in progress at the same time.
const PAIRS_AT_ONCE: usize = 128;

/// The prior of a move that may not be used: so small that a search visits it only if every other
/// move is proven. A search cannot work with 0.
const WITHHELD: f32 = 1e-30;

/// The size of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RestrictedPlan {
    /// Number of pairs of games, each from its own opening with the colours swapped.
    pub pairs: usize,
    /// Simulations per move.
    pub simulations: u32,
    /// Seed of the openings.
    pub seed: u64,
}

/// Plays a match between the agent and a player who may not use what sets the rules apart (see
/// [`crate::own_rule_moves`]). Returns the pairs by the points of the unrestricted player. The
/// restricted player never plays such a move unless only a pass is left, and its search expects no
/// such move of itself. The other player does not know about the restriction. Openings are drawn
/// from the policy and may contain such moves by both players. Equal plans and evaluators give
/// equal matches.
///
/// # Errors
/// The errors of a match.
pub(crate) fn restricted_play<E: Evaluator>(
    rules: Rules,
    plan: &RestrictedPlan,
    evaluator: &mut E,
) -> Result<Pentanomial, MatchError> {
    let mut pairs = Pentanomial::default();
    for pair in play_games(rules, plan, evaluator)?.chunks_exact(PLAYERS) {
        let points = |game: &RestrictedGame| game.record.half_points(game.restricted.opponent());
        pairs.add(pair.iter().map(points).sum());
    }
    Ok(pairs)
}

/// A game in which one player may not use what sets the rules apart.
#[derive(Debug, PartialEq)]
struct RestrictedGame {
    record: MatchGame,
    /// The player who may not.
    restricted: Color,
}

/// The games of a match pair by pair; in each pair, first the one in which White is restricted.
fn play_games<E: Evaluator>(
    rules: Rules,
    plan: &RestrictedPlan,
    evaluator: &mut E,
) -> Result<Vec<RestrictedGame>, MatchError> {
    let openings =
        Openings::from_policy(rules, plan.pairs, plan.seed, evaluator).map_err(failure)?;
    if openings.lines.is_empty() {
        return Err(MatchError::NoOpening { plies: openings.plies });
    }
    let mut games = Vec::new();
    for lines in openings.lines.chunks(PAIRS_AT_ONCE) {
        let mut running = Vec::new();
        for line in lines {
            for restricted in [Color::White, Color::Black] {
                running.push(Running::new(rules, line, restricted)?);
            }
        }
        while running.iter().any(|game| game.game.end().is_none()) {
            take_turns(&mut running, None, plan.simulations, evaluator)?;
            for color in Color::BOTH {
                take_turns(&mut running, Some(color), plan.simulations, evaluator)?;
            }
        }
        games.extend(running.into_iter().filter_map(Running::finished));
    }
    Ok(games)
}

/// A game in progress.
struct Running {
    game: Game,
    opening_plies: usize,
    restricted: Color,
}

impl Running {
    fn new(rules: Rules, opening: &[Move], restricted: Color) -> Result<Running, MatchError> {
        let (game, opening_plies) = (Game::new(rules), opening.len());
        let mut running = Running { game, opening_plies, restricted };
        opening.iter().try_for_each(|&played| running.play(played))?;
        Ok(running)
    }

    fn play(&mut self, played: Move) -> Result<(), MatchError> {
        let illegal = |source| MatchError::Illegal { player: NAME.to_owned(), played, source };
        self.game.play(played).map_err(illegal)
    }

    /// The colour of the restricted player, if it is that player's turn.
    fn restricted_to_move(&self) -> Option<Color> {
        (self.game.position().turn() == self.restricted).then_some(self.restricted)
    }

    fn search(&self, settings: Settings) -> Search {
        let position = self.game.position();
        let search = Search::new(position.clone(), settings, 0);
        match self.restricted_to_move() {
            Some(_) => search.with_allowed_moves(moves_without_own_rule(position)),
            None => search,
        }
    }

    fn finished(self) -> Option<RestrictedGame> {
        let end = self.game.end()?;
        let names = Color::BOTH.map(|color| match color == self.restricted {
            true => "restricted".to_owned(),
            false => "unrestricted".to_owned(),
        });
        Some(RestrictedGame {
            record: MatchGame::new(&self.game, end, self.opening_plies, names),
            restricted: self.restricted,
        })
    }
}

/// Plays a move in each game in which it is the turn of the restricted player of this colour, or of
/// an unrestricted player.
fn take_turns<E: Evaluator>(
    running: &mut [Running],
    restricted: Option<Color>,
    simulations: u32,
    evaluator: &mut E,
) -> Result<(), MatchError> {
    let mut games: Vec<&mut Running> = running
        .iter_mut()
        .filter(|game| game.game.end().is_none() && game.restricted_to_move() == restricted)
        .collect();
    let mut searches: Vec<Search> =
        games.iter().map(|game| game.search(agent_settings(simulations))).collect();
    match restricted {
        None => search::run_batched(&mut searches, evaluator, LEAVES_AT_ONCE),
        Some(color) => {
            let mut withholding = Withholding { inner: evaluator, color };
            search::run_batched(&mut searches, &mut withholding, LEAVES_AT_ONCE)
        }
    }
    .map_err(failure)?;
    games.iter_mut().zip(searches).try_for_each(|(game, search)| {
        let chosen = search.result().choose(game.game.position(), 0.0, 0.0);
        game.play(chosen)
    })
}

/// An evaluator that expects one player to make no move that uses what sets the rules apart.
struct Withholding<E> {
    inner: E,
    color: Color,
}

impl<E: Evaluator> Withholding<E> {
    fn withhold(&self, position: &Position, policy: &mut Policy) {
        if position.turn() != self.color {
            return;
        }
        let allowed = moves_without_own_rule(position);
        if allowed.len() == policy.len() {
            return;
        }
        let is_allowed = |played: &Move| allowed.contains(played);
        let sum: f32 =
            policy.iter().filter(|(played, _)| is_allowed(played)).map(|(_, prior)| prior).sum();
        for (played, prior) in policy {
            *prior = match is_allowed(played) {
                false => WITHHELD,
                true if sum > WITHHELD => *prior / sum,
                true => 1.0 / allowed.len() as f32,
            };
        }
    }
}

impl<E: Evaluator> Evaluator for Withholding<E> {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut evaluations = self.inner.evaluate(batch)?;
        for (position, evaluation) in batch.iter().zip(&mut evaluations) {
            self.withhold(position, &mut evaluation.policy);
        }
        Ok(evaluations)
    }
}

#[cfg(test)]
mod tests {
    use arena::PlayoutEvaluator;
    use engine::Variant;
    use search::evaluators::{Scripted, Uniform};

    use super::*;
    use crate::own_rule::own_rule_moves;

    const PLAN: RestrictedPlan = RestrictedPlan { pairs: 4, simulations: 8, seed: 1 };

    /// Checks that the restricted player of a game uses the rule only where nothing but a pass is
    /// left. Returns how often the other player uses it, and how often it is withheld from the
    /// restricted one.
    fn check(rules: Rules, game: &RestrictedGame) -> [usize; 2] {
        let mut position = Position::new(rules);
        let [mut used, mut withheld] = [0; 2];
        for (turn, &played) in game.record.moves.iter().enumerate() {
            let using = own_rule_moves(&position);
            let uses = using.contains(&played);
            if turn < game.record.opening_plies {
            } else if position.turn() != game.restricted {
                used += usize::from(uses);
            } else if uses {
                let others = position.legal_moves().to_vec();
                let mut others = others.iter().filter(|other| !using.contains(other));
                assert!(others.all(|&other| other == Move::Pass), "{rules}: turn {turn}");
            } else {
                withheld += usize::from(!using.is_empty());
            }
            position.play(played).expect("a legal move");
        }
        assert!(position.outcome().is_some());
        [used, withheld]
    }

    #[test]
    fn the_restricted_player_does_not_use_the_rule() {
        let mut all = [0; 2];
        for variant in Variant::ALL {
            let rules = variant.rules(4).expect("rules");
            let mut evaluator = Scripted { seed: 5 };
            let games = play_games(rules, &PLAN, &mut evaluator).expect("a match");
            assert_eq!(games.len(), 8, "{variant}");
            for pair in games.chunks_exact(2) {
                let plies = pair[0].record.opening_plies;
                assert_eq!(pair[0].record.moves[..plies], pair[1].record.moves[..plies]);
                assert_eq!([pair[0].restricted, pair[1].restricted], [Color::White, Color::Black]);
                for game in pair {
                    let counts = check(rules, game);
                    all = [all[0] + counts[0], all[1] + counts[1]];
                }
            }
            let again = play_games(rules, &PLAN, &mut evaluator).expect("a match");
            assert_eq!(again, games, "{variant}: equal plans");
        }
        assert!(all.iter().all(|&count| count > 100), "{all:?}");
    }

    /// Whoever may not capture loses, and so does whoever may not conquer; a ban that never applies
    /// is worth nothing.
    #[test]
    fn what_is_worth_something_wins() {
        let share = |rules: &str, size| {
            let plan = RestrictedPlan { pairs: 8, simulations: 8, seed: 2 };
            let rules = Rules::parse(rules, size).expect("rules");
            let pairs =
                restricted_play(rules, &plan, &mut PlayoutEvaluator::default()).expect("a match");
            assert_eq!(pairs.pairs(), 8, "{rules}");
            pairs.score_estimate()
        };
        for (rules, size) in [("go,komi=0", 4), ("conquest", 4)] {
            let found = share(rules, size);
            assert!(found.low > 0.5, "{rules}: {found:?}");
        }
        // Nothing sets off this ban, so the games of a pair are the same.
        assert_eq!(share("go,captures=forbidden", 4).value, 0.5);
    }

    #[test]
    fn withheld_moves_lose_their_probability() {
        let rules = Rules::parse("stoical", 3).expect("rules");
        let mut position = Position::new(rules);
        for text in ["B1", "A1", "C3", "C1"] {
            position.play(text.parse().expect(text)).expect("a legal move");
        }
        for (color, is_withheld) in [(Color::Black, true), (Color::White, false)] {
            let mut evaluator = Withholding { inner: Uniform, color };
            let said = evaluator.evaluate(&[&position]).expect("an answer");
            said[0].check(&position).expect("an evaluation");
            for &(played, prior) in &said[0].policy {
                let captures = ["A2", "C2"].contains(&played.to_string().as_str());
                assert_eq!(prior < 1e-6, captures && is_withheld, "{played}: {prior}");
            }
        }
    }
}
