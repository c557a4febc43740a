//! Self-play with evaluators that need no network.

#![allow(clippy::unwrap_used)]

use engine::Variant;
use search::evaluators::{Nan, Scripted};
use selfplay::{GameRecord, Phase, SelfPlay, SelfPlaySettings, Worker};

const PHASE: Phase = Phase { simulations: 8, model: 5 };

fn settings() -> SelfPlaySettings {
    SelfPlaySettings { games: 12, ..SelfPlaySettings::default() }
}

fn some_games(variant: Variant, seed: u64) -> Vec<GameRecord> {
    let rules = variant.rules(5).unwrap();
    let mut worker = Worker::new(rules, settings(), PHASE, 6, seed);
    let mut evaluator = Scripted { seed: 1 };
    let mut games = Vec::new();
    while games.len() < 8 {
        games.extend(worker.step(&mut evaluator).unwrap().1);
    }
    games
}

#[test]
fn records_of_every_variant_play_again_to_their_result() {
    for variant in Variant::ALL {
        for game in some_games(variant, 3) {
            let outcome = game.replay().unwrap().outcome().unwrap();
            assert_eq!(outcome.winner, game.winner, "{variant}");
            assert!(game.rows() > 0);
            for turn in game.turns.iter().filter(|turn| !turn.target.is_empty()) {
                let total: u32 = turn.target.iter().map(|&(_, weight)| u32::from(weight)).sum();
                assert!((65_000..66_000).contains(&total), "{variant}: {total}");
            }
        }
    }
}

#[test]
fn one_seed_gives_the_same_games_twice() {
    assert_eq!(some_games(Variant::Incursion, 9), some_games(Variant::Incursion, 9));
    assert_ne!(some_games(Variant::Incursion, 9), some_games(Variant::Incursion, 10));
}

#[test]
fn workers_share_the_games_and_stop_when_told() {
    let rules = Variant::Go.rules(4).unwrap();
    let mut play = SelfPlay::new(rules, &settings(), PHASE, 3, 1);
    let mut games = 0;
    let take = |game: Option<GameRecord>, _: &_| {
        games += usize::from(game.is_some());
        games < 20
    };
    let report = play.play(PHASE, || Scripted { seed: 2 }, take).unwrap();
    assert!(report.games >= 20);
    assert_eq!(report.games as usize, games);
    assert!(report.evaluations >= report.batches * 4);
}

#[test]
fn an_evaluator_that_fails_ends_the_phase_with_its_error() {
    let rules = Variant::Go.rules(4).unwrap();
    let mut play = SelfPlay::new(rules, &settings(), PHASE, 2, 1);
    assert!(play.play(PHASE, || Nan, |_, _| true).is_err());
}
