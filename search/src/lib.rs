//! Gumbel tree search in two halves, [`StepwiseSearch::select`] and [`StepwiseSearch::expand`].
//!
//! A search is a pure value. `select` returns a position to evaluate, the caller evaluates it in
//! any way and in any batch, and `expand` takes the evaluation back. There is no thread, clock,
//! network or file here, so self-play, matches, the bot and the tests all use the same two
//! functions; [`run`] is the driver for callers with nothing else to do meanwhile.
//!
//! The method is that of Danihelka, Guez, Schrittwieser and Silver, *Policy improvement by planning
//! with Gumbel* (ICLR 2022), as DeepMind's `mctx` implements it: Gumbel noise and sequential
//! halving at the root, deterministic selection below, completed-Q policy targets. We add proven
//! results: a win, loss or draw that follows from the rules alone is exact, ends the search of
//! whatever it decides, and is reflected in the policy target.
//!
//! Invariants, each covered by a test:
//! - the same root, settings, seed and evaluations give the same tree, bit for bit;
//! - the visits of the root's moves add up to `simulations`, unless the root is proven first;
//! - every value in this crate's API is Black's;
//! - nothing here reads a stone: only legal moves, outcomes and the player to move.

mod analysis;
mod arithmetic;
mod cached;
mod checked;
mod counted;
mod draw;
mod driver;
mod dump;
mod evaluation;
pub mod evaluators;
mod halving;
mod improvement;
mod interior;
mod random;
mod result;
mod root;
mod schedule;
mod search;
mod settings;
mod split_mix;
mod stages;
mod state;
mod stepwise;
mod subtree_stats;
mod tree;

pub use analysis::MoveAnalysis;
pub use cached::Cached;
pub use checked::Checked;
pub use counted::Counted;
pub use draw::draw;
pub use driver::{LEAVES_AT_ONCE, run, run_batched, run_while};
pub use evaluation::{
    Evaluation, Evaluator, EvaluatorError, Policy, Ticket, check_count, check_policy, evaluate_one,
    winrate,
};
pub use improvement::softmax;
pub use random::Random;
pub use result::{MoveStats, SearchResult};
pub use schedule::{Fixed, Open};
pub use search::{Leaf, Search};
pub use settings::Settings;
pub use split_mix::SplitMix;
pub use state::SearchState;
pub use stepwise::StepwiseSearch;
pub use subtree_stats::Lead;
