//! The commands there are, and what can be wrong with one.

use crate::{GenerateError, PlayError, UnknownSize};
use engine::MoveParseError;

/// Declares the commands once: the variants, their names and their arguments.
macro_rules! commands {
    ($($variant:ident $name:literal $arguments:literal,)*) => {
        /// A command of the engine.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each is the command of its name")]
        pub enum Command { $($variant),* }

        impl Command {
            /// Every command, in the order in which they are listed.
            pub const ALL: &'static [Command] = &[$(Command::$variant),*];

            /// The word that calls it.
            pub const fn name(self) -> &'static str {
                match self { $(Command::$variant => $name),* }
            }

            /// The arguments that it takes.
            const fn arguments(self) -> &'static str {
                match self { $(Command::$variant => $arguments),* }
            }
        }
    };
}

commands! {
    ProtocolVersion "protocol_version" "",
    Name "name" "",
    Version "version" "",
    KnownCommand "known_command" "COMMAND",
    ListCommands "list_commands" "",
    Quit "quit" "",
    Boardsize "boardsize" "SIZE",
    ClearBoard "clear_board" "",
    Komi "komi" "POINTS",
    Play "play" "COLOR VERTEX",
    Genmove "genmove" "COLOR",
    Undo "undo" "",
    Showboard "showboard" "",
    FinalScore "final_score" "",
    TimeSettings "time_settings" "MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES",
    TimeLeft "time_left" "COLOR TIME STONES",
    Printsgf "printsgf" "",
    HotstoneState "hotstone-state" "",
    HotstoneLegal "hotstone-legal" "",
    HotstoneRules "hotstone-rules" "",
    GoguiAnalyzeCommands "gogui-analyze_commands" "",
    GoguiRulesGameId "gogui-rules_game_id" "",
    GoguiRulesBoard "gogui-rules_board" "",
    GoguiRulesBoardGfx "gogui-rules_board_gfx" "",
    GoguiRulesBoardSize "gogui-rules_board_size" "",
    GoguiRulesLegalMoves "gogui-rules_legal_moves" "",
    GoguiRulesSideToMove "gogui-rules_side_to_move" "",
    GoguiRulesCapturedCount "gogui-rules_captured_count" "",
    GoguiRulesFinalResult "gogui-rules_final_result" "",
}

impl Command {
    /// The command of that name.
    pub fn named(name: &str) -> Option<Command> {
        Command::ALL.iter().copied().find(|command| command.name() == name)
    }

    /// How it is written.
    pub fn usage(self) -> String {
        format!("{} {}", self.name(), self.arguments()).trim_end().to_owned()
    }
}

/// Why a command failed. The words before a colon are those of the GTP standard, which some clients look for.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// No such command.
    #[error("unknown command")]
    Unknown,
    /// Missing or malformed arguments.
    #[error("syntax error: {problem} ({})", command.usage())]
    Syntax {
        /// The command.
        command: Command,
        /// What is wrong.
        problem: String,
    },
    /// A board size that the model does not know.
    #[error("unacceptable size: {0}")]
    Size(#[from] UnknownSize),
    /// A vertex that is none.
    #[error("illegal move: {0}")]
    Vertex(#[from] MoveParseError),
    /// A move against the rules.
    #[error("illegal move: {0}")]
    Play(#[from] PlayError),
    /// Nothing to take back.
    #[error("cannot undo: this is the start of the game")]
    NothingToUndo,
    /// No result yet.
    #[error("cannot score: these rules have no score, and the game is not over")]
    NoScore,
    /// No move.
    #[error("cannot generate a move: {0}")]
    Generate(#[from] GenerateError),
}
