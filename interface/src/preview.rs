//! What placing a stone would do.

use std::collections::BTreeMap;

use bot::Effect;
use engine::{Bitboard, Move};
use game::Game;
use serde::Serialize;
use utoipa::ToSchema;

use crate::language::Language;

/// What a stone would do beyond standing on its point.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct PreviewView {
    /// For the mover, continuing the point's name: "captures 1 stone".
    words: String,
    /// Whether it would be an incursion of the kind that matters under the rules.
    incursion: bool,
    /// Tiles under the stone, if it would get another one.
    tiles: Option<u8>,
    /// Whether the stone would be hot.
    hot: bool,
    /// The points whose stones would be removed, its own among them.
    removed: Vec<String>,
    /// The points that would become the mover's.
    conquered: Vec<String>,
}

/// The points of a running game where a stone would do more than just occupy its point.
pub(crate) fn previews(game: &Game, language: &Language) -> BTreeMap<String, PreviewView> {
    if game.end().is_some() {
        return BTreeMap::new();
    }
    let before = game.position();
    let points = before.legal_points();
    let preview = |point| {
        let played = Move::Place(point);
        let mut after = before.clone();
        after.play_unchecked(played);
        let effect = Effect::of(before, played, &after);
        let phrases = effect.consequences();
        let phrases: Vec<String> = phrases.iter().map(|words| language.translate(words)).collect();
        let words = language.list(&phrases);
        (!words.is_empty()).then(|| (point.to_string(), PreviewView::of(&effect, words)))
    };
    points.iter().filter_map(preview).collect()
}

impl PreviewView {
    fn of(effect: &Effect, words: String) -> PreviewView {
        let names = |points: Bitboard| points.iter().map(|point| point.to_string()).collect();
        PreviewView {
            words,
            incursion: effect.incursion,
            tiles: effect.tiles,
            hot: effect.hot,
            removed: names(effect.captured | effect.lost),
            conquered: names(effect.conquered),
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::{PendingEffect, Rules, Variant};

    use super::*;

    /// After each of many moves, the board is as the preview promised.
    #[test]
    fn what_is_promised_happens() {
        for variant in Variant::ALL {
            let mut game = Game::new(variant.rules(4).unwrap());
            while game.end().is_none() && game.turns().len() < 60 {
                let promised = previews(&game, Language::english());
                let legal = game.position().legal_moves();
                let played = legal[game.turns().len() * 7 % legal.len()];
                let before = game.position().clone();
                game.play(played).unwrap();
                let Move::Place(point) = played else { continue };
                let after = game.position();
                let stones = |position: &engine::Position| {
                    engine::Color::BOTH.map(|color| position.stones(color).count()).iter().sum()
                };
                let (was, is): (usize, usize) = (stones(&before), stones(after));
                let preview = promised.get(&point.to_string());
                let removed = preview.map_or(0, |preview| preview.removed.len());
                assert_eq!(was + 1 - removed, is, "{variant} {played}");
                assert_eq!(
                    preview.and_then(|preview| preview.tiles).is_some(),
                    after.tiles(point) > before.tiles(point)
                );
                assert_eq!(
                    preview.is_some_and(|preview| preview.hot),
                    after.hot_stones().contains(point)
                );
                let owned = after.owned(before.turn()).without(before.owned(before.turn()));
                assert_eq!(preview.map_or(0, |preview| preview.conquered.len()), owned.count());
            }
        }
    }

    /// What is announced as imposed on the next turn is what its stones really encounter.
    #[test]
    fn what_is_imposed_is_seen_in_every_preview() {
        for variant in Variant::ALL {
            let mut game = Game::new(variant.rules(5).unwrap());
            while game.end().is_none() && game.turns().len() < 60 {
                let position = game.position();
                let effects: Vec<PendingEffect> = position.pending_effects().collect();
                let promised = previews(&game, Language::english());
                let tiles = promised.values().filter(|preview| preview.tiles.is_some()).count();
                let incursions = promised.values().filter(|preview| preview.incursion).count();
                if !effects.contains(&PendingEffect::Tile)
                    && !effects.contains(&PendingEffect::TileForIncursion)
                {
                    assert_eq!(tiles, 0, "{variant}");
                }
                for effect in effects {
                    match effect {
                        PendingEffect::Tile => {
                            assert_eq!(tiles, position.legal_points().count(), "{variant}");
                        }
                        PendingEffect::TileForIncursion => {
                            assert_eq!(tiles, incursions, "{variant}")
                        }
                        PendingEffect::NoIncursion | PendingEffect::NoMinimalIncursion => {
                            assert_eq!(incursions, 0, "{variant}");
                        }
                        PendingEffect::NoCapture => {
                            let captures = |preview: &PreviewView| !preview.removed.is_empty();
                            assert!(!promised.values().any(captures), "{variant}");
                        }
                    }
                }
                let legal = position.legal_moves();
                game.play(legal[game.turns().len() * 7 % legal.len()]).unwrap();
            }
        }
    }

    #[test]
    fn a_tile_and_a_conquest_are_seen_before_they_are_made() {
        let after = |rules: &str, size: u8, moves: &str| {
            let mut game = Game::new(Rules::parse(rules, size).unwrap());
            moves.split_whitespace().for_each(|text| game.play(text.parse().unwrap()).unwrap());
            previews(&game, Language::english())
        };
        assert_eq!(after("go", 5, "C3"), BTreeMap::new());
        let tile = after("tile", 5, "C3 A1");
        assert_eq!(tile.len(), 23, "the next stone gets a tile wherever it stands");
        assert!(tile.values().all(|preview| preview.tiles == Some(1)));
        let conquest = &after("conquest", 6, "A3 A1 B2 E5")["C1"];
        assert_eq!(conquest.words, "makes 3 points yours and captures 1 stone");
        assert_eq!(
            (conquest.removed.as_slice(), conquest.conquered.len()),
            (["A1".to_owned()].as_slice(), 3)
        );
    }
}
