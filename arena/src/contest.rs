//! One game of a match while it is played.

use engine::{GameResult, Move, Position, Rules};
use game::{EndReason, GameEnd};

use crate::external::{ExternalGame, Reply};
use crate::player::reference_move;
use crate::uct::Kept;
use crate::{EngineCommand, GameRecord, MatchError, PLAYERS, PlayerSetup, Random, ReferencePlayer};

/// A game in progress.
pub(crate) struct Game {
    pub(crate) index: usize,
    pub(crate) position: Position,
    pub(crate) moves: Vec<Move>,
    opening_plies: usize,
    pub(crate) random: Random,
    /// The processes of external players, by player.
    engines: [Option<ExternalGame>; PLAYERS],
    /// What players without a network keep from turn to turn, by player.
    kept: [Kept; PLAYERS],
    /// How the game ended if the rules did not end it.
    end: Option<GameEnd>,
}

impl Game {
    pub(crate) fn new(rules: Rules, index: usize, seed: u64, opening: &[Move]) -> Game {
        let mut position = Position::new(rules);
        opening.iter().for_each(|&played| position.play_unchecked(played));
        Game {
            index,
            position,
            moves: opening.to_vec(),
            opening_plies: opening.len(),
            random: Random::derive(seed, 1 + index as u64),
            engines: [None, None],
            kept: Default::default(),
            end: None,
        }
    }

    /// Whose turn it is: the first player is Black in even games.
    pub(crate) fn player_to_move(&self) -> usize {
        (self.index + self.position.turn().index()) % PLAYERS
    }

    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some() || self.position.outcome().is_some()
    }

    pub(crate) fn play(
        &mut self,
        player: &PlayerSetup,
        played: Option<Move>,
    ) -> Result<(), MatchError> {
        let name = || player.name.clone();
        let played = played.ok_or_else(|| MatchError::NoMove { player: name() })?;
        self.position.play(played).map_err(|source| MatchError::Illegal {
            player: name(),
            played,
            source,
        })?;
        self.moves.push(played);
        Ok(())
    }

    /// A turn of a player that needs neither a network nor an engine.
    pub(crate) fn choose(&mut self, player: usize, how: ReferencePlayer) -> Option<Move> {
        let Game { position, moves, kept, random, .. } = self;
        reference_move(how, position, moves, &mut kept[player], random)
    }

    /// A turn of an external engine. Whatever it does wrong ends the game.
    pub(crate) fn ask_engine(&mut self, player: usize, command: &EngineCommand) {
        let engine = self.engines[player].get_or_insert_with(|| ExternalGame::new(command.clone()));
        let reason = match engine.choose(&self.position, &self.moves) {
            Reply::Play(chosen) => {
                self.position.play_unchecked(chosen);
                self.moves.push(chosen);
                return;
            }
            Reply::Resign => EndReason::Resignation,
            Reply::Fault(fault) => EndReason::Fault(fault),
        };
        let result = GameResult::Won(self.position.turn().opponent());
        self.end = Some(GameEnd { result, reason });
    }

    /// The record of a game that is over.
    pub(crate) fn into_record(mut self, names: [String; PLAYERS]) -> Option<GameRecord> {
        let transcript = self.end_engines(&names);
        let mut record = match self.end {
            Some(end) => {
                GameRecord::decided(&self.position, self.moves, self.opening_plies, names, end)
            }
            None => GameRecord::of(&self.position, self.moves, self.opening_plies, names)?,
        };
        record.transcript = transcript;
        Some(record)
    }

    /// Ends the processes; what was said, if there were any.
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
