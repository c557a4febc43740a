//! Checks puzzles with the solver: those included in the program, and those that the finder finds
//! by search alone.

#![allow(clippy::unwrap_used)]

use engine::{GameResult, Move, Rules};
use game::{DecidedBy, Puzzle, Verification};
use solver::{Solution, Solver};
use studies::{PuzzlePlan, puzzles};

/// The only winning move of the player to move, by the solver; `None` if there is no or more than
/// one winning move.
fn only_winner(puzzle: &Puzzle) -> Option<Move> {
    let game = puzzle.game().unwrap();
    let mut solver = Solver::new(*game.rules()).winners_only(true);
    let Solution { value, best, .. } = solver.solve(&puzzle.moves).unwrap();
    let wins = value.result() == GameResult::Won(game.position().turn());
    (wins && best.len() == 1).then(|| best[0])
}

/// Checks that one move is right and all others are wrong, that each wrong move's reply is legal,
/// and that the rule decides as stated.
fn check(puzzle: &Puzzle) {
    let game = puzzle.game().unwrap();
    let position = game.position();
    let mut told: Vec<Move> = puzzle.wrong.iter().map(|wrong| wrong.played).collect();
    told.push(puzzle.solution);
    let mut legal: Vec<Move> = position.legal_moves().to_vec();
    told.sort();
    legal.sort();
    assert_eq!(told, legal, "{puzzle:?}");
    for wrong in &puzzle.wrong {
        let mut after = position.clone();
        after.play(wrong.played).unwrap();
        match wrong.reply {
            Some(reply) => assert!(after.check_move(reply).is_ok(), "{puzzle:?}"),
            None => assert!(after.outcome().is_some(), "{puzzle:?}"),
        }
    }
    match &puzzle.decided {
        DecidedBy::Without { part, rules, wins, .. } => {
            let own = position.rules().distinctive_parts();
            let own = own.iter().find(|own| own.name == part).unwrap();
            assert_eq!(own.without, Rules::parse(rules, puzzle.size).unwrap());
            assert_ne!(wins[..], [puzzle.solution]);
            assert!(position.under(own.without).is_ok());
        }
        DecidedBy::Conquers { after, played, points } => {
            let mut before = position.clone();
            after.iter().for_each(|&wrong| before.play(wrong).unwrap());
            let mover = before.turn();
            let owned = *before.owned(mover);
            before.play(*played).unwrap();
            assert_eq!(before.owned(mover).without(&owned).count(), *points);
        }
    }
}

#[test]
fn shipped_puzzles_are_what_they_say() {
    let mut easier = None;
    for puzzle in Puzzle::shipped() {
        check(puzzle);
        let is_next =
            easier.is_some_and(|(rules, prior)| rules == &puzzle.rules && puzzle.prior > prior);
        assert!(!is_next, "the easy ones come first: {puzzle:?}");
        easier = Some((&puzzle.rules, puzzle.prior));
    }
}

#[test]
fn shipped_puzzles_that_are_proved_are_proved_again() {
    for puzzle in Puzzle::shipped() {
        match puzzle.verified {
            Verification::Proved => {
                assert_eq!(only_winner(puzzle), Some(puzzle.solution), "{puzzle:?}")
            }
            Verification::Searched(_) => {}
        }
    }
}

/// The finder without the solver finds nothing that the solver knows better.
#[test]
fn what_is_found_by_search_agrees_with_the_solver() {
    let mut found = 0;
    for (rules, size) in [("conquest", 4), ("nogo", 4), ("atari-go", 4), ("atari-go", 3)] {
        let plan =
            PuzzlePlan { count: 2, games: 20, playing: 4, simulations: 100, nodes: 0, seed: 1 };
        let mut evaluator = arena::CachedPlayoutEvaluator::with_capacity(10_000);
        let rules = Rules::parse(rules, size).unwrap();
        for puzzle in puzzles(rules, &plan, &mut evaluator, &mut |_| {}).unwrap() {
            assert_eq!(puzzle.verified, Verification::Searched(100));
            assert_eq!(only_winner(&puzzle), Some(puzzle.solution), "{puzzle:?}");
            check(&puzzle);
            found += 1;
        }
    }
    assert!(found > 0);
}
