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
    let mut play = SelfPlay::new(&[(rules, 1.0)], &settings(), PHASE, 3, 1);
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
    let mut play = SelfPlay::new(&[(rules, 1.0)], &settings(), PHASE, 2, 1);
    assert!(play.play(PHASE, || Nan, |_, _| true).is_err());
}

/// Games of one worker, as many as asked for.
fn games_with(variant: Variant, settings: SelfPlaySettings, count: usize) -> Vec<GameRecord> {
    let mut worker = Worker::new(variant.rules(5).unwrap(), settings, PHASE, 6, 3);
    let mut games = Vec::new();
    while games.len() < count {
        games.extend(worker.step(&mut Scripted { seed: 1 }).unwrap().1);
    }
    games
}

#[test]
fn several_sizes_are_played_side_by_side() {
    let rules = |size| Variant::Incursion.rules(size).unwrap();
    let tables = [(rules(3), 1.0), (rules(5), 2.0)];
    let mut play = SelfPlay::new(&tables, &settings(), PHASE, 2, 1);
    let mut games = [0, 0];
    let take = |game: Option<GameRecord>, _: &_| {
        if let Some(game) = game {
            games[usize::from(game.size == 5)] += 1;
            game.replay().unwrap();
        }
        games.into_iter().min() < Some(4)
    };
    play.play(PHASE, || Scripted { seed: 2 }, take).unwrap();
}

#[test]
fn komi_varies_where_there_is_one() {
    let varied = SelfPlaySettings { komi_share: 1.0, komi_deviation: 4.0, ..settings() };
    let komi = |game: &GameRecord| game.start().unwrap().rules().komi;
    for variant in Variant::ALL {
        let rules = variant.rules(5).unwrap();
        let games = games_with(variant, varied.clone(), 8);
        let differ = games.iter().any(|game| komi(game) != rules.komi);
        assert_eq!(differ, rules.has_score(), "{variant}");
    }
}

#[test]
fn decided_games_teach_less() {
    let rows = |decided_chance| {
        let settings = SelfPlaySettings {
            decided_chance,
            decided_turns: 1,
            decided_rows: 0.0,
            audit_share: 0.0,
            ..settings()
        };
        let games = games_with(Variant::Go, settings, 12);
        let turns: usize = games.iter().map(|game| game.turns.len()).sum();
        games.iter().map(GameRecord::rows).sum::<usize>() as f32 / turns as f32
    };
    let (softened, full) = (rows(0.4), rows(0.0));
    assert!(softened < 0.9 * full, "{softened} of turns against {full}");
}

#[test]
fn proven_results_are_those_of_the_search() {
    let games = games_with(Variant::AlterIgo, settings(), 12);
    let mut proven = 0;
    for game in &games {
        let last = game.turns.len() - 1;
        proven += usize::from(game.turns[last].proven.is_some());
        for turn in 0..game.turns.len() {
            let found = game.turns[turn].proven;
            assert_eq!(game.result(turn), found.unwrap_or(game.winner));
        }
    }
    assert!(proven > 0, "a win on the spot is seen by a search of 8");
}

#[test]
fn surprise_is_nought_only_where_nothing_was_learnt() {
    for game in some_games(Variant::Incursion, 3) {
        for turn in &game.turns {
            assert!(turn.surprise.is_finite() && turn.surprise >= 0.0);
            assert!(!turn.target.is_empty() || turn.surprise == 0.0);
        }
        assert!(game.turns.iter().any(|turn| turn.surprise > 0.0));
    }
}

#[test]
fn restarts_go_on_from_earlier_games_and_play_again() {
    let restarting = SelfPlaySettings { restart_share: 0.5, opening_share: 0.0, ..settings() };
    let games = games_with(Variant::Incursion, restarting, 60);
    let mut restarted = 0;
    for game in &games {
        assert_eq!(game.replay().unwrap().outcome().unwrap().winner, game.winner);
        restarted += usize::from(game.turns[0].target.is_empty());
    }
    assert!(restarted > 5, "{restarted} of {}", games.len());
}
