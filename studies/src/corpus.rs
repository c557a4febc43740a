//! Recorded games of any origin under several rule sets: how often the rules would have made a
//! difference.

mod figures;
mod gathered;
mod json;
mod text;

pub use figures::{BanFigure, CorpusEvents, DifferenceFrequency, RuleFigures};
pub use gathered::{Corpus, DamagedGame, Entry, LeftOutGame, ReplayedGame, RuleSets};
