//! A model's opinion: moves and likely winner, the final ownership, and the course of the game so
//! far.

use bot::{Choice, Ownership, Settings, Strength, Swing};
use engine::hash::fnv1a;
use engine::{Color, Position, Size};
use game::Game;
use game::state::{Side, Verdict};
use search::{Evaluator, EvaluatorError, check_count, winrate};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::refusal::Refusal;
use crate::secret::Secret;
use crate::table::Table;

/// Options of an analysis.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct AnalysisOptions {
    /// Whether to estimate the final ownership as well, which takes longer than the rest.
    #[serde(default)]
    pub occupancy: bool,
    /// The position after this number of turns; the latest one if omitted.
    #[serde(default)]
    pub turn: Option<usize>,
}

impl AnalysisOptions {
    /// The position to analyse.
    ///
    /// # Errors
    /// The game has fewer turns.
    pub fn position(&self, game: &Game) -> Result<Position, Refusal> {
        let turns = game.turns().len();
        let turn = self.turn.unwrap_or(turns);
        let missing = || Refusal::NoSuchTurn { turn: turn.to_string(), turns };
        game.positions().nth(turn).cloned().ok_or_else(missing)
    }

    /// Whether the findings belong to the course of the game, which is true only for the latest
    /// position. Around an earlier position, neighbours may have been evaluated without search, and
    /// the difference would look like a swing.
    pub fn belongs_to_course(&self) -> bool {
        self.turn.is_none()
    }
}

/// A model's evaluation of the position.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalysisView {
    /// The analysed version of the game.
    version: u64,
    #[serde(flatten)]
    opinion: OpinionView,
}

/// What a model thinks of a position.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OpinionView {
    /// The model's name.
    model: String,
    /// Probability that Black wins, a draw counted as half a win.
    winrate: f32,
    /// The result, if proven by the search.
    proven: Option<Verdict>,
    /// The move it would play; null in a finished game.
    best: Option<String>,
    /// Every legal move, best first; only the pass where it wins at once, which needs no search.
    candidates: Vec<CandidateView>,
    /// The predicted final ownership; null if not requested, or if it took too long.
    occupancy: Option<OccupancyView>,
}

/// Its evaluation of one move.
#[derive(Debug, Serialize, ToSchema)]
struct CandidateView {
    #[serde(rename = "move")]
    played: String,
    /// Its share of the policy; all shares sum to 1.
    share: f32,
    /// Simulations spent on it.
    visits: u32,
    /// Probability that Black wins after it; null if it was not visited.
    winrate: Option<f32>,
}

/// The predicted ownership of each point; a list for each row, top row first.
#[derive(Debug, Serialize, ToSchema)]
struct OccupancyView {
    black: Vec<Vec<f32>>,
    white: Vec<Vec<f32>>,
}

/// The course of a game.
#[derive(Debug, Serialize, ToSchema)]
pub struct GraphView {
    /// The analysed version of the game.
    version: u64,
    /// Probability that Black wins at the start and after each turn; null where time ran out.
    winrates: Vec<Option<f32>>,
    /// The turns that cost their player most, the worst first.
    swings: Vec<SwingView>,
}

/// A turn after which its player's chances are worse.
#[derive(Debug, Serialize, ToSchema)]
struct SwingView {
    /// Its number, from 1: the position before it is that after one turn less.
    turn: usize,
    player: Side,
    #[serde(rename = "move")]
    played: String,
    /// By how much the player's probability to win fell.
    lost: f32,
}

/// Maximum number of swings listed.
const SWINGS: usize = 3;

impl AnalysisView {
    /// The view of a search of `version` of a game; without a choice, the game is over.
    pub fn of(
        model: &str,
        version: u64,
        position: &Position,
        choice: Option<Choice>,
        ownership: Option<Ownership>,
    ) -> AnalysisView {
        AnalysisView { version, opinion: OpinionView::of(model, position, choice, ownership) }
    }
}

impl OpinionView {
    /// The view of a search; without a choice, the game is over.
    pub(crate) fn of(
        model: &str,
        position: &Position,
        choice: Option<Choice>,
        ownership: Option<Ownership>,
    ) -> OpinionView {
        let outcome = position.outcome();
        let decided = outcome.map_or(0.0, |outcome| outcome.result.black_value());
        let proven = outcome.map(|outcome| outcome.result);
        let proven = choice.as_ref().map_or(proven, |choice| choice.proven);
        let candidates: Vec<CandidateView> = choice
            .iter()
            .flat_map(|choice| choice.ranked_moves(position.turn()))
            .map(|stats| CandidateView {
                played: stats.played.to_string(),
                share: rounded(stats.policy),
                visits: stats.visits,
                winrate: stats.value.map(black_winrate),
            })
            .collect();
        OpinionView {
            model: model.to_owned(),
            winrate: black_winrate(choice.as_ref().map_or(decided, |choice| choice.value)),
            proven: proven.map(Verdict::of),
            best: choice.map(|choice| choice.played.to_string()),
            candidates,
            occupancy: ownership.map(|ownership| OccupancyView::of(&ownership, position.size())),
        }
    }
}

impl OccupancyView {
    fn of(ownership: &Ownership, size: Size) -> OccupancyView {
        let rows = |points: &[f32]| {
            let row = |row: &[f32]| row.iter().copied().map(rounded).collect();
            points.chunks(size.width()).rev().map(row).collect()
        };
        OccupancyView { black: rows(&ownership.black), white: rows(&ownership.white) }
    }
}

impl GraphView {
    /// What is known about a game so far.
    pub fn of(table: &Table, version: u64) -> GraphView {
        let turns = table.game.turns().len();
        let mut winrates: Vec<Option<f32>> =
            table.values.iter().map(|value| value.map(black_winrate)).collect();
        winrates.resize(turns + 1, None);
        let before_the_end = winrates.clone();
        if let Some(end) = table.game.end() {
            winrates[turns] = Some(black_winrate(end.result.black_value()));
        }
        // Resigning loses everything at once, but that was not the cost of the last turn.
        let resigned = table.game.resigned().is_some();
        let swings = Swing::all(&table.game, if resigned { &before_the_end } else { &winrates });
        let swings = swings.iter().take(SWINGS).map(SwingView::of).collect();
        GraphView { version, winrates, swings }
    }
}

impl SwingView {
    fn of(swing: &Swing) -> SwingView {
        SwingView {
            turn: swing.turn,
            player: Side::of(swing.player),
            played: swing.played.to_string(),
            lost: rounded(swing.lost()),
        }
    }
}

/// Search settings for a program's moves in a game.
pub fn playing_settings(game: Secret, strength: Strength) -> Settings {
    let seed = fnv1a(&game.to_string());
    Settings { seed, ..Settings::default() }.with_strength(strength)
}

/// Simulations per analysis, on a server unless it is told otherwise, and in a browser.
pub const ANALYSIS_SIMULATIONS: u32 = 200;

/// Search settings for an analysis.
pub fn analysis_settings(simulations: u32) -> Settings {
    let mut settings = Settings::default();
    settings.search.simulations = simulations;
    settings
}

/// Black's expected result in each of the positions, by the raw evaluator; exact in finished games.
///
/// # Errors
/// The evaluator fails.
pub fn values(
    positions: &[Position],
    evaluator: &mut (dyn Evaluator + Send),
) -> Result<Vec<f32>, EvaluatorError> {
    let running: Vec<&Position> =
        positions.iter().filter(|position| position.outcome().is_none()).collect();
    let evaluations = evaluator.evaluate(&running)?;
    check_count(running.len(), evaluations.len())?;
    for (position, evaluation) in running.iter().zip(&evaluations) {
        evaluation.check(position)?;
    }
    let mut answers = evaluations.iter().map(|evaluation| evaluation.value);
    let value = |position: &Position| match position.outcome() {
        Some(outcome) => outcome.result.black_value(),
        None => answers.next().unwrap_or_default(),
    };
    Ok(positions.iter().map(value).collect())
}

/// Black's winning probability, rounded.
fn black_winrate(value: f32) -> f32 {
    rounded(winrate(value, Color::Black))
}

/// Rounds to three digits, as displayed.
fn rounded(number: f32) -> f32 {
    (number * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use engine::Rules;
    use search::Evaluation;
    use search::evaluators::Uniform;

    use super::*;
    use crate::table::Seat;

    /// Leaves out the last position of every batch.
    struct Short;

    impl Evaluator for Short {
        fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
            Uniform.evaluate(&batch[..batch.len() - 1])
        }
    }

    #[test]
    fn a_missing_evaluation_is_not_an_even_position() {
        let positions = [(); 2].map(|()| Position::new(Rules::parse("go", 5).unwrap()));
        assert_eq!(values(&positions, &mut Uniform).unwrap(), [0.0, 0.0]);
        let refused = values(&positions, &mut Short).unwrap_err();
        assert!(matches!(refused, EvaluatorError::AnswerCount { expected: 2, found: 1 }));
    }

    fn graph(moves: &str, resigns: Option<Color>) -> GraphView {
        let mut game = Game::new(Rules::parse("go,komi=0", 5).unwrap());
        moves.split_whitespace().for_each(|played| game.play(played.parse().unwrap()).unwrap());
        resigns.into_iter().for_each(|loser| game.resign(loser));
        let seats = [1, 2].map(|bits| Seat::Person { token: Secret::new(bits) });
        let mut table = Table::new(game, seats);
        [0.0, -0.4, -0.5].into_iter().enumerate().for_each(|(turn, it)| table.remember(turn, it));
        GraphView::of(&table, 1)
    }

    #[test]
    fn a_resignation_is_no_fault_of_the_last_turn() {
        let turns = |graph: &GraphView| -> Vec<usize> {
            graph.swings.iter().map(|swing| swing.turn).collect()
        };
        let resigned = graph("C3 D3", Some(Color::White));
        assert_eq!(resigned.winrates, [Some(0.5), Some(0.3), Some(1.0)]);
        assert_eq!(turns(&resigned), [1], "White's turn cost nothing");
        let counted = graph("C3 pass pass", None);
        assert_eq!(counted.winrates[3], Some(1.0));
        assert_eq!(turns(&graph("C3 D3", None)), [1]);
    }
}
