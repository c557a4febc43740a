//! Properties of every search under every variant.

#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use std::collections::HashSet;

use common::{empty_board, searched, settings, total_visits, tree, wander};
use engine::{Color, Move, Position, Variant};
use search::evaluators::{Scripted, Uniform};
use search::{Counted, Evaluation, Evaluator, EvaluatorError, Leaf, Search, Settings, run};

fn cases() -> impl Iterator<Item = (Position, Settings, u64)> {
    Variant::ALL.into_iter().flat_map(|variant| {
        (0..12).map(move |seed| {
            let simulations = [0, 1, 2, 8, 16, 32, 50, 64][seed as usize % 8];
            let considered = [16, 8, 4][seed as usize % 3];
            let root = wander(variant, 4 + (seed % 2) as u8, seed, 4 * seed as usize);
            (root, settings(simulations, considered), seed)
        })
    })
}

#[test]
fn equal_seeds_give_equal_trees() {
    for (root, settings, seed) in cases() {
        let first = searched(root.clone(), settings, seed);
        let second = searched(root, settings, seed);
        assert_eq!(tree(&first), tree(&second));
        assert_eq!(first.result(), second.result());
        assert_eq!(first.state().principal_variation(), second.state().principal_variation());
    }
}

#[test]
fn seeds_matter_only_with_noise() {
    let root = empty_board(Variant::Go, 5);
    let noisy = settings(16, 4);
    let quiet = Settings { gumbel_scale: 0.0, ..noisy };
    let tree = |settings, seed| tree(&searched(root.clone(), settings, seed));
    assert_ne!(tree(noisy, 1), tree(noisy, 2));
    assert_eq!(tree(quiet, 1), tree(quiet, 2));
}

#[test]
fn results_are_well_formed() {
    for (root, settings, seed) in cases() {
        let legal = root.legal_moves();
        let result = searched(root.clone(), settings, seed).result();
        let moves: Vec<Move> = result.moves.iter().map(|stats| stats.played).collect();
        assert_eq!(moves, legal.to_vec(), "the policy lists the legal moves in their order");
        let sum: f32 = result.moves.iter().map(|stats| stats.policy).sum();
        assert!((sum - 1.0).abs() < 1e-5, "the policy sums to {sum}");
        assert!(result.moves.iter().all(|stats| stats.policy >= 0.0));
        assert!(legal.contains(&result.best));
        assert!(result.root_value.abs() <= 1.0 && result.raw_value.abs() <= 1.0);
        if result.proven.is_none() {
            assert_eq!(total_visits(&result), settings.simulations);
        } else {
            assert!(total_visits(&result) <= settings.simulations);
        }
    }
}

#[test]
fn visits_follow_the_schedule() {
    let visits = |simulations, considered| {
        let result =
            searched(empty_board(Variant::Go, 5), settings(simulations, considered), 3).result();
        let mut visits: Vec<u32> =
            result.moves.iter().map(|stats| stats.visits).filter(|&visits| visits > 0).collect();
        visits.sort_unstable_by(|a, b| b.cmp(a));
        visits
    };
    assert_eq!(visits(16, 16), [1; 16]);
    assert_eq!(visits(8, 4), [3, 3, 1, 1]);
    assert_eq!(visits(32, 16), [4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(visits(32, 8), [11, 11, 3, 3, 1, 1, 1, 1]);
    assert_eq!(visits(64, 16), [15, 15, 7, 7, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn without_simulations_the_policy_is_the_prior() {
    let root = wander(Variant::Incursion, 5, 1, 4);
    let evaluation = Scripted::default().evaluate(&[&root]).unwrap().remove(0);
    let result = searched(root, settings(0, 16), 1).result();
    for (stats, (_, prior)) in result.moves.iter().zip(&evaluation.policy) {
        assert!((stats.policy - prior).abs() < 1e-6);
    }
    assert!((result.root_value - evaluation.value).abs() < 1e-6);
    assert_eq!(result.raw_value, evaluation.value);
}

/// An evaluator that considers everything even, except that C3 is worth having.
struct LikesTheMiddle;

impl Evaluator for LikesTheMiddle {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut evaluations = Uniform.evaluate(batch)?;
        let middle = "C3".parse().unwrap();
        for (position, evaluation) in batch.iter().zip(&mut evaluations) {
            let owns = |color| f32::from(u8::from(position.stones(color).contains(middle)));
            evaluation.value = 0.9 * (owns(Color::Black) - owns(Color::White));
        }
        Ok(evaluations)
    }
}

#[test]
fn values_are_blacks_whoever_is_to_move() {
    for (moves, sign) in [("", 1.0), ("A1", -1.0)] {
        let root = common::play(empty_board(Variant::Go, 5), moves);
        let settings = Settings { gumbel_scale: 0.0, ..settings(64, 32) };
        let mut searches = [Search::new(root, settings, 0)];
        run(&mut searches, &mut LikesTheMiddle).unwrap();
        let result = searches[0].result();
        assert_eq!(result.best.to_string(), "C3");
        assert!(sign * result.root_value > 0.8, "{result:?}");
        assert!(
            result.moves.iter().any(|stats| stats.played == result.best && stats.policy > 0.99)
        );
    }
}

/// Runs a search with several leaves in flight, answered last to first.
fn searched_in_flight(root: Position, settings: Settings, seed: u64, width: usize) -> Search {
    run_in_flight(Search::new(root, settings, seed), width)
}

fn run_in_flight(search: Search, width: usize) -> Search {
    let mut stepwise = search.into_stepwise();
    loop {
        let mut leaves: Vec<Leaf> = Vec::new();
        while leaves.len() < width {
            let Some(leaf) = stepwise.select() else { break };
            leaves.push(leaf);
        }
        if leaves.is_empty() {
            let search = stepwise.into_search();
            assert!(search.is_finished());
            return search;
        }
        for leaf in leaves.into_iter().rev() {
            let evaluation =
                Scripted::default().evaluate(&[stepwise.position(&leaf)]).unwrap().remove(0);
            stepwise.expand(leaf, &evaluation).unwrap();
        }
    }
}

#[test]
fn one_ply_searches_do_not_care_how_many_leaves_are_in_flight() {
    let root = wander(Variant::Stoical, 5, 2, 3);
    let alone = searched(root.clone(), settings(16, 16), 5);
    let together = searched_in_flight(root, settings(16, 16), 5, 16);
    assert_eq!(tree(&alone), tree(&together));
    assert_eq!(alone.result(), together.result());
}

#[test]
fn many_leaves_in_flight_spend_the_same_budget() {
    for (root, settings, seed) in cases() {
        let result = searched_in_flight(root, settings, seed, 7).result();
        if result.proven.is_none() {
            assert_eq!(total_visits(&result), settings.simulations);
        }
    }
}

/// Records which positions each search asks for, and fails if one repeats a position of the search before it.
#[derive(Default)]
struct Noting {
    before: HashSet<u64>,
    asked: HashSet<u64>,
}

impl Evaluator for Noting {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        for position in batch {
            let key = position.hash();
            assert!(!self.before.contains(&key) && self.asked.insert(key), "asked twice");
        }
        Scripted::default().evaluate(batch)
    }
}

#[test]
fn the_next_search_is_a_fresh_one_that_asks_for_nothing_again() {
    let settings = settings(32, 8);
    for variant in Variant::ALL {
        let mut position = empty_board(variant, 5);
        let mut evaluator = Noting::default();
        let mut searches = [Search::new(position.clone(), settings, 0)];
        run(&mut searches, &mut evaluator).unwrap();
        let mut saved = 0;
        for seed in 1..8 {
            let [search] = searches;
            let played = search.result().best;
            position.play(played).unwrap();
            searches = [search.advance(played, settings, seed).unwrap()];
            evaluator.before = std::mem::take(&mut evaluator.asked);
            run(&mut searches, &mut evaluator).unwrap();
            let fresh = searched(position.clone(), settings, seed);
            assert_eq!(tree(&searches[0]), tree(&fresh), "{variant}");
            assert_eq!(searches[0].result(), fresh.result(), "{variant}");
            saved += fresh.state().nodes() - evaluator.asked.len();
        }
        assert!(saved > 14, "{variant}: {saved} in seven searches, seven of them for the roots");
    }
}

#[test]
fn the_next_search_spends_its_budget_with_many_leaves_in_flight() {
    for (root, settings, seed) in cases() {
        let search = searched_in_flight(root, settings, seed, 7);
        let played = search.result().best;
        let next = search.advance(played, settings, seed + 1).unwrap();
        let result = run_in_flight(next, 7).result();
        if result.proven.is_none() && settings.simulations > 0 {
            assert_eq!(total_visits(&result), settings.simulations);
        }
    }
}

#[test]
fn the_next_search_inherits_the_root_evaluation() {
    let settings = settings(16, 16);
    let mut evaluator = Counted::new(Scripted::default());
    let root = empty_board(Variant::Tile, 5);
    let mut searches = [Search::new(root.clone(), settings, 1)];
    run(&mut searches, &mut evaluator).unwrap();
    assert_eq!((evaluator.positions, evaluator.batches), (17, 17));

    let [first] = searches;
    let played = first.result().best;
    let mut searches = [first.advance(played, settings, 2).unwrap()];
    run(&mut searches, &mut evaluator).unwrap();
    assert_eq!(evaluator.positions, 33, "one evaluation saved");

    let mut next = root;
    next.play(played).unwrap();
    assert_eq!(tree(&searches[0]), tree(&searched(next, settings, 2)));
    let [search] = searches;
    assert!(search.advance(played, settings, 3).is_err(), "the point is taken");
}

#[test]
fn a_move_that_was_not_visited_begins_a_new_search() {
    let root = empty_board(Variant::Cushion, 5);
    let search = searched(root.clone(), settings(2, 2), 1);
    let unvisited = search.result().moves.iter().find(|stats| stats.visits == 0).unwrap().played;
    let mut searches = [search.advance(unvisited, settings(4, 4), 2).unwrap()];
    run(&mut searches, &mut Scripted::default()).unwrap();
    let mut next = root;
    next.play(unvisited).unwrap();
    assert_eq!(tree(&searches[0]), tree(&searched(next, settings(4, 4), 2)));
}

#[test]
fn leaves_that_are_in_flight_at_the_end_are_as_if_they_had_not_been_selected() {
    let (root, settings) = (wander(Variant::Go, 5, 2, 3), settings(16, 8));
    for width in [1, 3, 8] {
        let mut stepwise = Search::new(root.clone(), settings, 1).into_stepwise();
        for _ in 0..5 {
            let leaf = stepwise.select().unwrap();
            let evaluation =
                Scripted::default().evaluate(&[stepwise.position(&leaf)]).unwrap().remove(0);
            stepwise.expand(leaf, &evaluation).unwrap();
        }
        let lost: Vec<Leaf> = (0..width).map_while(|_| stepwise.select()).collect();
        assert!(!lost.is_empty());
        let mut searches = [stepwise.into_search()];
        run(&mut searches, &mut Scripted::default()).unwrap();
        assert_eq!(searches[0].result(), searched(root.clone(), settings, 1).result());
    }
}
