//! Observations of a game, turn by turn.

use engine::{Color, GameResult, IllegalMove, Move, Position, Symmetry};
use game::EndReason;
use search::{Evaluation, Evaluator, EvaluatorError, winrate};

use arena::{MatchGame, SelfPlayedGame};

use crate::events::{BannedPlacement, Events};

/// A game is decided while the absolute value exceeds this.
const DECIDED: f32 = 0.9;

/// A player leads while the value in that player's favour exceeds this.
const LEAD: f32 = 0.1;

/// A winner whose value was once below this came back.
const BEHIND: f32 = -0.5;

/// Observations of one game.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ObservedGame {
    /// All turns, normalised by symmetry: equal for copies of a game.
    pub(crate) turns_taken: Vec<Move>,
    /// Black's share of the points.
    pub(crate) black: f64,
    /// Black's points minus White's before komi, if the score decided.
    pub(crate) margin: Option<f64>,
    /// What ended it.
    pub(crate) end: EndReason,
    /// Turns, including those of the opening; each stone of a turn of several counts as one.
    pub(crate) turns: usize,
    /// Whether the winner had the larger area after half of the turns; `None` in drawn games and if
    /// neither player had.
    pub(crate) larger_area: Option<bool>,
    /// Number of stones of either colour that were removed; `None` where none can be, or that is not
    /// a capture.
    pub(crate) captured: Option<usize>,
    /// Number of legal moves, by turn.
    pub(crate) legal: Vec<f64>,
    /// Mean over turns of the exponential of the policy's entropy: the effective number of moves.
    pub(crate) effective: f64,
    /// Fraction of turns in which each ban of the rules forbids a point, in the order of
    /// [`Rules::possible_bans`].
    pub(crate) bans: Vec<f64>,
    /// Fraction of turns in which any ban does.
    pub(crate) banned: f64,
    /// Fraction of turns in which a ban forbids the move that would be preferred without memory of
    /// earlier turns; `None` where no ban looks back at them.
    pub(crate) wanted: Option<f64>,
    /// How the chances developed.
    pub(crate) trajectory: Trajectory,
    /// Black's winning probability before each turn after the opening, by the agent's search.
    pub(crate) chances: Vec<f64>,
    /// What happened because of the rules.
    pub(crate) events: Events,
}

/// The course of a game from the end of the opening on, as evaluated by the agent's searches.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trajectory {
    /// Black's winning probability after the opening.
    pub(crate) beginning: f64,
    /// The turn from which the win was never in doubt; `None` in drawn games and those open until
    /// the last turn.
    pub(crate) decided: Option<usize>,
    /// Number of changes of the lead.
    pub(crate) lead_changes: usize,
    /// Mean absolute change of Black's winning probability per turn.
    pub(crate) volatility: f64,
    /// By how much the winner's probability was below the loser's, averaged over the turns in which
    /// it was; `None` in drawn games.
    pub(crate) drama: Option<f64>,
    /// Whether the winner's probability was ever below a quarter; `None` in drawn games.
    pub(crate) comeback: Option<bool>,
}

impl ObservedGame {
    /// Observes every position of a game.
    pub(crate) fn observe<E: Evaluator>(
        played: &SelfPlayedGame,
        evaluator: &mut E,
    ) -> Result<ObservedGame, EvaluatorError> {
        let SelfPlayedGame { game, values } = played;
        let positions = game.positions();
        let captured = removed_stones(&positions, &game.moves);
        let events = Events::between(&positions, &game.moves);
        let larger_area = game.end.result.winner().and_then(|winner| {
            let leader = larger_area(&positions[game.moves.len() / 2])?;
            Some(winner == leader)
        });
        let positions: Vec<Position> =
            positions.into_iter().filter(|position| position.outcome().is_none()).collect();
        let said = evaluator.evaluate(&positions.iter().collect::<Vec<_>>())?;
        let bans = game.rules.possible_bans();
        // One part for each turn in which something is banned.
        let of_one_turn = |one: &BannedPlacement, next: &BannedPlacement| one.turn == next.turn;
        let banned: Vec<&[BannedPlacement]> =
            events.bans.as_deref().unwrap_or_default().chunk_by(of_one_turn).collect();
        let share = |counts: &dyn Fn(&[BannedPlacement]) -> bool| {
            let counted = banned.iter().filter(|turn| counts(turn)).count();
            counted as f64 / positions.len().max(1) as f64
        };
        // A ban on captures also holds without memory, so that none is preferred there.
        let looks_back = |&name: &&str| Some(name) != IllegalMove::CaptureForbidden.ban();
        let wanted = match bans.iter().any(looks_back) {
            true => Some(wanted_bans(&positions, &banned, evaluator)?),
            false => None,
        };
        let effective = said.iter().map(effective_moves).sum::<f64>() / said.len().max(1) as f64;
        Ok(ObservedGame {
            turns_taken: up_to_symmetry(game),
            black: game.half_points(Color::Black) as f64 / 2.0,
            margin: margin(game),
            end: game.end.reason,
            turns: game.moves.len(),
            larger_area,
            captured: game.rules.takes_strings().then_some(captured),
            legal: said.iter().map(|evaluation| evaluation.policy.len() as f64).collect(),
            effective,
            bans: bans
                .iter()
                .map(|&name| share(&|turn| turn.iter().any(|ban| ban.reason.ban() == Some(name))))
                .collect(),
            banned: share(&|_| true),
            wanted,
            trajectory: Trajectory::of(game, values),
            chances: values.iter().copied().map(chance).collect(),
            events,
        })
    }
}

/// See [`ObservedGame::margin`].
fn margin(game: &MatchGame) -> Option<f64> {
    let score = game.score.filter(|_| game.end.reason.is_by_score())?;
    Some(f64::from(score + game.rules.komi.value()))
}

/// Who has more stones plus points that touch only that player's stones; in Conquest, stones plus
/// owned points.
fn larger_area(position: &Position) -> Option<Color> {
    let [black, white] = position.area().map(|points| points.count() as f32);
    GameResult::of_score(black - white).winner()
}

/// All turns, normalised so that games related by a symmetry of the board are equal.
fn up_to_symmetry(game: &MatchGame) -> Vec<Move> {
    let size = game.rules.size;
    let turns = |symmetry: &Symmetry| -> Vec<Move> {
        game.moves.iter().map(|&played| symmetry.map_move(played, size)).collect()
    };
    Symmetry::of(size).iter().map(turns).min().unwrap_or_default()
}

/// How many stones these moves removed; `positions` are those before the first move and after each.
fn removed_stones(positions: &[Position], moves: &[Move]) -> usize {
    let stones = |position: &Position| -> usize {
        Color::BOTH.map(|color| position.stones(color).count()).into_iter().sum()
    };
    let removed = |(around, played): (&[Position], &Move)| {
        let placed = usize::from(played.point().is_some());
        (stones(&around[0]) + placed).saturating_sub(stones(&around[1]))
    };
    positions.windows(2).zip(moves).map(removed).sum()
}

/// The fraction of positions in which a ban hits the move that the network prefers with the same
/// stones set up by hand, where no rule depends on earlier turns. `banned` has a part for each
/// position in which something is banned.
fn wanted_bans<E: Evaluator>(
    positions: &[Position],
    banned: &[&[BannedPlacement]],
    evaluator: &mut E,
) -> Result<f64, EvaluatorError> {
    let free: Vec<(Position, &[BannedPlacement])> = banned
        .iter()
        .filter_map(|&bans| Some((without_memory(&positions[bans[0].turn])?, bans)))
        .collect();
    if free.is_empty() {
        return Ok(0.0);
    }
    let said =
        evaluator.evaluate(&free.iter().map(|(position, _)| position).collect::<Vec<_>>())?;
    let hits = free.iter().zip(&said).filter(|((_, bans), evaluation)| {
        let likeliest = evaluation.likeliest();
        bans.iter().any(|ban| Some(Move::Place(ban.point)) == likeliest)
    });
    Ok(hits.count() as f64 / positions.len() as f64)
}

/// The same stones under the same rules without history; `None` if that is not a playable position.
fn without_memory(position: &Position) -> Option<Position> {
    let [black, white] = Color::BOTH.map(|color| *position.stones(color));
    let free = Position::with_stones(*position.rules(), black, white, position.turn()).ok()?;
    free.outcome().is_none().then_some(free)
}

fn effective_moves(evaluation: &Evaluation) -> f64 {
    let entropy: f64 = evaluation
        .policy
        .iter()
        .map(|&(_, prior)| f64::from(prior))
        .filter(|&prior| prior > 0.0)
        .map(|prior| -prior * prior.ln())
        .sum();
    entropy.exp()
}

/// Black's winning probability for a value.
pub(crate) fn chance(value: f32) -> f64 {
    winrate(value, Color::Black).into()
}

impl Trajectory {
    /// `values` are those of all positions from the end of the opening to the last turn.
    fn of(game: &MatchGame, values: &[f32]) -> Trajectory {
        let leads: Vec<f32> = values.iter().copied().filter(|value| value.abs() > LEAD).collect();
        let changes = values.windows(2).map(|pair| (chance(pair[1]) - chance(pair[0])).abs());
        // From the winner's perspective.
        let winner: Option<Vec<f32>> = game
            .end
            .result
            .winner()
            .map(|winner| values.iter().map(|value| value * winner.sign()).collect());
        Trajectory {
            beginning: chance(values.first().copied().unwrap_or_default()),
            decided: winner.as_ref().and_then(|values| {
                let doubtful = values.iter().rposition(|&value| value <= DECIDED);
                let from = doubtful.map_or(0, |turn| turn + 1);
                (from < values.len()).then_some(game.opening_plies + from)
            }),
            lead_changes: leads.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count(),
            volatility: changes.sum::<f64>() / values.len().saturating_sub(1).max(1) as f64,
            drama: winner.as_ref().map(|values| {
                let behind: Vec<f64> =
                    values.iter().filter(|&&value| value < 0.0).map(|&v| f64::from(-v)).collect();
                behind.iter().sum::<f64>() / behind.len().max(1) as f64
            }),
            comeback: winner.map(|values| values.iter().any(|&value| value < BEHIND)),
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::{Reason, Rules, Variant};
    use game::{Game, GameEnd};
    use search::evaluators::Uniform;

    use super::*;
    use search::Random;

    fn record(rules: Rules, moves: Vec<Move>) -> MatchGame {
        let mut game = Game::new(rules);
        moves.iter().for_each(|&played| game.play(played).expect("a legal move"));
        let names = ["a".to_owned(), "b".to_owned()];
        MatchGame::new(&game, game.end().expect("a finished game"), 0, names)
    }

    fn random_game(rules: Rules, random: &mut Random) -> MatchGame {
        let mut position = Position::new(rules);
        let mut moves = Vec::new();
        while let Some(played) = random.choose(&position.legal_moves()) {
            position.play(played).expect("a legal move");
            moves.push(played);
        }
        record(rules, moves)
    }

    /// Everything that happens is in the lists of what can happen.
    #[test]
    fn whatever_happens_applies() {
        for variant in Variant::ALL {
            for (rules, games) in [(variant.rules(3), 60), (variant.rules(5), 10)] {
                let rules = rules.expect("rules");
                let mut random = Random::new(7);
                for _ in 0..games {
                    let game = random_game(rules, &mut random);
                    let EndReason::Rules(reason) = game.end.reason else { panic!("{game:?}") };
                    assert!(rules.possible_ends().contains(&reason), "{variant}: {reason}");
                    let positions = game.positions();
                    let bans = Events::between(&positions, &game.moves).bans;
                    let is_free = |position: &Position| position.banned_points().is_empty();
                    assert!(bans.is_some() || positions.iter().all(is_free), "{variant}");
                    for BannedPlacement { reason, .. } in bans.iter().flatten() {
                        let is_possible = |name| rules.possible_bans().contains(&name);
                        assert!(reason.ban().is_some_and(is_possible), "{variant}: {reason}");
                    }
                }
            }
        }
    }

    #[test]
    fn own_stones_count_as_captured() {
        // B1 joins A1 where neither has a liberty: suicide of two stones.
        let rules = Rules::parse("go,komi=0,suicide=true", 3).expect("rules");
        let moves = "A1 A2 C3 B2 pass C1 B1 pass pass".split(' ');
        let game = record(rules, moves.map(|text| text.parse().expect(text)).collect());
        let values = vec![0.0; game.moves.len()];
        let played = SelfPlayedGame { game, values };
        let observed = ObservedGame::observe(&played, &mut Uniform).expect("evaluations");
        assert_eq!(observed.captured, Some(2));
    }

    /// A random game on 3×3.
    fn observed(rules: &str) -> ObservedGame {
        let rules = Rules::parse(rules, 3).expect(rules);
        let game = random_game(rules, &mut Random::new(7));
        let values = vec![0.0; game.moves.len()];
        ObservedGame::observe(&SelfPlayedGame { game, values }, &mut Uniform).expect("evaluations")
    }

    #[test]
    fn nothing_is_said_of_captures_where_there_are_none() {
        let counted =
            ["go", "alter-igo", "nogo", "conquest"].map(|rules| observed(rules).captured.is_some());
        assert_eq!(counted, [true, true, false, false]);
    }

    #[test]
    fn nothing_is_said_of_banned_preferences_where_no_ban_looks_back() {
        let told = ["go", "tile", "nogo,tiles=tile", "nogo", "alter-igo", "conquest"]
            .map(|rules| observed(rules).wanted.is_some());
        assert_eq!(told, [true, true, true, false, false, false]);
    }

    #[test]
    fn the_larger_area_is_told_for_every_family() {
        let after = |rules: &str, moves: &str| {
            let mut position = Position::new(Rules::parse(rules, 4).expect(rules));
            for played in moves.split(' ') {
                position.play(played.parse().expect(played)).expect("a legal move");
            }
            larger_area(&position)
        };
        for rules in ["go", "alter-igo", "conquest"] {
            assert_eq!(after(rules, "B2 C3"), None, "{rules}");
        }
        // The corner is Black's: in Conquest because he owns it, otherwise because it touches only
        // his stones.
        for rules in ["go", "alter-igo", "conquest"] {
            assert_eq!(after(rules, "A2 D4 B1 C3"), Some(Color::Black), "{rules}");
        }
        assert_eq!(after("alter-igo", "A2 D4"), None);
    }

    fn trajectory(result: GameResult, opening_plies: usize, values: &[f32]) -> Trajectory {
        let rules = Rules::parse("go", 5).expect("rules");
        let end = GameEnd { result, reason: EndReason::Rules(Reason::Passes) };
        let moves = vec![Move::Pass; values.len()];
        let names = ["a".to_owned(), "b".to_owned()];
        let game = MatchGame {
            rules,
            players: names,
            moves,
            opening_plies,
            end,
            score: None,
            transcript: None,
        };
        Trajectory::of(&game, &values[opening_plies..])
    }

    #[test]
    fn stories_are_told_from_the_end_of_the_opening() {
        let told =
            trajectory(GameResult::Won(Color::White), 2, &[-1.0, 1.0, 0.2, 0.6, 0.0, -0.95, -0.99]);
        assert_eq!((told.decided, told.lead_changes), (Some(5), 1));
        assert!((told.beginning - 0.6).abs() < 1e-6);
        assert!((told.drama.expect("a winner") - 0.4).abs() < 1e-6);
        assert!((told.volatility - (0.2 + 0.3 + 0.475 + 0.02) / 4.0).abs() < 1e-6);
        assert_eq!(told.comeback, Some(true));
    }

    #[test]
    fn open_games_are_not_decided_at_their_end() {
        assert_eq!(trajectory(GameResult::Won(Color::Black), 0, &[0.99, 0.99, 0.5]).decided, None);
        // The loser seemed to have won until the end.
        assert_eq!(trajectory(GameResult::Won(Color::Black), 0, &[-0.99, -0.99]).decided, None);
        let drawn = trajectory(GameResult::Draw, 0, &[0.99, 0.99]);
        assert_eq!((drawn.decided, drawn.drama, drawn.comeback), (None, None, None));
        assert_eq!(trajectory(GameResult::Won(Color::Black), 0, &[0.99, 0.99]).decided, Some(0));
        assert_eq!(trajectory(GameResult::Won(Color::Black), 0, &[0.99, 0.99]).drama, Some(0.0));
    }
}
