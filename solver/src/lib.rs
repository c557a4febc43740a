//! Exact values of small boards.
//!
//! The solved state includes everything that the rules depend on: stones, player to move, passes,
//! prisoners, tiles, hot stones, all earlier positions where the rules compare with them, and the
//! number of turns, because the move limit is a rule like any other. A value is that of the whole
//! game, and nothing is approximated.
//!
//! Repetition rules make the same stones worth different amounts after different histories (the
//! *graph history interaction* problem, see Kishimoto and Müller, *A general solution to the graph
//! history interaction problem*, 2004). A key that includes the whole history would be exact, but
//! would hardly ever match again. Instead, every result carries the `Evidence` of its proof: which
//! earlier positions could have mattered, and how many more turns it took. It is reused wherever
//! the histories agree on all of that, and nowhere else.
//!
//! The search asks whether Black's value is at least a target, by iterative deepening; a result is
//! an answer that holds regardless of what lies beyond the depth. Values are in half points.

mod cycles;
mod dependence;
mod endless;
mod ends;
mod evidence;
mod goal;
pub mod judge;
mod life;
mod proof;
mod reach;
mod solve;
mod state;
#[cfg(test)]
mod tests;
mod transposition;
mod value;

pub use cycles::Cycles;
pub use endless::Endless;
pub use ends::{Ends, RepetitionStakes};
pub use solve::{Effort, SolveError, Solver};
pub use value::{Solution, Value};

/// The number of points of the largest boards that are usually solved within seconds.
pub const QUICKLY_SOLVED: usize = 9;
