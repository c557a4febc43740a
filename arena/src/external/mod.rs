//! External engines, driven over GTP 2
//! (<https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html>).
//!
//! Each process plays one game, so a fault costs only that game. Our rules decide: an engine is
//! told what happened and asked for its move, and the move counts only if our rules allow it.

mod command_line;
mod process;

use std::time::Duration;

use engine::{Move, Position};
use game::{Fault, Game};

pub use command_line::CommandLineError;
use command_line::split_words;
use process::Process;

/// How long an engine may take for one answer, unless a match says otherwise.
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(60);

/// An engine that is started anew for each game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineCommand {
    /// Program and arguments, the program first; never empty.
    words: Vec<String>,
    /// How long each answer may take.
    pub patience: Duration,
}

impl EngineCommand {
    /// Parses a command line, with quotes as in a shell.
    ///
    /// # Errors
    /// An open quote, or no program at all.
    pub fn parse(line: &str) -> Result<EngineCommand, CommandLineError> {
        Ok(EngineCommand { words: split_words(line)?, patience: DEFAULT_PATIENCE })
    }

    /// Starts the program and stops it again: a match should not begin with an engine that does not
    /// exist.
    ///
    /// # Errors
    /// The system's reason why it cannot be started.
    pub fn check(&self) -> std::io::Result<()> {
        Process::start(&self.words).map(drop)
    }
}

/// An engine's answer to a request for a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    /// A move that the rules allow.
    Play(Move),
    /// The engine resigns.
    Resign,
    /// The engine loses by a fault.
    Fault(Fault),
}

/// An engine in one game.
#[derive(Debug)]
pub(crate) struct ExternalGame {
    process: Option<Process>,
    command: EngineCommand,
    /// Number of turns that the engine knows.
    known_turns: usize,
    transcript: String,
}

impl ExternalGame {
    /// An engine that has not been started yet.
    pub(crate) fn new(command: EngineCommand) -> ExternalGame {
        ExternalGame { process: None, command, known_turns: 0, transcript: String::new() }
    }

    /// The transcript of both sides, and the engine's standard error.
    pub(crate) fn transcript(&self) -> &str {
        &self.transcript
    }

    /// Tells the engine the turns that it does not know yet, and asks for a move.
    pub(crate) fn choose(&mut self, game: &Game) -> Reply {
        let reply = self.ask(game).unwrap_or_else(Reply::Fault);
        match reply {
            Reply::Play(_) => {}
            Reply::Resign => self.finish(),
            Reply::Fault(fault) => {
                self.log(&format!("# lost: {fault}"));
                self.finish();
            }
        }
        reply
    }

    /// Stops the process, and keeps its last output.
    pub(crate) fn finish(&mut self) {
        if let Some(process) = self.process.take() {
            let last_words = process.end();
            if !last_words.is_empty() {
                self.log(&format!("# standard error:\n{}", last_words.trim_end()));
            }
        }
    }

    fn ask(&mut self, game: &Game) -> Result<Reply, Fault> {
        let position = game.position();
        if self.process.is_none() {
            self.start(position)?;
        }
        for turn in game.turns().iter().skip(self.known_turns) {
            self.require(&format!("play {} {}", turn.player.word(), turn.played))?;
        }
        self.known_turns = game.turns().len() + 1;
        let answer = self.require(&format!("genmove {}", position.turn().word()))?;
        if answer.eq_ignore_ascii_case("resign") {
            return Ok(Reply::Resign);
        }
        let chosen: Move = answer.parse().map_err(|_| Fault::Garbage)?;
        if let Err(rule) = position.check_move(chosen) {
            self.log(&format!("# {chosen}: {rule}"));
            return Err(Fault::Illegal);
        }
        Ok(Reply::Play(chosen))
    }

    fn start(&mut self, position: &Position) -> Result<(), Fault> {
        let process = Process::start(&self.command.words).map_err(|error| {
            self.log(&format!("# {}: {error}", self.command.words.join(" ")));
            Fault::NotStarted
        })?;
        self.process = Some(process);
        let size = position.size();
        match size.side() {
            Some(side) => self.require(&format!("boardsize {side}"))?,
            None => {
                self.require(&format!("rectangular_boardsize {} {}", size.width(), size.height()))?
            }
        };
        self.require("clear_board")?;
        // An engine that refuses komi, or this komi, can still play: the score is counted here.
        self.send(&format!("komi {}", position.rules().komi.value())).map(|_refused_or_not| ())
    }

    /// Sends a command that must succeed.
    fn require(&mut self, command: &str) -> Result<String, Fault> {
        self.send(command)?.map_err(|_| Fault::Refused)
    }

    /// Sends a command and returns its answer; the inner error is a refusal.
    fn send(&mut self, command: &str) -> Result<Result<String, String>, Fault> {
        self.log(command);
        let process = self.process.as_mut().ok_or(Fault::Crashed)?;
        let raw = process.ask(command, self.command.patience);
        self.log(raw.text.trim_end());
        raw.answer
    }

    fn log(&mut self, text: &str) {
        self.transcript.push_str(text);
        self.transcript.push('\n');
    }
}
