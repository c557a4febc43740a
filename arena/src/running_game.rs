//! A game of a match in progress.

use engine::{GameResult, Move, Position, Rules};
use game::{EndReason, Fault, Game, GameEnd};
use search::Random;

use crate::external::{ExternalGame, Reply};
use crate::player::reference_move;
use crate::uct::KeptTree;
use crate::{EngineCommand, MatchError, MatchGame, PLAYERS, PlayerSetup, ReferencePlayer};

/// A game in progress.
pub(crate) struct RunningGame {
    pub(crate) index: usize,
    pub(crate) game: Game,
    opening_plies: usize,
    pub(crate) random: Random,
    /// The processes of external players, by player.
    engines: [Option<ExternalGame>; PLAYERS],
    /// State that players without a network keep between turns, by player.
    kept: [KeptTree; PLAYERS],
    /// The fault, if any, of the player to move.
    fault: Option<Fault>,
}

impl RunningGame {
    /// The game with this index, after its opening.
    ///
    /// # Errors
    /// The opening is illegal.
    pub(crate) fn new(
        rules: Rules,
        index: usize,
        seed: u64,
        opening: &[Move],
    ) -> Result<RunningGame, MatchError> {
        let mut running = RunningGame {
            index,
            game: Game::new(rules),
            opening_plies: opening.len(),
            random: Random::derive(seed, 1 + index as u64),
            engines: [None, None],
            kept: Default::default(),
            fault: None,
        };
        opening.iter().try_for_each(|&played| running.take_turn("the opening", played))?;
        Ok(running)
    }

    pub(crate) fn position(&self) -> &Position {
        self.game.position()
    }

    /// The index of the player to move: the first player is Black in even-numbered games.
    pub(crate) fn player_to_move(&self) -> usize {
        (self.index + self.position().turn().index()) % PLAYERS
    }

    /// How the game ended, if it is over.
    pub(crate) fn end(&self) -> Option<GameEnd> {
        let fault = self.fault.map(|fault| GameEnd {
            result: GameResult::Won(self.position().turn().opponent()),
            reason: EndReason::Fault(fault),
        });
        fault.or_else(|| self.game.end())
    }

    pub(crate) fn play(
        &mut self,
        player: &PlayerSetup,
        played: Option<Move>,
    ) -> Result<(), MatchError> {
        let played = played.ok_or_else(|| MatchError::NoMove { player: player.name.clone() })?;
        self.take_turn(&player.name, played)
    }

    fn take_turn(&mut self, player: &str, played: Move) -> Result<(), MatchError> {
        self.game.play(played).map_err(|source| MatchError::Illegal {
            player: player.to_owned(),
            played,
            source,
        })
    }

    /// Chooses the move of a player without a network or an engine.
    pub(crate) fn choose(&mut self, player: usize, how: ReferencePlayer) -> Option<Move> {
        let RunningGame { game, kept, random, .. } = self;
        reference_move(how, game, &mut kept[player], random)
    }

    /// Plays a turn of an external engine. Any fault ends the game.
    pub(crate) fn ask_engine(&mut self, player: usize, command: &EngineCommand) {
        let engine = self.engines[player].get_or_insert_with(|| ExternalGame::new(command.clone()));
        match engine.choose(&self.game) {
            Reply::Play(chosen) => {
                // The engine's move has already been checked.
                self.fault = self.game.play(chosen).is_err().then_some(Fault::Illegal);
            }
            Reply::Resign => self.game.resign(self.position().turn()),
            Reply::Fault(fault) => self.fault = Some(fault),
        }
    }

    /// The record of a finished game.
    pub(crate) fn into_record(mut self, names: [String; PLAYERS]) -> Option<MatchGame> {
        let transcript = self.end_engines(&names);
        let record = MatchGame::new(&self.game, self.end()?, self.opening_plies, names);
        Some(MatchGame { transcript, ..record })
    }

    /// Stops the processes, and returns their transcripts.
    fn end_engines(&mut self, names: &[String; PLAYERS]) -> Option<String> {
        let mut transcript = None;
        for (player, engine) in self.engines.iter_mut().enumerate() {
            if let Some(mut engine) = engine.take() {
                engine.finish();
                let text: &mut String = transcript.get_or_insert_default();
                let name = &names[(player + self.index) % PLAYERS];
                text.push_str(&format!("# {name}\n{}", engine.transcript()));
            }
        }
        transcript
    }
}
