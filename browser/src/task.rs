//! Searches in progress, each of which advances in short steps.

use bot::{Choice, Player, PlayoutGames, PlayoutSettings, Strength};
use engine::Position;
use game::Game;
use interface::{
    Catalogue, ComparedGames, Model, PositionFindings, Refusal, Secret, Table, analysis_settings,
    playing_settings, values,
};
use search::Evaluator;

/// Number of games played out for an analysis, half of the server's: a browser is slower, and
/// nothing cuts it short.
const GAMES_PLAYED_OUT: u32 = 16;

/// Number of positions of a game's course evaluated in one step.
const POSITIONS_AT_ONCE: usize = 8;

type AnyEvaluator = Box<dyn Evaluator + Send>;

/// A search for a program's move.
pub(crate) struct Reply(Player<AnyEvaluator>);

/// An analysis of a position: first its moves, then the final ownership.
pub(crate) struct Analysis {
    pub position: Position,
    evaluator: AnyEvaluator,
    player: Option<Player<AnyEvaluator>>,
    choice: Option<Choice>,
    playout_games: Option<PlayoutGames>,
}

/// An analysis under each of two rule sets, one after the other.
pub(crate) struct ComparisonAnalysis {
    pub compared: ComparedGames,
    /// The models that evaluate, by index in the catalogue.
    pub models: [usize; 2],
    analyses: [Analysis; 2],
    first: Option<PositionFindings>,
}

/// The evaluation of all positions of a game.
pub(crate) struct GameEvaluation {
    turns: Vec<usize>,
    positions: Vec<Position>,
    found: Vec<f32>,
    evaluator: AnyEvaluator,
}

fn failed(error: impl std::error::Error) -> Refusal {
    Refusal::Search(error.to_string())
}

impl Reply {
    pub fn new(game: Secret, position: Position, strength: Strength, model: &Model) -> Reply {
        let settings = playing_settings(game, strength);
        Reply(Player::of_game(Game::from_position(position), model.source.evaluator(), settings))
    }

    /// Advances by one step; returns the move once it is found.
    pub fn step(&mut self) -> Result<Option<Choice>, Refusal> {
        self.0.think_a_batch().map_err(failed)
    }
}

impl Analysis {
    pub fn new(position: Position, simulations: u32, occupancy: bool, model: &Model) -> Analysis {
        let settings = analysis_settings(simulations);
        let game = || Game::from_position(position.clone());
        let player = || Player::of_game(game(), model.source.evaluator(), settings);
        let playout_games = || {
            let playouts =
                PlayoutSettings { games: GAMES_PLAYED_OUT, ..PlayoutSettings::of(&position) };
            PlayoutGames::new(&position, playouts)
        };
        Analysis {
            player: position.outcome().is_none().then(player),
            playout_games: occupancy.then(playout_games),
            evaluator: model.source.evaluator(),
            choice: None,
            position,
        }
    }

    /// Advances by one step; returns the findings once they are complete.
    pub fn step(&mut self) -> Result<Option<PositionFindings>, Refusal> {
        if let Some(player) = &mut self.player {
            if let Some(choice) = player.think_a_batch().map_err(failed)? {
                (self.choice, self.player) = (Some(choice), None);
            }
            return Ok(None);
        }
        if let Some(games) = &mut self.playout_games
            && games.advance(&mut self.evaluator).map_err(failed)?
        {
            return Ok(None);
        }
        let ownership = self.playout_games.as_ref().map(PlayoutGames::ownership);
        Ok(Some((self.choice.take(), ownership)))
    }
}

impl ComparisonAnalysis {
    /// # Errors
    /// No model knows one of the rule sets.
    pub fn new(
        compared: ComparedGames,
        catalogue: &Catalogue,
    ) -> Result<ComparisonAnalysis, Refusal> {
        let models = compared.models(catalogue)?;
        let [first, second] = compared.positions();
        let analysis = |position, model| {
            let model = catalogue.model(model);
            Analysis::new(position, compared.simulations, compared.occupancy, model)
        };
        let analyses = [analysis(first, models[0]), analysis(second, models[1])];
        Ok(ComparisonAnalysis { compared, models, analyses, first: None })
    }

    /// Advances by one step; returns the findings for both once they are complete.
    pub fn step(&mut self) -> Result<Option<[PositionFindings; 2]>, Refusal> {
        let [first, second] = &mut self.analyses;
        if self.first.is_none() {
            self.first = first.step()?;
            return Ok(None);
        }
        let Some(found) = second.step()? else { return Ok(None) };
        Ok(self.first.take().map(|first| [first, found]))
    }
}

impl GameEvaluation {
    /// The evaluation of a game; `None` if everything is known.
    pub fn new(table: &Table, model: &Model) -> Option<GameEvaluation> {
        let (turns, positions): (Vec<usize>, Vec<Position>) = table.unvalued().into_iter().unzip();
        let evaluator = model.source.evaluator();
        (!turns.is_empty()).then_some(GameEvaluation {
            turns,
            positions,
            found: Vec::new(),
            evaluator,
        })
    }

    /// Advances by one step; once all are found, returns the values that were unknown, each with
    /// its number of turns.
    pub fn step(&mut self) -> Result<Option<Vec<(usize, f32)>>, Refusal> {
        let left = &self.positions[self.found.len()..];
        let chunk = &left[..left.len().min(POSITIONS_AT_ONCE)];
        self.found.extend(values(chunk, &mut *self.evaluator).map_err(failed)?);
        let is_done = self.found.len() == self.positions.len();
        let found = || self.turns.iter().copied().zip(self.found.iter().copied()).collect();
        Ok(is_done.then(found))
    }
}
