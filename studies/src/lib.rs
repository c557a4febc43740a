//! What a rule set is like as a game: its balance, length and breadth, how often its special rule
//! matters, and how much skill it allows.
//!
//! The outputs are those of the balance studies (Tomašev et al., *Assessing game balance with
//! AlphaZero*, 2020), with 95 % intervals. Every game of a measurement has its own opening, drawn
//! from the policy and kept if it leaves the balance of the empty board as it is; openings are the
//! unit of all intervals. Games of a rule set with different compensations share them. Those of
//! different rule sets are compared as if they were independent: where similar rules draw the same
//! openings, intervals of differences are too wide rather than too narrow.

mod agent;
mod balance;
mod corpus;
#[cfg(test)]
mod coverage;
mod decisive_bans;
mod diagram;
mod empty_board;
mod events;
mod figures;
mod lab;
mod observe;
mod opening_correction;
mod opening_lines;
mod other_rules;
mod own_rule;
mod puzzles;
mod restricted;
mod rule_ablations;
mod skill;
mod statistic;
mod summary;
#[cfg(test)]
mod test_positions;

pub use agent::self_player;
pub use balance::{FairPoint, TestedCompensation};
pub use corpus::{
    BanFigure, Corpus, CorpusEvents, DamagedGame, DifferenceFrequency, Entry, LeftOutGame,
    ReplayedGame, RuleFigures, RuleSets,
};
pub use decisive_bans::{DecisiveBan, DecisiveBanPlan, decisive_bans};
pub use diagram::{Diagram, DiagramError, diagrams};
pub use empty_board::{EmptyBoardResult, FirstMoveClass};
pub use events::{
    BannedPlacement, Conquest, ConquestEvents, Events, HotStone, HotStoneEvents, KoFight,
    LastPoint, Tile, TileEvents,
};
pub use lab::{
    Batch, Bin, Budget, Calibration, ChosenGame, Claim, ClaimError, ClaimVerdict, Difference,
    Examination, FairPoints, LabError, LabPlan, Laboratory, Reliability, Results, RuleSetResults,
    Solved, Source,
};
pub use opening_lines::OpeningLine;
pub use other_rules::{
    DifferentPlacements, EvaluationShift, OtherRulesError, OtherRulesGame, OtherRulesStudy,
    study_other_rules,
};
pub use own_rule::own_rule_moves;
pub use puzzles::{PuzzlePlan, StageCounts, puzzles};
pub use rule_ablations::{AblationPair, Continuation, ablation_pairs, rule_ablations};
pub use skill::Doubling;
pub use statistic::Statistic;
pub use summary::{Breadth, Observations};
