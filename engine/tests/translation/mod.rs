//! Translates the engine's types for the slow implementation, which is independent of the engine.

// Not every test binary that compares the two translates rules.
#![allow(dead_code)]

use engine::{
    Ban, Bitboard, Captures, Color, Ending, Family, Repetition, Rules, Scoring, Size, TileRule,
};

use crate::reference::{self, ReferenceRules, rules};

pub fn color(given: Color) -> rules::Color {
    match given {
        Color::Black => rules::Color::Black,
        Color::White => rules::Color::White,
    }
}

/// Whose set (Black's, White's) each point is in.
pub fn colors(sets: [&Bitboard; 2], size: Size) -> Vec<Option<rules::Color>> {
    let whose = |point| Color::BOTH.into_iter().find(|&color| sets[color.index()].contains(point));
    size.points().map(|point| whose(point).map(color)).collect()
}

pub fn size(given: Size) -> reference::Size {
    reference::Size { width: given.width(), height: given.height() }
}

/// The same rules for the reference.
pub fn rules(given: &Rules) -> ReferenceRules {
    ReferenceRules {
        size: size(given.size),
        family: match given.family {
            Family::Go => rules::Family::Go,
            Family::AlterIgo => rules::Family::AlterIgo,
            Family::Conquest => rules::Family::Conquest,
        },
        captures: match given.captures {
            Captures::Allowed => rules::Captures::Allowed,
            Captures::Forbidden => rules::Captures::Forbidden,
        },
        ban: match given.ban {
            Ban::None => rules::Ban::None,
            Ban::Incursion => rules::Ban::Incursion,
            Ban::MinimalIncursion => rules::Ban::MinimalIncursion,
            Ban::Stoical => rules::Ban::Stoical,
        },
        repetition: match given.repetition {
            Repetition::None => rules::Repetition::None,
            Repetition::Simple => rules::Repetition::Simple,
            Repetition::PositionalSuperko => rules::Repetition::PositionalSuperko,
            Repetition::SituationalSuperko => rules::Repetition::SituationalSuperko,
            Repetition::Draw => rules::Repetition::Draw,
            Repetition::HotStone => rules::Repetition::HotStone,
        },
        suicide: given.suicide,
        capture_goal: given.capture_goal.into(),
        stones_per_turn: given.stones_per_turn.into(),
        tiles: match given.tiles {
            TileRule::None => rules::Tiles::None,
            TileRule::Tile => rules::Tiles::Tile,
            TileRule::Cushion => rules::Tiles::Cushion,
        },
        tile_limit: given.tile_limit.into(),
        end: match given.end {
            Ending::Area => rules::End::Area,
            Ending::PrisonerReturn => rules::End::PrisonerReturn,
            Ending::NoPass => rules::End::NoPass,
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
