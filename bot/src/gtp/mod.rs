//! GTP 2, the protocol between Go programs and their interfaces.
//!
//! [`Engine::run`] reads commands and writes replies until `quit` or the end of the input.
//! [`request`] parses lines, [`command`] lists the commands, and `core`, `gogui` and `hotstone`
//! implement them, with one function each.
//!
//! Decisions where GTP leaves room:
//! - White may begin. Later, a move out of turn passes for the other player where the rules have
//!   passes, and is an error otherwise. `undo` takes back both. An analysis for the player who is
//!   not to move leaves out a pass that would end the game, because nobody has really passed before
//!   it: where it wins, it would be all that there is to see.
//! - `komi` accepts any number, because clients abandon an engine that refuses one. It is rounded
//!   to the nearest half point that can be played, and where komi means prisoners down to a whole
//!   number; the reply and `get_komi` say so. It applies immediately, and is kept for later games.
//!   Where the rules have no komi, it is 0, which the reply and `get_komi` say; the komi asked for
//!   is kept for other rules. Where the moves so far could not have been played with it (komi means
//!   prisoners there), it applies from the next game.
//! - A player of one rule set refuses other rules; one that plays any rules switches to those that
//!   `kata-set-rules` names. Names of rules with other scoring mean the nearest area rules, and the
//!   reply says so.
//! - `boardsize` starts a new game. With a second number, the board has that many rows.
//! - `play` and `genmove` refuse surplus arguments, as in KataGo: a second move would be lost
//!   silently. So do `printsgf` and `printposition`, which would write to another file: names with
//!   spaces cannot be given. Other commands ignore them, because clients send extensions unasked.
//! - In a finished game, `genmove` answers `pass`, whatever the rules, and `play` accepts a pass:
//!   some clients know no ending other than two passes in a row. Such passes change nothing, and
//!   each takes one `undo` to take back.
//! - A resignation by `genmove` is only reported, as in KataGo: the client decides whether the game
//!   is over, and `undo` takes back the last move. `play` with `resign` ends the game.
//! - Any line ends an analysis, as in KataGo; `# interrupt`, which GoGui sends, makes `genmove`
//!   answer at once.
//! - Values are those of the player to move. What would have to be invented is omitted, such as
//!   scores that the network does not predict. Ownership comes from playouts (see
//!   [`crate::final_ownership`]), and is missing if a line interrupts them, or if they would take
//!   more than an eighth of the time for a move.
//! - `analyze` is not offered: Sabaki prefers it to `kata-analyze`, but then misreads probabilities
//!   as ten-thousandths.

mod analysis;
mod arguments;
pub mod command;
mod core;
mod gogui;
mod hotstone;
mod parameters;
pub mod request;
mod rules;
mod rules_watcher;
mod setup;
mod stream;
mod time;

use std::io::{self, Write};
use std::ops::ControlFlow;

use engine::join_with_spaces;
use search::Evaluator;

use crate::lines::Lines;
use crate::{Choice, Player};
use analysis::Style;
use command::{Command, CommandError};
use request::Request;
pub use rules_watcher::OnNewRules;
use rules_watcher::RulesWatcher;
use stream::{End, Purpose, Stream, Writer};

/// A player behind GTP.
///
/// ```
/// use bot::gtp::Engine;
/// use bot::{Player, Settings, SupportedRules};
/// use search::evaluators::Uniform;
///
/// let supported = SupportedRules::new("conquest", &[5])?;
/// let mut engine = Engine::new(Player::new(supported, Uniform, Settings::default()), "1.0");
/// let reply = |line: &str| engine.answer(line.as_bytes()).map(|reply| reply.to_string());
/// let replies: Vec<_> = ["1 play B A1", "play W A1", "# a comment"].map(reply).into();
/// assert_eq!(replies[0].as_deref(), Some("=1 \n\n"));
/// assert!(replies[1].as_deref().is_some_and(|reply| reply.starts_with("? illegal move")));
/// assert_eq!(replies[2], None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine<E> {
    player: Player<E>,
    name: String,
    version: String,
    rules_watcher: Option<RulesWatcher<E>>,
    /// Whether commands may read and write files.
    has_files: bool,
    explanation: Option<Explanation>,
}

/// An explanation of the last generated move, which is forgotten with the move.
struct Explanation {
    text: String,
    /// The number of the game, and that of its turns after the move.
    game: u64,
    turns: usize,
}

/// The answer to one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    text: String,
    /// Whether the engine should stop.
    pub quit: bool,
}

impl std::fmt::Display for Reply {
    /// The reply, including the blank line that ends it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// The complete reply to a command, if it was one. A space follows the sign and number even if the
/// line is empty: clients use it to find where the text begins.
fn reply(id: &str, command: Option<Command>, result: &Result<String, CommandError>) -> String {
    let problem = match (result, command) {
        (Ok(text), _) => return format!("={id} {text}\n\n"),
        (Err(problem @ CommandError::Syntax(_)), Some(command)) => {
            format!("{problem} ({})", command.usage())
        }
        (Err(problem), _) => problem.to_string(),
    };
    format!("?{id} {}\n\n", core::one_line(&problem))
}

/// What a command requires.
enum Task {
    Reply(Result<String, CommandError>),
    Search(Stream),
}

impl<E: Evaluator> Engine<E> {
    /// An engine for `player`. `version` is shown by clients next to the name and should identify
    /// the model.
    pub fn new(player: Player<E>, version: impl Into<String>) -> Engine<E> {
        let (name, version) = ("Hotstone".to_owned(), version.into());
        Engine { player, name, version, rules_watcher: None, has_files: true, explanation: None }
    }

    /// Changes the name that the engine reports: some clients ask only engines with certain names
    /// for scores.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Engine<E> {
        self.name = name.into();
        self
    }

    /// For an evaluator that combines several players: whenever the rules or the size change,
    /// `on_new_rules` is called with the new rules, and returns the version of the player from
    /// then on.
    #[must_use]
    pub fn on_new_rules(mut self, on_new_rules: OnNewRules<E>) -> Engine<E> {
        self.rules_watcher = Some(RulesWatcher::new(on_new_rules, self.player.game().rules()));
        self
    }

    /// Refuses to read or write files, for untrusted input.
    #[must_use]
    pub fn without_files(mut self) -> Engine<E> {
        self.has_files = false;
        self
    }

    /// The player behind the protocol.
    pub fn player(&self) -> &Player<E> {
        &self.player
    }

    /// Answers the commands in `lines` until `quit` or the end. A player that ponders does so after
    /// each move that it generates, until the next line arrives.
    ///
    /// # Errors
    /// Only I/O errors; every line gets an answer.
    pub fn run(&mut self, mut lines: Lines, mut output: impl Write) -> io::Result<()> {
        while let Some(line) = lines.next_line()? {
            let Some(request) = Request::parse(&line) else { continue };
            let command = Command::named(&request.command);
            let turns = self.player.game().turns().len();
            let searched = self.serve(command, &request, &mut lines, &mut output)?;
            if command == Some(Command::Quit) {
                break;
            }
            // After a resignation there is nothing to ponder about.
            let has_played = self.player.game().turns().len() > turns;
            if searched == Some(Purpose::Play) && has_played {
                self.ponder(&mut lines);
            }
        }
        Ok(())
    }

    /// Answers one line; `None` for a blank line or a comment. An analysis ends immediately.
    pub fn answer(&mut self, line: &[u8]) -> Option<Reply> {
        let request = Request::parse(line)?;
        let command = Command::named(&request.command);
        let mut output = Vec::new();
        // Writing to memory cannot fail.
        let _ = self.serve(command, &request, &mut Lines::of(b""), &mut output);
        let text = String::from_utf8_lossy(&output).into_owned();
        Some(Reply { text, quit: command == Some(Command::Quit) })
    }

    /// Thinks during the opponent's turn until a line arrives.
    fn ponder(&mut self, lines: &mut Lines) {
        if self.player.settings().ponders() && self.player.game().end().is_none() {
            let mut watch = |_: &search::SearchState| match lines.peek() {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            };
            // An error will be reported by the next command that needs a move.
            let _ = self.player.analyze(None, &mut watch);
        }
    }

    /// Answers a command, and returns what it searched for, if it did.
    fn serve(
        &mut self,
        command: Option<Command>,
        request: &Request,
        lines: &mut Lines,
        output: &mut impl Write,
    ) -> io::Result<Option<Purpose>> {
        let mut searched = None;
        let result = match command {
            None if request.command.starts_with('{') => Err(CommandError::Json),
            None => Err(CommandError::Unknown),
            Some(command) => match self.execute(command, &request.arguments) {
                Task::Reply(result) => result,
                Task::Search(stream) => {
                    searched = Some(stream.purpose);
                    match self.search(stream, command, request, lines, output)? {
                        End::Reply(result) => result,
                        End::Written => {
                            output.write_all(b"\n")?;
                            output.flush()?;
                            return Ok(searched);
                        }
                    }
                }
            },
        };
        if let Some(version) = self
            .rules_watcher
            .as_mut()
            .and_then(|watcher| watcher.version_if_changed(&mut self.player))
        {
            self.version = version;
        }
        self.forget_explanation_of_the_past();
        output.write_all(reply(&request.id, command, &result).as_bytes())?;
        output.flush()?;
        Ok(searched)
    }

    /// Forgets the explanation of a move that has been taken back, or of another game.
    fn forget_explanation_of_the_past(&mut self) {
        let (game, turns) = (self.player.games, self.player.game().turns().len());
        self.explanation.take_if(|known| known.game != game || known.turns > turns);
    }

    fn search(
        &mut self,
        stream: Stream,
        command: Command,
        request: &Request,
        lines: &mut Lines,
        output: &mut impl Write,
    ) -> io::Result<End> {
        let wanted = match wanted(command, stream.style, &request.arguments) {
            Ok(wanted) => wanted,
            Err(problem) => return Ok(End::Reply(Err(problem))),
        };
        let writer = Writer::new(output, &request.id);
        let (end, choice) = stream.run(&mut self.player, &wanted, lines, writer)?;
        if let (Purpose::Play, Some(choice)) = (stream.purpose, choice) {
            let (text, game) = (explanation(&choice), self.player.games);
            let turns = self.player.game().turns().len();
            self.explanation = Some(Explanation { text, game, turns });
        }
        Ok(end)
    }

    /// Executes a command that requires no search; otherwise returns the search to make.
    fn execute(&mut self, command: Command, words: &[String]) -> Task {
        let player = &mut self.player;
        if !self.has_files && command.touches_files() {
            return Task::Reply(Err(CommandError::File("files are not served here".to_owned())));
        }
        let search = |style, purpose| Task::Search(Stream { style, purpose });
        let name = |cancellable| Purpose::Name { cancellable };
        Task::Reply(match command {
            Command::ProtocolVersion => Ok("2".to_owned()),
            Command::Name => Ok(self.name.clone()),
            Command::Version => Ok(self.version.clone()),
            Command::KnownCommand => core::known_command(words),
            Command::ListCommands => Ok(core::list_commands()),
            Command::Boardsize | Command::RectangularBoardsize => core::boardsize(player, words),
            Command::ClearBoard => core::clear_board(player),
            Command::Komi => core::komi(player, words),
            Command::GetKomi => Ok(core::get_komi(player.komi())),
            Command::Play => core::play(player, words),
            Command::Undo => core::undo(player),
            Command::Showboard => Ok(core::showboard(player.game())),
            Command::FinalScore => core::final_score(player.game()),
            Command::FinalStatusList => core::final_status_list(player, words),
            Command::FixedHandicap => setup::fixed_handicap(player, words),
            Command::PlaceFreeHandicap => setup::place_free_handicap(player, words),
            Command::SetFreeHandicap => setup::set_free_handicap(player, words),
            Command::SetPosition | Command::GoguiSetup => setup::set_position(player, words),
            Command::GoguiSetupPlayer => setup::setup_player(player, words),
            Command::GoguiPlaySequence => setup::play_sequence(player, words),
            Command::Loadsgf => setup::loadsgf(player, words),
            Command::Printsgf => setup::printsgf(player.game(), words),
            Command::Loadposition => setup::loadposition(player, words),
            Command::Printposition => setup::printposition(player.position(), words),
            Command::TimeSettings => time::time_settings(player, words),
            Command::TimeLeft => time::time_left(player, words),
            Command::KgsTimeSettings | Command::KataTimeSettings => {
                time::named_settings(player, command, words)
            }
            Command::KataListTimeSettings => Ok(time::KINDS.to_owned()),
            Command::Cputime | Command::GomillCpuTime => time::processor_time(),
            Command::GomillDescribeEngine => Ok(self.description()),
            Command::GomillExplainLastMove => {
                let known = self.explanation.as_ref().map(|known| known.text.clone());
                known.ok_or(CommandError::NothingToExplain)
            }
            Command::ClearCache => {
                player.forget();
                core::DONE
            }
            Command::KataRawNn => hotstone::raw_network(player, words),
            Command::KataGetRules => Ok(rules::get_rules(player.game())),
            Command::KataSetRules | Command::KgsRules => rules::set_rules(player, words),
            Command::KataSetRule => rules::set_rule(player, words),
            Command::KataListParams => Ok(parameters::list()),
            Command::KataGetParam => parameters::get(player, words),
            Command::KataSetParam => parameters::set(player, words),
            Command::KataGetModels => Ok(self.models()),
            Command::HotstoneState => Ok(hotstone::state(player.game())),
            Command::HotstoneLegal => Ok(hotstone::legal(player.game())),
            Command::HotstoneRules => Ok(hotstone::rules(player.game())),
            Command::HotstoneWhy => hotstone::why(player.game(), words),
            Command::HotstoneOwnership => hotstone::ownership(player),
            Command::GoguiAnalyzeCommands => Ok(gogui::analyze_commands()),
            Command::GoguiRulesGameId => Ok(gogui::game_id(player.game())),
            Command::GoguiRulesBoard => Ok(gogui::board(player.game())),
            Command::GoguiRulesBoardGfx => Ok(gogui::board_gfx(player.game())),
            Command::GoguiRulesBoardSize => Ok(gogui::board_size(player.position().size())),
            Command::GoguiRulesLegalMoves => Ok(gogui::legal_moves(player.game())),
            Command::GoguiRulesSideToMove => Ok(gogui::side_to_move(player.game())),
            Command::GoguiRulesCapturedCount => Ok(gogui::captured_count(player.game())),
            Command::GoguiRulesFinalResult => Ok(gogui::final_result(player.game())),
            Command::Genmove => return search(None, Purpose::Play),
            Command::LzAnalyze => return search(Some(Style::Lz), Purpose::Analyze),
            Command::LzGenmoveAnalyze => return search(Some(Style::Lz), Purpose::Play),
            Command::KataAnalyze => return search(Some(Style::Kata), Purpose::Analyze),
            Command::KataGenmoveAnalyze => return search(Some(Style::Kata), Purpose::Play),
            Command::RegGenmove | Command::KataSearch => return search(None, name(false)),
            Command::KataSearchCancellable => return search(None, name(true)),
            Command::KataSearchAnalyze => return search(Some(Style::Kata), name(false)),
            Command::KataSearchAnalyzeCancellable => return search(Some(Style::Kata), name(true)),
            // The caller stops after `quit`; the others have already stopped a search by arriving.
            Command::Quit | Command::Stop | Command::GoguiInterrupt => core::DONE,
        })
    }

    /// An engine description for Gomill.
    fn description(&self) -> String {
        let rules = self.player.game().rules();
        format!("Hotstone {}\nplays {rules} on {:#}", self.version, rules.size)
    }

    /// The model that plays, as `kata-get-models` lists it.
    fn models(&self) -> String {
        let (rules, supported) = (self.player.game().rules(), self.player.supported());
        let own = supported.first();
        let is_own =
            rules.kind_hash() == own.kind_hash() && supported.sizes().contains(&rules.size);
        let (rules, sizes) =
            if is_own { (own, supported.sizes()) } else { (*rules, vec![rules.size]) };
        let model = serde_json::json!({
            "name": format!("Hotstone {}", self.version),
            "internalName": self.version,
            "variant": rules.to_string(),
            "sizes": sizes,
        });
        serde_json::Value::Array(vec![model]).to_string()
    }
}

/// The arguments of a command that searches. `genmove` and `reg_genmove` need a colour, and other
/// commands without analysis may have one.
fn wanted(
    command: Command,
    style: Option<Style>,
    words: &[String],
) -> Result<analysis::Request, CommandError> {
    if matches!(command, Command::Genmove | Command::RegGenmove) {
        let [who] = arguments::exactly(words)?;
        arguments::color(who)?;
    }
    match style {
        Some(_) => analysis::Request::parse(words),
        None => analysis::Request::parse(&words[..words.len().min(1)]),
    }
}

/// One line about a move, which Gomill puts into records.
fn explanation(choice: &Choice) -> String {
    format!(
        "{}: Black wins {:.1} %, expected {}",
        choice.word(),
        100.0 * choice.winrate(engine::Color::Black),
        join_with_spaces(&choice.line)
    )
}
