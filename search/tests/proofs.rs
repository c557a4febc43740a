//! Results that follow from the rules are found, are exact, and end the search.

#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use common::{empty_board, play, settings, total_visits};
use engine::{Color, GameResult, Komi, Move, Position, Rules, Variant};
use search::evaluators::{Scripted, Uniform};
use search::{Counted, Evaluation, Evaluator, EvaluatorError, Search, SearchResult, Settings, run};

/// Go on 3×3 with another komi and move limit.
fn small_go(komi: i16, max_moves: u16, moves: &str) -> Position {
    let rules = Variant::Go.rules(3).unwrap();
    play(Position::new(Rules { komi: Komi::points(komi), max_moves, ..rules }), moves)
}

/// The result, and how many evaluations it cost.
fn solved(root: Position, settings: Settings) -> (SearchResult, u64) {
    let mut evaluator = Counted::new(Uniform);
    let mut searches = [Search::new(root, settings, 1)];
    run(&mut searches, &mut evaluator).unwrap();
    (searches[0].result(), evaluator.positions)
}

fn share(result: &SearchResult, played: Move) -> f32 {
    result.moves.iter().find(|stats| stats.played == played).unwrap().policy
}

#[test]
fn a_win_in_one_ends_the_search() {
    let (result, evaluations) = solved(small_go(0, 36, "B2 pass"), settings(64, 16));
    assert_eq!(result.best, Move::Pass);
    assert_eq!(result.proven, Some(GameResult::Won(Color::Black)));
    assert_eq!((result.root_value, share(&result, Move::Pass)), (1.0, 1.0));
    assert!(evaluations <= 9, "{evaluations} evaluations for nine moves, one of which wins");
}

#[test]
fn a_move_that_loses_at_once_gets_no_weight() {
    let (result, _) = solved(small_go(10, 36, "B2 pass"), settings(32, 16));
    assert_eq!(result.proven, None);
    assert_eq!(share(&result, Move::Pass), 0.0);
    assert_ne!(result.best, Move::Pass);
    let passes = result.moves.iter().find(|stats| stats.played == Move::Pass).unwrap().visits;
    assert_eq!(passes, 1, "a proven loss is not visited again");
    assert_eq!(total_visits(&result), 32, "its visits go elsewhere");
}

#[test]
fn a_draw_is_worth_nothing_to_either_side() {
    // White's turn is the last: a stone draws, a pass loses.
    let (result, evaluations) = solved(small_go(0, 2, "B2"), settings(64, 16));
    assert_eq!(result.proven, Some(GameResult::Draw));
    assert_eq!((result.root_value, share(&result, Move::Pass)), (0.0, 0.0));
    assert!((share(&result, result.best) - 1.0 / 8.0).abs() < 1e-6);
    assert_eq!((evaluations, total_visits(&result)), (1, 9), "only the root needs an evaluation");
}

#[test]
fn a_draw_in_hand_is_played_when_nothing_better_is_known() {
    // A pass draws. This evaluator considers every other move hopeless.
    struct Gloomy;
    impl Evaluator for Gloomy {
        fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
            let mut evaluations = Uniform.evaluate(batch)?;
            evaluations.iter_mut().for_each(|evaluation| evaluation.value = -0.8);
            Ok(evaluations)
        }
    }
    let mut searches = [Search::new(small_go(9, 36, "B2 pass"), settings(32, 16), 1)];
    run(&mut searches, &mut Gloomy).unwrap();
    let result = searches[0].result();
    assert_eq!(result.best, Move::Pass);
    assert_eq!(result.proven, None);
    assert!(share(&result, Move::Pass) > 0.99 && result.root_value.abs() < 0.02, "{result:?}");
}

#[test]
fn a_lost_position_is_recognised_and_still_gives_a_move() {
    let (result, _) = solved(small_go(-20, 2, "B2"), settings(64, 16));
    assert_eq!(result.proven, Some(GameResult::Won(Color::Black)));
    assert_eq!(result.root_value, 1.0);
    assert!((share(&result, Move::Pass) - 1.0 / 9.0).abs() < 1e-6, "the prior is kept");
}

#[test]
fn finished_games_have_a_result_and_no_search() {
    let (result, evaluations) = solved(small_go(0, 36, "B2 pass pass"), settings(64, 16));
    assert_eq!((result.proven, result.root_value), (Some(GameResult::Won(Color::Black)), 1.0));
    assert_eq!((evaluations, result.moves.len()), (0, 0));
    let untouched = Search::new(empty_board(Variant::Go, 3), settings(4, 4), 0).result();
    assert_eq!(untouched.moves.len(), 10, "no evaluation yet: all moves alike");
}

/// The value of a position for Black by exhaustive search.
fn minimax(position: &Position) -> f32 {
    if let Some(outcome) = position.outcome() {
        return outcome.result.black_value();
    }
    let values = position.legal_moves().into_iter().map(|played| {
        let mut next = position.clone();
        next.play(played).unwrap();
        minimax(&next)
    });
    match position.turn() {
        Color::Black => values.fold(-1.0, f32::max),
        Color::White => values.fold(1.0, f32::min),
    }
}

#[test]
fn small_games_are_solved_exactly_in_every_variant() {
    for variant in Variant::ALL {
        for (size, max_moves) in [(2, 5), (2, 6), (3, 3)] {
            let rules = Rules { max_moves, ..variant.rules(size).unwrap() };
            let root = Position::new(rules);
            let exact = minimax(&root);
            for considered in [2, 16] {
                let mut searches = [Search::new(root.clone(), settings(50_000, considered), 9)];
                run(&mut searches, &mut Scripted::default()).unwrap();
                let result = searches[0].result();
                let name = format!("{variant} {size}×{size} in {max_moves} moves");
                assert!(result.proven.is_some(), "{name} is not solved");
                assert_eq!(result.root_value, exact, "{name}");
                if result.proven != Some(GameResult::Won(root.turn().opponent())) {
                    let mut next = root.clone();
                    next.play(result.best).unwrap();
                    assert_eq!(minimax(&next), exact, "{name}: {} spoils it", result.best);
                }
            }
        }
    }
}

/// The line of a proven move ends the game, and as it was proven to end.
#[test]
fn lines_of_proven_moves_show_what_is_proven() {
    let mut long = 0;
    for variant in Variant::ALL {
        for (size, max_moves) in [(2, 6), (3, 3)] {
            let root = Position::new(Rules { max_moves, ..variant.rules(size).unwrap() });
            let mut searches = [Search::new(root.clone(), settings(50_000, 16), 9)];
            run(&mut searches, &mut Scripted::default()).unwrap();
            for found in searches[0].state().analysis() {
                let Some(proven) = found.stats.proven else { continue };
                let mut end = root.clone();
                found.line.iter().for_each(|&(played, _)| end.play(played).unwrap());
                let result = end.outcome().map(|outcome| outcome.result);
                assert_eq!(result, Some(proven), "{variant} {size}×{size}: {:?}", found.line);
                long += usize::from(found.line.len() > 2);
            }
        }
    }
    assert!(long > 0, "nothing was proven by more than a reply");
}
