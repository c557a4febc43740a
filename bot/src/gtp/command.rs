//! The commands and their errors.

use engine::{MoveParseError, PositionError, RulesError, SetupError};
use game::{PlayError, ReplayError};
use search::EvaluatorError;

use crate::katago_rules::RulesMismatch;
use crate::{GenerateError, UnknownSize};

/// Declares each command once: its variant, its name and its arguments.
macro_rules! commands {
    ($($variant:ident $name:literal $arguments:literal,)*) => {
        /// A command of the engine.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each is the command of its name")]
        pub enum Command { $($variant),* }

        impl Command {
            /// Every command, in listing order.
            pub const ALL: &'static [Command] = &[$(Command::$variant),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Command::$variant => $name),* }
            }

            /// Its arguments.
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
    RectangularBoardsize "rectangular_boardsize" "WIDTH HEIGHT",
    ClearBoard "clear_board" "",
    Komi "komi" "POINTS",
    GetKomi "get_komi" "",
    Play "play" "COLOR VERTEX",
    Genmove "genmove" "COLOR",
    RegGenmove "reg_genmove" "COLOR",
    Undo "undo" "",
    Showboard "showboard" "",
    FinalScore "final_score" "",
    FinalStatusList "final_status_list" "alive|dead|seki|black_territory|white_territory",
    FixedHandicap "fixed_handicap" "STONES",
    PlaceFreeHandicap "place_free_handicap" "STONES",
    SetFreeHandicap "set_free_handicap" "VERTEX...",
    SetPosition "set_position" "[COLOR VERTEX]...",
    Loadsgf "loadsgf" "FILE [MOVE_NUMBER]",
    Printsgf "printsgf" "[FILE]",
    Loadposition "loadposition" "FILE",
    Printposition "printposition" "[FILE]",
    TimeSettings "time_settings" "MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES",
    TimeLeft "time_left" "COLOR TIME STONES",
    KgsTimeSettings "kgs-time_settings" "none | absolute MAIN | canadian MAIN PERIOD STONES | byoyomi MAIN PERIOD PERIODS",
    KataTimeSettings "kata-time_settings" "none | absolute MAIN | canadian MAIN PERIOD STONES | byoyomi MAIN PERIOD PERIODS | fischer MAIN INCREMENT | fischer-capped MAIN INCREMENT LIMIT LONGEST",
    KataListTimeSettings "kata-list_time_settings" "",
    Cputime "cputime" "",
    GomillCpuTime "gomill-cpu_time" "",
    GomillDescribeEngine "gomill-describe_engine" "",
    GomillExplainLastMove "gomill-explain_last_move" "",
    ClearCache "clear_cache" "",
    Stop "stop" "",
    LzAnalyze "lz-analyze" "[COLOR] [CENTISECONDS] [KEY VALUE]...",
    LzGenmoveAnalyze "lz-genmove_analyze" "[COLOR] [CENTISECONDS] [KEY VALUE]...",
    KataAnalyze "kata-analyze" "[COLOR] [CENTISECONDS] [KEY VALUE]...",
    KataGenmoveAnalyze "kata-genmove_analyze" "[COLOR] [CENTISECONDS] [KEY VALUE]...",
    KataSearch "kata-search" "[COLOR]",
    KataSearchCancellable "kata-search_cancellable" "[COLOR]",
    KataSearchAnalyze "kata-search_analyze" "[COLOR] [CENTISECONDS] [KEY VALUE]...",
    KataSearchAnalyzeCancellable "kata-search_analyze_cancellable" "[COLOR] [CENTISECONDS] [KEY VALUE]...",
    KataRawNn "kata-raw-nn" "[COLOR] SYMMETRY [OPTIMISM]",
    KataGetRules "kata-get-rules" "",
    KataSetRules "kata-set-rules" "RULES",
    KataSetRule "kata-set-rule" "KEY VALUE",
    KgsRules "kgs-rules" "RULES",
    KataListParams "kata-list-params" "",
    KataGetParam "kata-get-param" "NAME",
    KataSetParam "kata-set-param" "NAME VALUE",
    KataGetModels "kata-get-models" "",
    HotstoneState "hotstone-state" "",
    HotstoneLegal "hotstone-legal" "",
    HotstoneRules "hotstone-rules" "",
    HotstoneWhy "hotstone-why" "VERTEX",
    HotstoneOwnership "hotstone-ownership" "",
    GoguiAnalyzeCommands "gogui-analyze_commands" "",
    GoguiRulesGameId "gogui-rules_game_id" "",
    GoguiRulesBoard "gogui-rules_board" "",
    GoguiRulesBoardGfx "gogui-rules_board_gfx" "",
    GoguiRulesBoardSize "gogui-rules_board_size" "",
    GoguiRulesLegalMoves "gogui-rules_legal_moves" "",
    GoguiRulesSideToMove "gogui-rules_side_to_move" "",
    GoguiRulesCapturedCount "gogui-rules_captured_count" "",
    GoguiRulesFinalResult "gogui-rules_final_result" "",
    GoguiSetup "gogui-setup" "[COLOR VERTEX]...",
    GoguiSetupPlayer "gogui-setup_player" "COLOR",
    GoguiPlaySequence "gogui-play_sequence" "[COLOR VERTEX]...",
    GoguiInterrupt "gogui-interrupt" "",
}

impl Command {
    /// The command with this name.
    pub fn named(name: &str) -> Option<Command> {
        Command::ALL.iter().copied().find(|command| command.name() == name)
    }

    /// Whether it can read or write a file.
    pub(super) fn touches_files(self) -> bool {
        [Command::Loadsgf, Command::Printsgf, Command::Loadposition, Command::Printposition]
            .contains(&self)
    }

    /// Its syntax.
    pub fn usage(self) -> String {
        format!("{} {}", self.name(), self.arguments()).trim_end().to_owned()
    }
}

/// Why a command failed. The words before a colon are those of the GTP standard, which some clients
/// look for.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// No such command.
    #[error("unknown command")]
    Unknown,
    /// The client sent a line of the JSON analysis protocol.
    #[error("unknown command: this is GTP, JSON is understood by the analysis command")]
    Json,
    /// Missing or malformed arguments.
    #[error("syntax error: {0}")]
    Syntax(String),
    /// A board size that the model has not learnt.
    #[error("unacceptable size: {0}")]
    Size(#[from] UnknownSize),
    /// An invalid board size.
    #[error("unacceptable size: {0}")]
    NoSize(#[from] RulesError),
    /// An invalid vertex.
    #[error("illegal move: {0}")]
    Vertex(#[from] MoveParseError),
    /// A move against the rules.
    #[error("illegal move: {0}")]
    Play(#[from] PlayError),
    /// There is nothing to undo.
    #[error("cannot undo: this is the start of the game")]
    NothingToUndo,
    /// There is no result yet.
    #[error("cannot score: these rules have no score, and the game is not over")]
    NoScore,
    /// No move could be generated.
    #[error("cannot generate a move: {0}")]
    Generate(#[from] GenerateError),
    /// The evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// Handicap stones or a position were requested on a board that is not empty.
    #[error("board not empty")]
    NotEmpty,
    /// The player to move is to be changed in a position that has more than stones.
    #[error(
        "cannot change the player to move: this position has more than stones, so its file has to say who moves"
    )]
    MoreThanStones,
    /// The board has no handicap points.
    #[error("invalid number of stones: this board has no places for handicap stones")]
    NoHandicap,
    /// The number of handicap stones is not possible on this board.
    #[error("invalid number of stones: {given}: from 2 to {most} on this board")]
    Handicap {
        /// What was asked for.
        given: String,
        /// The largest number.
        most: usize,
    },
    /// An impossible set of stones.
    #[error("bad vertex list: {0}")]
    Setup(#[from] SetupError),
    /// An invalid list of handicap stones.
    #[error("bad vertex list: {0}")]
    VertexList(String),
    /// A file that cannot be read.
    #[error("cannot load file: {0}")]
    File(String),
    /// A file that cannot be written.
    #[error("cannot write file: {0}")]
    Write(String),
    /// An invalid position.
    #[error("cannot load file: {0}")]
    Position(#[from] PositionError),
    /// A recorded game that cannot be played.
    #[error("cannot load file: {0}")]
    Record(#[from] ReplayError),
    /// The game so far is impossible under the requested rules.
    #[error("the game so far is impossible under these rules, clear the board first: {0}")]
    Forbidden(#[source] ReplayError),
    /// The requested rules are not played here.
    #[error("{0}")]
    Rules(#[from] RulesMismatch),
    /// An unknown parameter, or an invalid value.
    #[error("{0}")]
    Parameter(String),
    /// There is nothing to explain.
    #[error("no move has been generated in this game")]
    NothingToExplain,
}
