//! Self-play with evaluators without a network.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use engine::{Position, Rules, Variant};
use search::evaluators::{Nan, Scripted};
use search::{Evaluation, Evaluator, EvaluatorError};
use selfplay::{Mixture, Phase, SelfPlay, SelfPlaySettings, TrainingRecord, TurnRecord, Worker};

const PHASE: Phase = Phase { simulations: 8, model: 5 };

fn settings() -> SelfPlaySettings {
    SelfPlaySettings { games: 12, ..SelfPlaySettings::default() }
}

fn some_games(variant: Variant, seed: u64) -> Vec<TrainingRecord> {
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
            assert_eq!(outcome.result, game.result, "{variant}");
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
    let mut play = SelfPlay::new(&[Mixture::of(rules)], &settings(), PHASE, 3, 1);
    let mut games = 0;
    let take = |game: Option<TrainingRecord>, _: &_| {
        games += usize::from(game.is_some());
        games < 20
    };
    let report = play.play(&Mixture::of(rules), PHASE, || Scripted { seed: 2 }, take).unwrap();
    assert!(report.games >= 20);
    assert_eq!(report.games as usize, games);
    assert!(report.evaluations >= report.batches * 4);
}

#[test]
fn an_evaluator_that_fails_ends_the_phase_with_its_error() {
    let rules = Variant::Go.rules(4).unwrap();
    let mut play = SelfPlay::new(&[Mixture::of(rules)], &settings(), PHASE, 2, 1);
    assert!(play.play(&Mixture::of(rules), PHASE, || Nan, |_, _| true).is_err());
}

/// Leaves out the last position.
struct Short;

impl Evaluator for Short {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Scripted { seed: 1 }.evaluate(&batch[1..])
    }
}

#[test]
fn no_game_is_lost_silently_where_an_evaluation_is_missing() {
    let mut worker = Worker::new(Variant::Go.rules(4).unwrap(), settings(), PHASE, 3, 1);
    let error = worker.step(&mut Short).unwrap_err();
    assert!(matches!(error, EvaluatorError::AnswerCount { expected: 3, found: 2 }), "{error}");
}

/// Games of one worker, as many as asked for.
fn games_with(variant: Variant, settings: SelfPlaySettings, count: usize) -> Vec<TrainingRecord> {
    let mut worker = Worker::new(variant.rules(5).unwrap(), settings, PHASE, 6, 3);
    let mut games = Vec::new();
    while games.len() < count {
        games.extend(worker.step(&mut Scripted { seed: 1 }).unwrap().1);
    }
    games
}

#[test]
fn a_phase_is_of_one_size_and_games_of_others_wait() {
    let mixtures = [3, 5].map(|size| Mixture::of(Variant::Incursion.rules(size).unwrap()));
    let mut play = SelfPlay::new(&mixtures, &settings(), PHASE, 2, 1);
    for mixture in [0, 1, 0].map(|index: usize| &mixtures[index]) {
        let mut games = 0;
        let take = |game: Option<TrainingRecord>, _: &_| {
            if let Some(game) = game {
                games += 1;
                assert_eq!(game.size, mixture.size());
                game.replay().unwrap();
            }
            games < 4
        };
        play.play(mixture, PHASE, || Scripted { seed: 2 }, take).unwrap();
    }
}

#[test]
fn komi_varies_where_there_is_one() {
    let varied = SelfPlaySettings { komi_share: 1.0, komi_deviation: 4.0, ..settings() };
    let given = |game: &TrainingRecord| game.start().unwrap().rules().compensation_amount();
    for variant in Variant::ALL {
        let rules = variant.rules(5).unwrap();
        let games = games_with(variant, varied.clone(), 8);
        let differ = games.iter().any(|game| given(game) != rules.compensation_amount());
        assert_eq!(
            differ,
            rules.with_compensation(1.0) != rules.with_compensation(2.0),
            "{variant}"
        );
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
        games.iter().map(TrainingRecord::rows).sum::<usize>() as f32 / turns as f32
    };
    let (softened, full) = (rows(0.4), rows(0.0));
    assert!(softened < 0.9 * full, "{softened} of turns against {full}");
}

/// The result of a position for Black, 1, 0 or −1, from all games that can follow.
fn exhaustive(position: &Position) -> i32 {
    if let Some(outcome) = position.outcome() {
        return outcome.result.black_value() as i32;
    }
    let sign = position.turn().sign() as i32;
    let mut best = -1;
    for played in position.legal_moves() {
        let mut next = position.clone();
        next.play(played).unwrap();
        best = best.max(sign * exhaustive(&next));
        if best == 1 {
            break;
        }
    }
    sign * best
}

/// On a board so small that all that can follow is played out, in games that end soon.
#[test]
fn proven_results_are_those_of_best_play() {
    for variant in Variant::ALL {
        let rules = Rules::parse(&format!("{variant},max_moves=8"), 2).unwrap();
        let mut worker = Worker::new(rules, settings(), PHASE, 6, 3);
        let (mut games, mut proven) = (0, 0);
        while games < 12 {
            for game in worker.step(&mut Scripted { seed: 1 }).unwrap().1 {
                games += 1;
                let visit = |turn: &TurnRecord, position: &Position| {
                    if let Some(result) = turn.proven {
                        proven += 1;
                        let (found, shown) = (result.black_value(), exhaustive(position) as f32);
                        assert_eq!((found, turn.root_value), (shown, shown), "{variant}");
                    }
                    Ok(())
                };
                game.replay_with(visit).unwrap();
            }
        }
        assert!(proven > 0, "{variant}: a search of 8 sees the end of a game");
    }
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

/// No opening of any kind.
fn plain() -> SelfPlaySettings {
    SelfPlaySettings { random_share: 0.0, fork_share: 0.0, opening_share: 0.0, ..settings() }
}

#[test]
fn moves_are_drawn_as_their_targets_say() {
    // On 5×5: twelve turns from the targets, twelve from their squares. Every turn has one, because nobody gives up, and
    // values weigh little in it, so that squares make a difference.
    let drawing = SelfPlaySettings {
        sampled_plies: 0.48,
        sharpened_plies: 0.96,
        agreed_chance: 0.0,
        value_scale: 0.1,
        ..plain()
    };
    let games = games_with(Variant::Go, drawing, 100);
    for (power, turns) in [(1, 0..12), (2, 12..24)] {
        // Of the likeliest move of a turn and of the second: how often they are played, and how often they should be.
        let (mut played, mut expected, mut all) = ([0.0; 2], [0.0; 2], 0.0);
        let long = games.iter().filter(|game| game.turns.len() >= turns.end);
        for turn in long.flat_map(|game| &game.turns[turns.clone()]) {
            let mut target = turn.target.clone();
            target.sort_by_key(|&(_, weight)| std::cmp::Reverse(weight));
            let weight = |&(_, weight): &(u16, u16)| f64::from(weight).powi(power);
            let total: f64 = target.iter().map(weight).sum();
            all += 1.0;
            for (rank, one) in target.iter().enumerate().take(2) {
                expected[rank] += weight(one) / total;
                played[rank] += f64::from(u8::from(one.0 == turn.action));
            }
        }
        assert!(all > 600.0, "{all} turns");
        for (played, expected) in played.iter().zip(expected) {
            let differ = (played - expected) / all;
            assert!(differ.abs() < 0.05, "power {power}: {played} for {expected} of {all}");
        }
    }
}

/// Has no doubt that Black wins.
struct Sure;

impl Evaluator for Sure {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let evaluations = Scripted { seed: 1 }.evaluate(batch)?;
        Ok(evaluations
            .into_iter()
            .map(|evaluation| Evaluation { value: 0.99, ..evaluation })
            .collect())
    }
}

#[test]
fn decided_games_cost_less() {
    let evaluations_a_turn = |decided_chance| {
        let settings = SelfPlaySettings {
            decided_chance,
            decided_turns: 1,
            agreed_chance: 0.0,
            audit_share: 0.0,
            ..plain()
        };
        let mut worker = Worker::new(Variant::Go.rules(4).unwrap(), settings, PHASE, 6, 3);
        let (mut turns, mut evaluations, mut games) = (0, 0, 0);
        while games < 20 {
            let (evaluated, ended) = worker.step(&mut Sure).unwrap();
            evaluations += evaluated;
            games += ended.len();
            turns += ended.iter().map(|game| game.turns.len()).sum::<usize>();
        }
        evaluations as f32 / turns as f32
    };
    let (full, halved) = (evaluations_a_turn(0.0), evaluations_a_turn(0.1));
    assert!(halved < 0.7 * full, "{halved} where there were {full}");
}

#[test]
fn random_openings_are_short_and_not_learnt_from() {
    for variant in Variant::ALL {
        let random = SelfPlaySettings { random_share: 1.0, ..plain() };
        let mut lengths = [0; 4];
        for game in games_with(variant, random, 24) {
            let unsearched = game.turns.iter().take_while(|turn| turn.simulations == 0).count();
            lengths[unsearched.min(3)] += 1;
            assert!(game.turns[..unsearched].iter().all(|turn| turn.target.is_empty()));
            assert!(game.turns.len() > unsearched, "{variant}: over before it began");
            assert!(!game.turns[unsearched].target.is_empty(), "{variant}");
            assert_eq!(game.replay().unwrap().outcome().unwrap().result, game.result);
        }
        assert!(lengths[0] == 0 && lengths[1..].iter().all(|&games| games > 0), "{lengths:?}");
    }
}

#[test]
fn forked_games_leave_the_best_move_once_and_are_learnt_from_after_that() {
    let games = |fork_share| {
        let early = SelfPlaySettings { sampled_plies: 0.0, sharpened_plies: 0.0, ..plain() };
        let forking = SelfPlaySettings { fork_share, fork_plies: 0.0, ..early };
        games_with(Variant::Go, forking, 24)
    };
    for game in games(1.0) {
        let fork = &game.turns[0];
        assert!(fork.simulations > 0 && fork.target.is_empty());
        assert!(game.turns[1..].iter().all(|turn| !turn.target.is_empty()));
    }
    // With equal seeds searches agree, so the first moves tell whether the best one was played.
    let first = |share| -> HashSet<(u64, u16)> {
        games(share).iter().map(|game| (game.seed, game.turns[0].action)).collect()
    };
    assert!(first(1.0).is_disjoint(&first(0.0)));
}

#[test]
fn openings_come_as_often_as_they_should() {
    let mixed = SelfPlaySettings { random_share: 0.3, fork_share: 0.2, fork_plies: 0.0, ..plain() };
    let games = games_with(Variant::Go, mixed, 400);
    let share = |of: fn(&TrainingRecord) -> bool| {
        games.iter().filter(|game| of(game)).count() as f32 / games.len() as f32
    };
    let random = share(|game| game.turns[0].simulations == 0);
    let forked = share(|game| game.turns[0].simulations > 0 && game.turns[0].target.is_empty());
    assert!((random - 0.3).abs() < 0.1 && (forked - 0.2).abs() < 0.1, "{random}, {forked}");
}

#[test]
fn restarts_go_on_from_earlier_games_and_play_again() {
    let restarting = SelfPlaySettings { restart_share: 0.5, ..plain() };
    let games = games_with(Variant::Incursion, restarting, 60);
    let mut restarted = 0;
    for game in &games {
        assert_eq!(game.replay().unwrap().outcome().unwrap().result, game.result);
        restarted += usize::from(game.turns[0].target.is_empty());
    }
    assert!(restarted > 5, "{restarted} of {}", games.len());
}
