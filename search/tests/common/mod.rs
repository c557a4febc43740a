//! Positions and searches that several tests need.

#![allow(dead_code)] // each test binary uses its part
#![allow(clippy::unwrap_used)] // helpers of tests

use engine::{Position, Variant};
use search::evaluators::Scripted;
use search::{Search, SearchResult, Settings, run};

pub fn settings(simulations: u32, max_num_considered_actions: u32) -> Settings {
    Settings { simulations, max_num_considered_actions, ..Settings::default() }
}

pub fn empty_board(variant: Variant, size: u8) -> Position {
    Position::new(variant.rules(size).unwrap())
}

/// Plays moves given as text.
pub fn play(mut position: Position, moves: &str) -> Position {
    for text in moves.split_whitespace() {
        position.play(text.parse().unwrap()).unwrap();
    }
    position
}

/// A position after some arbitrary moves, with the game still running; deterministic for a given
/// seed.
pub fn wander(variant: Variant, size: u8, seed: u64, turns: usize) -> Position {
    let mut position = empty_board(variant, size);
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
    for _ in 0..turns {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        let legal = position.legal_moves();
        let mut next = position.clone();
        next.play(legal[(state >> 33) as usize % legal.len()]).unwrap();
        if next.outcome().is_some() {
            break;
        }
        position = next;
    }
    position
}

/// Runs one search to its end with the scripted evaluator.
pub fn searched(root: Position, settings: Settings, seed: u64) -> Search {
    let mut searches = [Search::new(root, settings, seed)];
    run(&mut searches, &mut Scripted::default()).unwrap();
    let [search] = searches;
    search
}

/// The tree as text.
pub fn tree(search: &Search) -> String {
    search.state().to_string()
}

pub fn total_visits(result: &SearchResult) -> u32 {
    result.moves.iter().map(|stats| stats.visits).sum()
}
