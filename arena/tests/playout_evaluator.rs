//! Strength of tree search with random playouts, compared with plain UCT.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use arena::{Match, MatchReport, Player, PlayerSetup, PlayoutEvaluator, ReferencePlayer};
use engine::Rules;

/// Simulations and playouts of each with about `playouts` in total, against UCT with as many.
fn against_uct(rules: &str, size: u8, playouts: u32, pairs: usize) -> MatchReport {
    let searching = Player::searching(0, playouts / 32 - 1);
    let players = [
        PlayerSetup::new("playouts", searching),
        PlayerSetup::new("uct", ReferencePlayer::Uct { playouts }),
    ];
    let rules = Rules::parse(rules, size).unwrap();
    let plan = Match { pairs, ..Match::new(rules, players) };
    plan.play(&mut [PlayoutEvaluator::new(32)], &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn it_beats_greedy_play_under_an_own_rule_set() {
    let rules = Rules::parse("tile,tile_limit=2,end=area", 5).unwrap();
    let players = [
        PlayerSetup::new("playouts", Player::searching(0, 8)),
        PlayerSetup::new("greedy", ReferencePlayer::Greedy),
    ];
    let plan = Match { pairs: 8, ..Match::new(rules, players) };
    let report =
        plan.play(&mut [PlayoutEvaluator::new(16)], &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(report.tally.total().wins >= 13, "{report}");
}

#[test]
#[ignore = "takes minutes"]
fn it_is_no_weaker_than_uct_with_as_many_playouts() {
    for (rules, size) in [("go", 7), ("tile", 7), ("alter-igo", 7), ("conquest", 7), ("go", 9)] {
        let report = against_uct(rules, size, 1024, 20);
        println!("{report}");
        assert!(report.tally.total().share() >= 0.5, "{report}");
    }
}
