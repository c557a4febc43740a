//! Why no game can be read from a file.

/// Maximum number of nodes in the main line. Nodes are nested in memory, and each takes 64 bytes of
/// stack when they are dropped; a web page has 1 MiB of stack.
pub(super) const MAX_NODES: usize = 8_000;

/// Maximum number of points that ranges in the lists of the main line may name. Seven characters
/// can name 2,704 points, so a short file could name a hundred million.
pub(super) const MAX_POINTS: usize = 20_000;

/// Why no game can be read from a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The file contains nothing that looks like SGF.
    #[error("this is not SGF: no game found")]
    NoGame,
    /// The file is of a game other than Go.
    #[error("this SGF is not of a Go game: expected GM[1]")]
    OtherGame,
    /// Too many nodes.
    #[error("the file has {0} nodes: expected at most {MAX_NODES}")]
    TooLong(usize),
    /// Too many points in ranges.
    #[error("the ranges in the file's lists name {0} points: expected at most {MAX_POINTS}")]
    TooManyPoints(usize),
    /// A board that is too small or too large.
    #[error("the board is {0} by {1}: expected sides from 2 to 19")]
    Size(u8, u8),
    /// The size is not valid.
    #[error("invalid board size '{0}'")]
    BadSize(String),
    /// A stone is set up outside the board.
    #[error("a stone is set up off the board")]
    SetupOffBoard,
    /// An invalid move, or one off the board.
    #[error("turn {turn}: invalid move '{text}' for this board")]
    Move {
        /// The number of the turn, from 1.
        turn: usize,
        /// What the file says.
        text: String,
    },
    /// A move with more than one value, which could be any of them.
    #[error("turn {turn}: the move has {count} values: expected one")]
    SeveralValues {
        /// The number of the turn, from 1.
        turn: usize,
        /// How many values there are.
        count: usize,
    },
    /// Stones appear or vanish during the game.
    #[error("after turn {0} the file changes the position by hand, which no rule set can replay")]
    SetupInGame(usize),
}
