//! Open-ended searches: extended, advanced from position to position, and restricted to some moves.

#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use common::{empty_board, searched, settings, total_visits, wander};
use engine::{Bitboard, Color, GameResult, Komi, Move, Point, Position, Rules, Variant};
use search::evaluators::{Nan, Scripted, Uniform};
use search::{
    Evaluation, Evaluator, EvaluatorError, Open, Search, Settings, run, run_batched, run_while,
};

fn quiet(simulations: u32) -> Settings {
    Settings { gumbel_scale: 0.0, ..settings(simulations, 16) }
}

fn open(root: Position, settings: Settings, seed: u64) -> Search<Open> {
    Search::new(root, settings, seed).open()
}

/// Extends a search by a number of simulations and makes them.
fn extended(
    mut search: Search<Open>,
    simulations: u32,
    evaluator: &mut impl Evaluator,
) -> Search<Open> {
    search.extend(simulations);
    let mut searches = [search];
    run(&mut searches, evaluator).unwrap();
    let [search] = searches;
    search
}

/// The tree without the root's line: open-ended searches choose the best move differently.
fn tree<S>(search: &Search<S>) -> String {
    search.state().to_string().split_once('\n').unwrap().1.to_owned()
}

#[test]
fn the_first_budget_is_the_search_of_that_budget() {
    for variant in Variant::ALL {
        for (seed, simulations) in [(1, 16), (2, 32), (3, 64), (4, 100)] {
            let root = wander(variant, 5, seed, 6);
            let settings = settings(simulations, 16);
            let fixed = searched(root.clone(), settings, seed);
            let opened =
                extended(open(root, settings, seed), simulations, &mut Scripted::default());
            if fixed.result().proven.is_none() {
                assert_eq!(tree(&opened), tree(&fixed), "{variant} {seed}");
            }
        }
    }
}

#[test]
fn a_restricted_budget_is_halved_over_the_allowed_moves() {
    let root = wander(Variant::Go, 5, 3, 4);
    let only: Vec<Move> = root.legal_moves().iter().copied().step_by(5).take(4).collect();
    let start = || Search::new(root.clone(), quiet(64), 1).with_allowed_moves(only.clone());
    let mut fixed = [start()];
    run(&mut fixed, &mut Scripted::default()).unwrap();
    let opened = extended(start().open(), 64, &mut Scripted::default());
    assert_eq!(tree(&opened), tree(&fixed[0]));
    let mut visits: Vec<u32> =
        fixed[0].result().moves.iter().map(|stats| stats.visits).filter(|&it| it > 0).collect();
    visits.sort_unstable();
    assert_eq!(visits, [8, 8, 24, 24]);
}

#[test]
fn slices_make_no_difference() {
    for variant in Variant::ALL {
        let root = wander(variant, 4, 7, 5);
        let mut evaluator = Scripted::default();
        let whole = extended(open(root.clone(), quiet(32), 1), 500, &mut evaluator);
        let mut sliced = open(root, quiet(32), 1);
        for slice in [1, 7, 64, 3, 300, 125] {
            sliced = extended(sliced, slice, &mut evaluator);
        }
        let (sliced, whole) = (sliced.state(), whole.state());
        assert_eq!(sliced.to_string(), whole.to_string(), "{variant}");
        assert_eq!(sliced.started(), whole.started());
        if whole.result().proven.is_none() {
            assert_eq!(total_visits(&whole.result()), 500, "{variant}");
        }
    }
}

#[test]
fn moves_are_considered_in_growing_numbers() {
    let visited = |simulations| {
        let root = empty_board(Variant::Go, 7);
        let search = extended(open(root, quiet(32), 1), simulations, &mut Uniform);
        search.result().moves.iter().filter(|stats| stats.visits > 0).count()
    };
    assert_eq!(visited(32), 16);
    assert_eq!(visited(64), 16);
    assert_eq!(visited(128), 32);
    assert_eq!(visited(2_000), 50, "all of them in the end");
}

#[test]
fn a_search_that_follows_the_game_keeps_what_it_knows() {
    for variant in Variant::ALL {
        let mut evaluator = Scripted { seed: 5 };
        let mut search = open(empty_board(variant, 4), quiet(32), 1);
        for turn in 0..12 {
            search = extended(search, 60, &mut evaluator);
            let result = search.result();
            let analysis = search.state().analysis();
            assert_eq!(analysis[0].stats.played, result.best, "{variant}");
            let child = &analysis[0];
            let (visits, value) = (child.stats.visits, child.stats.value);
            let line = child.line.clone();
            search = search.follow(result.best).unwrap();
            if search.root().outcome().is_some() {
                break;
            }
            let analysis = search.state().analysis();
            let total: u32 = analysis.iter().map(|found| found.stats.visits).sum();
            assert_eq!(total, search.state().started(), "{variant} {turn}");
            if visits > 0 {
                assert_eq!(
                    total + 1,
                    visits,
                    "{variant} {turn}: the first visit was the position's own"
                );
                assert!(analysis.iter().any(|next| line.get(1).is_none_or(|&(played, visits)| {
                    (next.stats.played, next.stats.visits) == (played, visits)
                })));
                assert!(value.is_some());
            }
            assert!(search.is_finished(), "it waits to be extended");
        }
    }
}

#[test]
fn a_followed_search_goes_on_as_the_tree_it_was() {
    let mut evaluator = Scripted { seed: 5 };
    let search = extended(open(empty_board(Variant::Go, 5), quiet(32), 1), 400, &mut evaluator);
    let best = search.result().best;
    let below = search.state().to_string();
    let search = search.follow(best).unwrap();
    // Each line of the new tree was in the old one, one level deeper.
    for line in tree(&search).lines() {
        let columns: Vec<&str> = line.split("  policy").collect();
        assert!(below.contains(columns[0]), "{line}");
    }
    let more = extended(search, 300, &mut evaluator);
    assert_eq!(total_visits(&more.result()), more.state().started());
    let follows_nothing = more.follow("A1".parse().unwrap()).unwrap();
    let follows_nothing = follows_nothing.state();
    assert!(follows_nothing.analysis().is_empty() || follows_nothing.started() > 0);
}

#[test]
fn errors_and_width_leave_an_open_search_whole() {
    let root = wander(Variant::Go, 5, 3, 4);
    let mut searches = [open(root, quiet(32), 1)];
    for _ in 0..4 {
        searches[0].extend(200);
        assert!(run_batched(&mut searches, &mut Nan, 16).is_err());
        run_batched(&mut searches, &mut Scripted::default(), 16).unwrap();
    }
    assert_eq!(total_visits(&searches[0].result()), 800);
}

#[test]
fn only_allowed_moves_are_visited_and_chosen() {
    let root = wander(Variant::Go, 5, 3, 4);
    let only: Vec<Move> = root.legal_moves().iter().copied().skip(3).step_by(5).collect();
    for is_open in [false, true] {
        let mut searches =
            [Search::new(root.clone(), quiet(64), 1).with_allowed_moves(only.clone())];
        let search = if is_open {
            let [search] = searches;
            extended(search.open(), 300, &mut Scripted::default())
        } else {
            run(&mut searches, &mut Scripted::default()).unwrap();
            let [search] = searches;
            search.open()
        };
        let result = search.result();
        assert!(only.contains(&result.best));
        for stats in &result.moves {
            let is_untouched = stats.visits == 0 && stats.policy == 0.0;
            assert!(is_untouched || only.contains(&stats.played), "{stats:?}");
        }
        assert_eq!(search.state().analysis().len(), only.len());
        // The restriction does not apply to the next position.
        let next = search.follow(result.best).unwrap();
        let next = extended(next, 50, &mut Scripted::default());
        assert_eq!(next.state().analysis().len(), next.root().legal_moves().len());
    }
}

#[test]
fn a_search_of_lost_moves_alone_knows_their_value() {
    // White has the board and has just passed: Black's pass loses at once, and no other move may be
    // considered.
    let rules = Variant::Go.rules(5).unwrap();
    let white = rules.size.points().filter(|point| point.row() == 2).collect();
    let mut root = Position::with_stones(rules, Bitboard::EMPTY, white, Color::White).unwrap();
    root.play(Move::Pass).unwrap();
    let search = Search::new(root, quiet(16), 1).with_allowed_moves(vec![Move::Pass]).open();
    let result = extended(search, 100, &mut Scripted::default()).result();
    assert_eq!(result.best, Move::Pass);
    assert_eq!(result.root_value, -1.0, "for Black");
    let pass = result.moves.iter().find(|stats| stats.played == Move::Pass).unwrap();
    assert_eq!((pass.policy, pass.proven), (1.0, Some(GameResult::Won(Color::White))));
    assert_eq!(result.moves.iter().map(|stats| stats.policy).sum::<f32>(), 1.0);
}

#[test]
fn proofs_end_open_searches_too() {
    let rules = Variant::Go.rules(2).unwrap();
    let root = Position::new(Rules { komi: Komi::points(0), ..rules });
    let mut search = open(root, quiet(16), 1);
    let mut slices = 0;
    while search.result().proven.is_none() {
        search = extended(search, 1_000, &mut Uniform);
        slices += 1;
        assert!(slices < 200, "2×2 is small enough to be solved");
    }
    assert_eq!(search.result().proven, Some(GameResult::Won(Color::Black)));
    assert!(search.is_finished());
    search.extend(100);
    assert!(search.is_finished(), "nothing is left to find");
}

#[test]
fn the_analysis_says_what_the_result_says() {
    let root = wander(Variant::Incursion, 5, 2, 6);
    let search = extended(open(root, quiet(32), 1), 200, &mut Scripted::default());
    let result = search.result();
    let analysis = search.state().analysis();
    assert_eq!(analysis.len(), result.moves.len());
    let priors: f32 = analysis.iter().map(|found| found.stats.prior).sum();
    assert!((priors - 1.0).abs() < 1e-4);
    for found in &analysis {
        assert!(result.moves.contains(&found.stats));
        assert_eq!(found.line[0], (found.stats.played, found.stats.visits));
        assert!((0.0..=1.0).contains(&found.deviation), "{found:?}");
    }
    let line: Vec<Move> = analysis[0].line.iter().map(|&(played, _)| played).collect();
    assert_eq!(line, search.state().principal_variation());
}

/// Likes a first stone on C3, but nothing that follows it.
struct Disappointed;

impl Evaluator for Disappointed {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut evaluations = Uniform.evaluate(batch)?;
        for (evaluation, position) in evaluations.iter_mut().zip(batch) {
            if position.stones(Color::Black).contains(Point::new(2, 2)) {
                evaluation.value = if position.turns() == 1 { 0.5 } else { -1.0 };
            }
        }
        Ok(evaluations)
    }
}

#[test]
fn a_fixed_search_that_is_stopped_in_a_round_does_not_play_what_the_round_has_refuted() {
    let best_after = |simulations: u32| {
        let mut searches = [Search::new(empty_board(Variant::Go, 3), quiet(32), 1)];
        let mut batches = 0;
        run_while(&mut searches, &mut Disappointed, 1, &mut |_| {
            batches += 1;
            batches <= simulations
        })
        .unwrap();
        assert_eq!(searches[0].state().started(), simulations);
        searches[0].result().best
    };
    let corner = Move::Place(Point::new(2, 2));
    assert_eq!(best_after(10), corner, "each move has been visited once");
    assert_ne!(best_after(11), corner, "only this one has been visited twice");
}

/// A repetition ends the game while the stones still count for one side.
#[test]
fn nobody_leads_where_a_repetition_draws() {
    struct Ahead;
    impl Evaluator for Ahead {
        fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
            let mut evaluations = Uniform.evaluate(batch)?;
            evaluations.iter_mut().for_each(|evaluation| evaluation.lead = Some(5.0));
            Ok(evaluations)
        }
    }
    let text = "rules go,suicide=false,repetition=draw,komi=0\nsize 4x4\n\
                .XO.\nXO.O\n.XO.\nXX..\nblack to move\n";
    let root = common::play(text.parse().unwrap(), "C3 B3");
    let repeats: Move = "C3".parse().unwrap();
    let mut next = root.clone();
    next.play(repeats).unwrap();
    assert_eq!(next.outcome().unwrap().result, GameResult::Draw);
    assert!(next.score().unwrap() > 0.0);
    let search = extended(open(root, quiet(64), 1), 64, &mut Ahead);
    let analysis = search.state().analysis();
    let lead = |played: Move| analysis.iter().find(|found| found.stats.played == played)?.lead;
    assert_eq!(lead(repeats).unwrap().mean, 0.0);
    assert!(lead("A4".parse().unwrap()).is_none_or(|lead| lead.mean > 0.0));
}
