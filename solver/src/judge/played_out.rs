//! Games of the agent against perfect play: does it keep the value?

use engine::{Color, Move, Position};
use search::{Evaluator, Random, Search, Settings};

use super::error::JudgeError;
use crate::{SolveError, Solver};

/// Games that the agent could win or draw, played out against perfect replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlayedOut {
    /// Finished games.
    pub games: usize,
    /// Those in which the agent achieved at least the exact value.
    pub kept: usize,
    /// Games that stopped because the solver gave up.
    pub unsolved: usize,
}

impl PlayedOut {
    /// Plays on from each start that is not lost for its agent. All games are played in parallel,
    /// so that their leaves are evaluated together.
    pub(super) fn play<E: Evaluator>(
        starts: Vec<Start>,
        settings: Settings,
        evaluator: &mut E,
        solver: &mut Solver,
        random: &mut Random,
    ) -> Result<PlayedOut, JudgeError> {
        let mut played_out = PlayedOut::default();
        let mut games: Vec<Start> = starts.into_iter().filter(|start| start.due >= 0).collect();
        while !games.is_empty() {
            let mut going = Vec::with_capacity(games.len());
            for mut game in games {
                match game.reply(solver, random) {
                    Ok(()) if game.position.outcome().is_none() => going.push(game),
                    Ok(()) => played_out.count(&game),
                    Err(SolveError::GaveUp(_)) => played_out.unsolved += 1,
                    Err(error) => return Err(error.into()),
                }
            }
            games = going;
            take_turns(&mut games, settings, evaluator, random)?;
        }
        Ok(played_out)
    }

    fn count(&mut self, game: &Start) {
        let got =
            game.position.outcome().map_or(0.0, |end| end.result.black_value() * game.agent.sign());
        self.games += 1;
        self.kept += usize::from(got as i32 >= game.due);
    }
}

/// A game and its start.
pub(super) struct Start {
    position: Position,
    moves: Vec<Move>,
    agent: Color,
    /// The agent's result under perfect play: 1 for a win, 0 for a draw, −1 for a loss.
    due: i32,
}

impl Start {
    /// The position after `moves`, which is worth `value` half points to the agent.
    pub(super) fn new(position: Position, moves: Vec<Move>, agent: Color, value: i32) -> Start {
        Start { position, moves, agent, due: value.signum() }
    }

    fn play(&mut self, played: Move) {
        self.position.play_unchecked(played);
        self.moves.push(played);
    }

    /// Plays perfect moves until it is the agent's turn or the game is over.
    fn reply(&mut self, solver: &mut Solver, random: &mut Random) -> Result<(), SolveError> {
        while self.position.outcome().is_none() && self.position.turn() != self.agent {
            let Some(played) = solver.choose(&self.moves, random)? else { break };
            self.play(played);
        }
        Ok(())
    }
}

/// Plays the agent's turn in every game.
fn take_turns<E: Evaluator>(
    games: &mut [Start],
    settings: Settings,
    evaluator: &mut E,
    random: &mut Random,
) -> Result<(), JudgeError> {
    let search = |game: &Start| Search::new(game.position.clone(), settings, random.bits());
    let mut searches: Vec<Search> = games.iter().map(search).collect();
    search::run(&mut searches, evaluator)?;
    games.iter_mut().zip(&searches).for_each(|(game, search)| game.play(search.result().best));
    Ok(())
}
