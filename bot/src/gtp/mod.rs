//! GTP 2, the protocol between Go programs and their interfaces.
//!
//! [`Engine::run`] reads commands and writes replies, and nothing else, until `quit` or the end of the input. What
//! is in the lines is [`request`]'s business, which commands there are is [`command`]'s, and what they do is in
//! `core`, `gogui` and `hotstone`, one function each.
//!
//! Decisions where GTP leaves room:
//! * White may begin. Later, a move out of turn passes up the other player's turn where the rules know passing, and
//!   is an error elsewhere. `undo` takes back both.
//! * `komi` takes any number, because clients give up on an engine that refuses one. It goes to the nearest half
//!   point, counts at once, and outlives games. Where the rules have no komi it is remembered and ignored; where the
//!   moves so far could not have been played under it (komi is prisoners there) it waits for the next game.
//! * `boardsize` starts a new game. It takes a second, equal number too, as clients of rectangular boards send it.
//! * `genmove` in a finished game is an error that tells the result: under most rule sets there is no pass to answer.
//! * Without a clock of our own, times are read, checked and otherwise ignored.

pub mod command;
mod core;
mod gogui;
mod hotstone;
pub mod request;

use std::io::{self, BufRead, Write};

use search::Evaluator;

use crate::Player;
use crate::lines::read_line;
use command::{Command, CommandError};
use request::Request;

/// A player behind GTP.
pub struct Engine<E> {
    player: Player<E>,
    version: String,
}

/// The answer to one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    id: String,
    result: Result<String, String>,
    /// Whether the engine has been told to stop.
    pub quit: bool,
}

impl std::fmt::Display for Reply {
    /// The reply with the one blank line that ends it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sign, text) = match &self.result {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        write!(f, "{sign}{}", self.id)?;
        if !text.is_empty() && !text.starts_with('\n') {
            f.write_str(" ")?;
        }
        write!(f, "{text}\n\n")
    }
}

impl<E: Evaluator> Engine<E> {
    /// An engine for `player`. `version` is what clients show beside the name: say which model plays.
    pub fn new(player: Player<E>, version: impl Into<String>) -> Engine<E> {
        Engine { player, version: version.into() }
    }

    /// The player behind the protocol.
    pub fn player(&self) -> &Player<E> {
        &self.player
    }

    /// Answers the commands of `input` until `quit` or the end.
    ///
    /// # Errors
    /// Only those of reading and writing: whatever a line says, it gets an answer.
    pub fn run(&mut self, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
        while let Some(line) = read_line(&mut input)? {
            let Some(reply) = self.answer(&line) else { continue };
            output.write_all(reply.to_string().as_bytes())?;
            output.flush()?;
            if reply.quit {
                break;
            }
        }
        Ok(())
    }

    /// Answers one line; `None` where there is nothing to answer: a blank line or a comment.
    pub fn answer(&mut self, line: &[u8]) -> Option<Reply> {
        let request = Request::parse(line)?;
        let command = Command::named(&request.command);
        let result = match command {
            Some(command) => self.execute(command, &request.arguments),
            None => Err(CommandError::Unknown),
        };
        Some(Reply {
            id: request.id,
            quit: command == Some(Command::Quit),
            result: result.map_err(|error| error.to_string()),
        })
    }

    fn execute(&mut self, command: Command, arguments: &[String]) -> Result<String, CommandError> {
        match command {
            Command::ProtocolVersion => Ok("2".to_owned()),
            Command::Name => Ok("Hotstone".to_owned()),
            Command::Version => Ok(self.version.clone()),
            Command::KnownCommand => core::known_command(command, arguments),
            Command::ListCommands => Ok(core::list_commands()),
            Command::Quit => Ok(String::new()),
            Command::Boardsize => core::boardsize(&mut self.player, command, arguments),
            Command::ClearBoard => core::clear_board(&mut self.player),
            Command::Komi => core::komi(&mut self.player, command, arguments),
            Command::Play => core::play(&mut self.player, command, arguments),
            Command::Genmove => core::genmove(&mut self.player, command, arguments),
            Command::Undo => core::undo(&mut self.player),
            Command::Showboard => Ok(core::showboard(self.player.game())),
            Command::FinalScore => core::final_score(self.player.game()),
            Command::TimeSettings => core::time_settings(command, arguments),
            Command::TimeLeft => core::time_left(command, arguments),
            Command::Printsgf => Ok(self.player.game().record().to_string().trim_end().to_owned()),
            Command::HotstoneState => Ok(hotstone::state(self.player.game())),
            Command::HotstoneLegal => Ok(hotstone::legal(self.player.game())),
            Command::HotstoneRules => Ok(hotstone::rules(self.player.game())),
            Command::GoguiAnalyzeCommands => Ok(gogui::analyze_commands()),
            Command::GoguiRulesGameId => Ok(gogui::game_id(self.player.game())),
            Command::GoguiRulesBoard => Ok(gogui::board(self.player.game())),
            Command::GoguiRulesBoardGfx => Ok(gogui::board_gfx(self.player.game())),
            Command::GoguiRulesBoardSize => Ok(self.player.position().size().to_string()),
            Command::GoguiRulesLegalMoves => Ok(gogui::legal_moves(self.player.game())),
            Command::GoguiRulesSideToMove => Ok(gogui::side_to_move(self.player.game())),
            Command::GoguiRulesCapturedCount => Ok(gogui::captured_count(self.player.game())),
            Command::GoguiRulesFinalResult => Ok(gogui::final_result(self.player.game())),
        }
    }
}
