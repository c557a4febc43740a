//! What the engine has, in the terms of the slow implementation, which knows nothing of the engine.

// Not every test binary that compares the two translates rules.
#![allow(dead_code)]

use engine::{Bitboard, Color, Ending, Family, Point, Repetition, Rules, Scoring, TileRule};

use crate::reference::{ReferenceRules, rules};

pub fn color(given: Color) -> rules::Color {
    match given {
        Color::Black => rules::Color::Black,
        Color::White => rules::Color::White,
    }
}

/// Whose set (Black's, White's) each point is in.
pub fn colors(sets: [&Bitboard; 2], size: usize) -> Vec<Option<rules::Color>> {
    let whose = |point| Color::BOTH.into_iter().find(|&color| sets[color.index()].contains(point));
    (0..size * size).map(|index| whose(Point::from_index(index, size)).map(color)).collect()
}

/// The same rules for the reference.
pub fn rules(given: &Rules) -> ReferenceRules {
    ReferenceRules {
        size: given.size.into(),
        family: match given.family {
            Family::Go => rules::Family::Go,
            Family::AlterIgo => rules::Family::AlterIgo,
            Family::Conquest => rules::Family::Conquest,
        },
        repetition: match given.repetition {
            Repetition::None => rules::Repetition::None,
            Repetition::Simple => rules::Repetition::Simple,
            Repetition::PositionalSuperko => rules::Repetition::PositionalSuperko,
            Repetition::SituationalSuperko => rules::Repetition::SituationalSuperko,
            Repetition::Incursion => rules::Repetition::Incursion,
            Repetition::MinimalIncursion => rules::Repetition::MinimalIncursion,
            Repetition::Stoical => rules::Repetition::Stoical,
            Repetition::HotStone => rules::Repetition::HotStone,
        },
        suicide: given.suicide,
        tiles: match given.tiles {
            TileRule::None => rules::Tiles::None,
            TileRule::Tile => rules::Tiles::Tile,
            TileRule::Cushion => rules::Tiles::Cushion,
        },
        tile_limit: given.tile_limit.into(),
        end: match given.end {
            Ending::Area => rules::End::Area,
            Ending::PrisonerReturn => rules::End::PrisonerReturn,
        },
        passes_to_end: given.passes_to_end.into(),
        komi: given.komi.value().into(),
        max_cycle: given.max_cycle.into(),
        white_passes: given.white_passes.into(),
        scoring: match given.scoring {
            Scoring::Territory => rules::Scoring::Territory,
            Scoring::Pure => rules::Scoring::Pure,
        },
        max_moves: given.max_moves.into(),
    }
}
