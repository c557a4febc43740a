//! External engines, driven over GTP 2
//! (<https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html>).
//!
//! One process plays one game, so a fault costs only that game. The rules are ours:
//! an engine is told what happened and asked for its move, and the move counts only if our rules allow it.

mod process;
mod words;

use std::time::Duration;

use engine::{Move, Position};
use game::{Fault, Game};

use process::Process;
pub use words::{CommandLineError, split_words};

/// How long an engine may think about one answer, unless a match says otherwise.
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(60);

/// An engine to be started for each game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineCommand {
    /// Program and arguments; the program first, never empty.
    words: Vec<String>,
    /// How long each answer may take.
    pub patience: Duration,
}

impl EngineCommand {
    /// Reads a command line, with quotes as in a shell.
    ///
    /// # Errors
    /// An open quote, or no program at all.
    pub fn parse(line: &str) -> Result<EngineCommand, CommandLineError> {
        Ok(EngineCommand { words: split_words(line)?, patience: DEFAULT_PATIENCE })
    }

    /// Starts the program and ends it again: a match should not begin with one that is not there.
    ///
    /// # Errors
    /// The system's reason not to start it.
    pub fn check(&self) -> std::io::Result<()> {
        Process::start(&self.words).map(drop)
    }
}

/// An engine's reply to a request for a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    /// A move that the rules allow.
    Play(Move),
    /// It resigns.
    Resign,
    /// It loses by a fault.
    Fault(Fault),
}

/// An engine in one game.
#[derive(Debug)]
pub(crate) struct ExternalGame {
    process: Option<Process>,
    command: EngineCommand,
    /// Turns of the game that the engine knows.
    told: usize,
    transcript: String,
}

impl ExternalGame {
    /// The engine, not started yet.
    pub(crate) fn new(command: EngineCommand) -> ExternalGame {
        ExternalGame { process: None, command, told: 0, transcript: String::new() }
    }

    /// The transcript of both sides, and the engine's standard error.
    pub(crate) fn transcript(&self) -> &str {
        &self.transcript
    }

    /// Tells the engine the turns it does not know, and asks for a move.
    pub(crate) fn choose(&mut self, game: &Game) -> Reply {
        let reply = self.ask(game).unwrap_or_else(Reply::Fault);
        match reply {
            Reply::Play(_) => {}
            Reply::Resign => self.finish(),
            Reply::Fault(fault) => {
                self.note(&format!("# lost: {fault}"));
                self.finish();
            }
        }
        reply
    }

    /// Ends the process, and keeps its last output.
    pub(crate) fn finish(&mut self) {
        if let Some(process) = self.process.take() {
            let last_words = process.end();
            if !last_words.is_empty() {
                self.note(&format!("# standard error:\n{}", last_words.trim_end()));
            }
        }
    }

    fn ask(&mut self, game: &Game) -> Result<Reply, Fault> {
        let position = game.position();
        if self.process.is_none() {
            self.start(position)?;
        }
        for turn in game.turns().iter().skip(self.told) {
            self.must(&format!("play {} {}", turn.player.word(), turn.played))?;
        }
        self.told = game.turns().len() + 1;
        let answer = self.must(&format!("genmove {}", position.turn().word()))?;
        if answer.eq_ignore_ascii_case("resign") {
            return Ok(Reply::Resign);
        }
        let chosen: Move = answer.parse().map_err(|_| Fault::Garbage)?;
        if let Err(rule) = position.check_move(chosen) {
            self.note(&format!("# {chosen}: {rule}"));
            return Err(Fault::Illegal);
        }
        Ok(Reply::Play(chosen))
    }

    fn start(&mut self, position: &Position) -> Result<(), Fault> {
        let process = Process::start(&self.command.words).map_err(|error| {
            self.note(&format!("# {}: {error}", self.command.words.join(" ")));
            Fault::NotStarted
        })?;
        self.process = Some(process);
        let size = position.size();
        match size.side() {
            Some(side) => self.must(&format!("boardsize {side}"))?,
            None => {
                self.must(&format!("rectangular_boardsize {} {}", size.width(), size.height()))?
            }
        };
        self.must("clear_board")?;
        // An engine without komi, or not this one, can still play: the score is counted here.
        self.say(&format!("komi {}", position.rules().komi.value())).map(|_refused_or_not| ())
    }

    /// A command that must succeed.
    fn must(&mut self, command: &str) -> Result<String, Fault> {
        self.say(command)?.map_err(|_| Fault::Refused)
    }

    /// A command and its answer; the inner error is a refusal.
    fn say(&mut self, command: &str) -> Result<Result<String, String>, Fault> {
        self.note(command);
        let process = self.process.as_mut().ok_or(Fault::Crashed)?;
        let heard = process.ask(command, self.command.patience);
        self.note(heard.text.trim_end());
        heard.answer
    }

    fn note(&mut self, text: &str) {
        self.transcript.push_str(text);
        self.transcript.push('\n');
    }
}
