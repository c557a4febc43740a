//! What a rule set is like as a game: balance, length, breadth, how often its special rule matters, depth of skill.
//!
//! The outputs are those of the balance studies (Tomašev et al., *Assessing game balance with AlphaZero*, 2020) with 95
//! % intervals. Every game of a measurement has its own opening, drawn from the policy; openings are the unit of all
//! intervals, and comparisons share them.

mod agent;
mod atlas;
mod balance;
#[cfg(test)]
mod coverage;
mod deciding;
mod events;
mod figures;
mod findings;
mod html;
mod json;
mod observe;
mod other_rules;
mod own_rule;
mod puzzles;
mod restricted;
mod study;
mod summary;

pub use atlas::{Atlas, Opening};
pub use balance::{FairPoint, Tested};
pub use deciding::{Deciding, DecidingPlan, deciding};
pub use events::{
    Ban, Conquest, ConquestEvents, Events, HotStone, HotStoneEvents, KoFight, Tile, TileEvents,
};
pub use figures::{FigureKey, figure_keys};
pub use findings::{Doubling, Findings};
pub use html::page;
pub use other_rules::{
    Difference, GameUnderOtherRules, Opinions, OtherRulesError, UnderOtherRules, under_other_rules,
};
pub use own_rule::own_rule_moves;
pub use puzzles::{PuzzlePlan, Sieve, puzzles};
pub use restricted::{RestrictedGame, RestrictedPlan, RestrictedPlay, restricted_play};
pub use study::{FEWEST_SIMULATIONS, StudyPlan, study};
pub use summary::{Breadth, Observations, Statistic};
