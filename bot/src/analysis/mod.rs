//! KataGo's analysis engine: one JSON object per line, answered as soon as its result is ready.
//!
//! [`Engine::run`] accepts queries as they arrive (module `query`), searches several positions at a
//! time so that they share batches, and writes each position's answer when it is ready (module
//! `answer`). Every position of every query ends with exactly one answer that is not
//! `isDuringSearch`, or with an error that names the query.
//!
//! Decisions where KataGo's description leaves room, or where these games differ:
//! - A `rules` text that names rules of ours other than the model's is an error, unless the
//!   evaluator accepts any rules. An unknown text, or one that names other programs' rules, gets a
//!   `warning` and the model's rules, because clients send `japanese` by default. If these are
//!   plain Go and the evaluator has learnt the Go that is named, that is played.
//! - Values are those of the player to move, unless `overrideSettings.reportAnalysisWinratesAs`
//!   says otherwise.
//! - Ownership comes from playouts by the network's policy ([`crate::final_ownership`]); after a
//!   move, mostly from those playouts in which the player plays there.
//! - `scoreLead` is the network's expected score, including compensation: for a move, the mean over
//!   the positions searched after it; for the position, the mean over its moves weighted by the
//!   improved policy. In rules without a score it is what the winner is expected to have left:
//!   prisoners where they decide, otherwise empty points. If the player predicts no score, like
//!   random playouts, it is a quarter of the board times the expected result. `scoreStdev` is the
//!   standard deviation over those positions.
//! - A finished game is answered immediately: the winrate is the result, and the move is a pass.
//!   Passes may follow it. If a game continued after its end, as resumed ones do, turns up to the
//!   end are answered, and later ones are errors.
//! - `whiteHandicapBonus` is added to komi; the stones of `initialStones` count if they are all
//!   Black's.
//! - If all moves are avoided, there are `noResults`. `avoidMoves` and `allowMoves` apply only to
//!   the first move of the search, whatever `untilDepth` says.
//! - Komi that is no half-integer is taken as the nearest one, where komi means prisoners it is
//!   rounded down to a whole number, and where the rules have none it is 0, each with a `warning`.
//! - An evaluator that combines several players can have the first query under each rule set and
//!   size answered with a `warning` as well, if a weak one plays them
//!   ([`Engine::on_new_rules`]).
//! - `variant` in each answer contains the state of the game as printed by `hotstone-state`, and
//!   the reason why each illegal point is illegal.

mod answer;
mod course;
mod fields;
mod options;
mod problem;
mod query;
mod work;

pub use options::Options;

use std::collections::HashSet;
use std::io::{self, Write};

use engine::{Rules, Size};
use search::Evaluator;
use serde_json::{Value, json};

use crate::SupportedRules;
use crate::lines::Lines;
use crate::supported_rules::size_and_kind;
use answer::{Heading, tell};
use problem::Problem;
use query::{Action, Query, Received, UnreachedTurn};
use work::Work;

/// Called with rules and a size that no query had before; returns a warning for that query, if the
/// client should know who plays them.
pub type OnNewRules<E> = fn(&mut E, &Rules) -> Option<String>;

/// An evaluator behind the protocol.
pub struct Engine<E> {
    supported: SupportedRules,
    version: String,
    options: Options,
    on_new_rules: Option<OnNewRules<E>>,
    /// The sizes and kinds of rules that are not new.
    known: HashSet<(Size, u64)>,
    work: Work<E>,
}

impl<E: Evaluator> Engine<E> {
    /// An engine for the rules in `supported`. `version` identifies the model that answers.
    pub fn new(
        supported: SupportedRules,
        evaluator: E,
        version: impl Into<String>,
        options: Options,
    ) -> Engine<E> {
        let (known, work) = (HashSet::new(), Work::new(evaluator, options));
        Engine { supported, version: version.into(), options, on_new_rules: None, known, work }
    }

    /// For an evaluator that combines several players: what to say about rules when they come
    /// first.
    #[must_use]
    pub fn on_new_rules(self, on_new_rules: OnNewRules<E>) -> Engine<E> {
        Engine { on_new_rules: Some(on_new_rules), ..self }
    }

    /// Answers queries until the input ends and, unless configured otherwise, all of them are
    /// answered.
    ///
    /// # Errors
    /// Only I/O errors; every line gets an answer.
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

    /// Reads one line, and answers it immediately if possible.
    fn take(&mut self, line: &[u8], output: &mut impl Write) -> io::Result<()> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        match query::receive(line, &self.supported, self.options.visits) {
            Err(problem) => tell(output, &problem.error()),
            Ok(Received::Query(query, warnings)) => {
                for warning in warnings.into_iter().chain(self.remark(&query)) {
                    tell(output, &warning.warning())?;
                }
                for UnreachedTurn { number, message } in &query.unreached {
                    let heading = Heading { id: &query.id, turn: *number, during_search: false };
                    tell(output, &heading.failure(message))?;
                }
                self.work.add(query);
                Ok(())
            }
            Ok(Received::Action { echo, action }) => self.act(echo, &action, output),
        }
    }

    /// The warning about the rules of a query, if they are new and there is one.
    fn remark(&mut self, query: &Query) -> Option<Problem> {
        let on_new_rules = self.on_new_rules?;
        let rules = query.turns.first()?.position.rules();
        if !self.known.insert(size_and_kind(rules)) {
            return None;
        }
        let message = on_new_rules(self.work.evaluator(), rules)?;
        Some(Problem { message, field: Some("rules".to_owned()), id: Some(query.id.clone()) })
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
            // Evaluations are deterministic, and search trees belong to their queries, so there is
            // nothing to clear.
            Action::ClearCache => {}
            Action::Terminate { id, turns } => {
                tell(output, &echo)?;
                return self.work.terminate(id.as_deref(), turns.as_deref(), output);
            }
        }
        tell(output, &echo)
    }
}
