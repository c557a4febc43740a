//! The commands that search, with or without lines of analysis.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::Instant;

use engine::Move;
use search::{Evaluator, SearchState};

use super::analysis::{Request, Style, line};
use super::command::CommandError;
use crate::lines::Lines;
use crate::ownership::{PlayoutSettings, final_ownership_while};
use crate::{Choice, GenerateError, Player, report};

/// What a searching command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stream {
    /// How it reports during the search, if it does.
    pub style: Option<Style>,
    pub purpose: Purpose,
}

/// What a search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To analyse until any line arrives.
    Analyze,
    /// To play a move.
    Play,
    /// To suggest a move; any line cancels it if it is cancellable.
    Name { cancellable: bool },
}

/// How a stream ended.
pub(super) enum End {
    /// With this reply, which has not been written yet.
    Reply(Result<String, CommandError>),
    /// Everything except the final blank line has been written.
    Written,
}

impl Stream {
    /// Whether an incoming line interrupts the search.
    fn is_broken_off_by(self, line: &[u8]) -> bool {
        match self.purpose {
            Purpose::Analyze | Purpose::Name { cancellable: true } => true,
            // GoGui's request for the best move found so far.
            Purpose::Play | Purpose::Name { cancellable: false } => {
                line.trim_ascii() == b"# interrupt"
            }
        }
    }

    /// Searches, and writes the analysis.
    pub fn run<E: Evaluator, W: Write>(
        self,
        player: &mut Player<E>,
        request: &Request,
        lines: &mut Lines,
        mut writer: Writer<'_, W>,
    ) -> io::Result<(End, Option<Choice>)> {
        if self.purpose != Purpose::Analyze && player.game().end().is_some() {
            if self.purpose == Purpose::Play {
                player.pass_after_end();
            }
            return Ok((self.named(&Move::Pass.to_string(), &mut writer)?, None));
        }
        let color = request.color.unwrap_or(player.position().turn());
        let found =
            player.as_if_to_move(color, |player| self.search(player, request, lines, &mut writer));
        if let Some(error) = writer.failed {
            return Err(error);
        }
        let has_begun = writer.has_begun;
        Ok(match found {
            Err(problem) if has_begun => {
                eprintln!("{problem}");
                (End::Written, None)
            }
            Err(problem) => (End::Reply(Err(problem)), None),
            Ok(Found::Looked) => {
                writer.begin()?;
                (End::Written, None)
            }
            Ok(Found::Cancelled(choice)) => (self.named("cancelled", &mut writer)?, Some(choice)),
            Ok(Found::Chosen(choice)) => (self.named(&choice.word(), &mut writer)?, Some(choice)),
        })
    }

    /// Finishes with the line that names a move.
    fn named<W: Write>(self, word: &str, writer: &mut Writer<'_, W>) -> io::Result<End> {
        if self.style.is_some() {
            writer.line(&format!("play {word}"))?;
            Ok(End::Written)
        } else {
            Ok(End::Reply(Ok(word.to_owned())))
        }
    }

    fn search<E: Evaluator, W: Write>(
        self,
        player: &mut Player<E>,
        request: &Request,
        lines: &mut Lines,
        writer: &mut Writer<'_, W>,
    ) -> Result<Found, CommandError> {
        let is_looked_at_out_of_turn = self.purpose == Purpose::Analyze
            && player.game().turns().last().is_some_and(|turn| turn.implied);
        let allowed = request.allowed_moves(player.position(), !is_looked_at_out_of_turn)?;
        let start = Instant::now();
        let ownership = if request.ownership && self.style == Some(Style::Kata) {
            self.ownership(player, start, lines)?
        } else {
            None
        };
        let next_line = match self.purpose {
            // The first line is written immediately.
            Purpose::Analyze => Instant::now(),
            Purpose::Play | Purpose::Name { .. } => Instant::now() + request.interval,
        };
        let watcher = Watcher {
            stream: self,
            request,
            ownership,
            lines,
            writer,
            next_line,
            is_broken_off: false,
        };
        match self.purpose {
            Purpose::Analyze => watcher.analyze(player, allowed),
            Purpose::Play | Purpose::Name { .. } => watcher.choose(player, allowed, start),
        }
    }

    /// Each point's ownership, −1 (White) to 1 (Black), unless a line interrupts the estimate or it
    /// takes too much of the time for the move.
    fn ownership<E: Evaluator>(
        self,
        player: &mut Player<E>,
        start: Instant,
        lines: &mut Lines,
    ) -> Result<Option<Vec<f32>>, GenerateError> {
        let deadline = match self.purpose {
            Purpose::Analyze => None,
            Purpose::Play | Purpose::Name { .. } => player.ownership_deadline(start),
        };
        let mut should_continue = || {
            deadline.is_none_or(|deadline| Instant::now() < deadline)
                && !lines.peek().is_some_and(|line| self.is_broken_off_by(line))
        };
        let position = player.position().clone();
        let playouts = PlayoutSettings::of(&position);
        let found =
            final_ownership_while(&position, player.evaluator(), playouts, &mut should_continue)?;
        Ok(found.map(|ownership| report::signed_ownership(&ownership, position.size())))
    }
}

/// The outcome of a search.
enum Found {
    /// An analysis only.
    Looked,
    /// A chosen move.
    Chosen(Choice),
    /// A move whose generation was cancelled.
    Cancelled(Choice),
}

/// Watches a search: writes what it has found so far, and breaks it off when a line says so.
struct Watcher<'a, 'w, W> {
    stream: Stream,
    request: &'a Request,
    /// Each point's ownership, if it is to be written.
    ownership: Option<Vec<f32>>,
    lines: &'a mut Lines,
    writer: &'a mut Writer<'w, W>,
    /// When the next line of analysis is due.
    next_line: Instant,
    is_broken_off: bool,
}

impl<W: Write> Watcher<'_, '_, W> {
    /// Searches until a line arrives.
    fn analyze<E: Evaluator>(
        mut self,
        player: &mut Player<E>,
        allowed: Option<Vec<Move>>,
    ) -> Result<Found, CommandError> {
        let is_restricted = allowed.is_some();
        let mut watch = |state: &SearchState| self.watch(state);
        player.analyze(allowed, &mut watch)?;
        if !self.is_broken_off {
            // The search is complete: the last line stands until input arrives.
            self.write_result(player);
            self.lines.wait();
        }
        if is_restricted {
            player.forget();
        }
        Ok(Found::Looked)
    }

    /// Searches for a move, with time counted from `start`.
    fn choose<E: Evaluator>(
        mut self,
        player: &mut Player<E>,
        allowed: Option<Vec<Move>>,
        start: Instant,
    ) -> Result<Found, CommandError> {
        let mut watch = |state: &SearchState| self.watch(state);
        let choice = player.think_among(allowed.as_deref(), start, Some(&mut watch))?;
        let purpose = self.stream.purpose;
        let is_cancelled = self.is_broken_off && purpose == Purpose::Name { cancellable: true };
        if !is_cancelled {
            self.write_result(player);
        }
        let choice = match purpose {
            Purpose::Play => player.carry_out(choice)?,
            Purpose::Analyze | Purpose::Name { .. } => choice,
        };
        if allowed.is_some() {
            player.forget();
        }
        Ok(if is_cancelled { Found::Cancelled(choice) } else { Found::Chosen(choice) })
    }

    fn watch(&mut self, state: &SearchState) -> ControlFlow<()> {
        // With a slow evaluator, the first slice may have looked at no move yet.
        if Instant::now() >= self.next_line
            && let Some(text) = self.text(state).filter(|text| !text.is_empty())
        {
            if self.writer.line(&text).is_err() {
                return ControlFlow::Break(());
            }
            self.next_line = Instant::now() + self.request.interval;
        }
        let stream = self.stream;
        self.is_broken_off = self.lines.peek().is_some_and(|line| stream.is_broken_off_by(line));
        if self.is_broken_off { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Writes what the completed search has found.
    fn write_result<E: Evaluator>(&mut self, player: &Player<E>) {
        let text = player.search().and_then(|search| self.text(search.state()));
        if let Some(text) = text {
            // The writer keeps the error.
            let _ = self.writer.line(&text);
        }
    }

    /// The line about a search, if the stream has lines.
    fn text(&self, state: &SearchState) -> Option<String> {
        let style = self.stream.style?;
        Some(line(state, style, self.request, self.ownership.as_deref()))
    }
}

/// Writes a reply line by line. Its sign and number are written only once there is something to
/// write.
pub(super) struct Writer<'a, W> {
    output: &'a mut W,
    head: String,
    has_begun: bool,
    failed: Option<io::Error>,
}

impl<'a, W: Write> Writer<'a, W> {
    pub fn new(output: &'a mut W, id: &str) -> Writer<'a, W> {
        Writer { output, head: format!("={id} \n"), has_begun: false, failed: None }
    }

    fn begin(&mut self) -> io::Result<()> {
        if !self.has_begun {
            self.has_begun = true;
            self.output.write_all(self.head.as_bytes())?;
        }
        Ok(())
    }

    /// Writes a line unless it is empty, since that would end the reply.
    fn line(&mut self, text: &str) -> io::Result<()> {
        let written = self.begin().and_then(|()| match text {
            "" => Ok(()),
            text => writeln!(self.output, "{text}").and_then(|()| self.output.flush()),
        });
        written.inspect_err(|error| {
            self.failed = Some(io::Error::new(error.kind(), error.to_string()))
        })
    }
}
