//! KataGo's analysis engine: one JSON object a line, answered whenever it is ready.
//!
//! [`Engine::run`] takes in queries as they come ([`query`]), searches several positions at a time so that they share
//! batches, and writes each position's answer when it is ready ([`answer`]). Every position of every query ends with
//! exactly one answer that is not `isDuringSearch`, or with an error that names the query.
//!
//! Decisions where KataGo's description is open, or where these games differ:
//! * A `rules` text that names rules of ours other than the model's is an error, unless the evaluator takes any rules;
//!   an unknown one, or one of other programs, gets a `warning` and the model's rules, because clients send `japanese`
//!   by default. Where these are plain Go and the evaluator has learnt the Go that is named, that is played.
//! * Values are those of the player to move, unless `overrideSettings.reportAnalysisWinratesAs` says otherwise.
//! * Ownership is that of playouts by the network's policy ([`crate::final_ownership`]); after a move, mostly that of
//!   the playouts in which the player plays there.
//! * `scoreLead` is the network's expected score, including compensation: of a move the mean over the positions searched
//!   after it, of the position the mean of its moves by the improved policy; in
//!   rules without a score what the winner is expected to have left, prisoners where they decide, else empty points. A
//!   player that predicts no score, such as random playouts, has a quarter of the board times the expected result.
//!   `scoreStdev` is the standard deviation over those positions.
//! * A finished game is answered immediately: the winrate is the result, and the move is a pass. Passes may follow. Of a
//!   game that went on after its end, as resumed ones do, the turns up to the end are answered, and the others are errors.
//! * `whiteHandicapBonus` is added to komi: the stones of `initialStones` count, if there are only Black's.
//! * Where all moves are avoided there are `noResults`. `avoidMoves` and `allowMoves` hold for the first move of the search, whatever `untilDepth` says.
//! * `variant` in each answer holds the state of the game as `hotstone-state` prints it, and why each point that is not
//!   legal is not.

mod answer;
mod course;
mod fields;
mod options;
mod problem;
mod query;
mod work;

pub use options::Options;

use std::io::{self, Write};

use search::Evaluator;
use serde_json::{Value, json};

use crate::SupportedRules;
use crate::lines::Lines;
use answer::{Heading, tell};
use query::{Action, Received, Unreached};
use work::Work;

/// An evaluator behind the protocol.
pub struct Engine<E> {
    supported: SupportedRules,
    version: String,
    options: Options,
    work: Work<E>,
}

impl<E: Evaluator> Engine<E> {
    /// An engine for the rules that are `supported`. `version` says which model answers.
    pub fn new(
        supported: SupportedRules,
        evaluator: E,
        version: impl Into<String>,
        options: Options,
    ) -> Engine<E> {
        let work = Work::new(evaluator, options);
        Engine { supported, version: version.into(), options, work }
    }

    /// Answers queries until the input ends and, unless set otherwise, all of them are answered.
    ///
    /// # Errors
    /// Only I/O errors: every line gets an answer.
    pub fn run(&mut self, mut lines: Lines, mut output: impl Write) -> io::Result<()> {
        let mut has_ended = false;
        loop {
            while !has_ended && (self.work.is_done() || lines.peek().is_some()) {
                match lines.next_line()? {
                    Some(line) => self.take(&line, &mut output)?,
                    None => has_ended = true,
                }
            }
            if has_ended && (self.work.is_done() || self.options.quit_without_waiting) {
                return Ok(());
            }
            self.work.proceed(&mut output)?;
        }
    }

    /// Takes in one line, and answers what it can immediately.
    fn take(&mut self, line: &[u8], output: &mut impl Write) -> io::Result<()> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        match query::receive(line, &self.supported, self.options.visits) {
            Err(problem) => tell(output, &problem.error()),
            Ok(Received::Query(query, warnings)) => {
                for warning in warnings {
                    tell(output, &warning.warning())?;
                }
                for Unreached { number, message } in &query.unreached {
                    let heading = Heading { id: &query.id, turn: *number, during_search: false };
                    tell(output, &heading.failure(message))?;
                }
                self.work.add(query);
                Ok(())
            }
            Ok(Received::Action { echo, action }) => self.act(echo, &action, output),
        }
    }

    fn act(&mut self, mut echo: Value, action: &Action, output: &mut impl Write) -> io::Result<()> {
        match action {
            Action::Version => {
                echo["version"] = json!(self.version);
                echo["git_hash"] = json!("<omitted>");
            }
            Action::Models => {
                let rules = self.supported.first();
                echo["models"] = json!([{
                    "name": format!("Hotstone {}", self.version),
                    "internalName": self.version,
                    "variant": rules.to_string(),
                    "sizes": self.supported.sizes(),
                }]);
            }
            // Evaluations are deterministic, and trees belong to their queries: there is nothing to clear.
            Action::ClearCache => {}
            Action::Terminate { id, turns } => {
                tell(output, &echo)?;
                return self.work.terminate(id.as_deref(), turns.as_deref(), output);
            }
        }
        tell(output, &echo)
    }
}
