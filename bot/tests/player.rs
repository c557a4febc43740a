//! The player: time, reuse of searches, resignation.

#![allow(clippy::unwrap_used)] // helpers of tests

#[path = "common/hopeless.rs"]
mod hopeless;

use std::ops::ControlFlow;

use bot::{Effort, Level, Player, Resignation, Settings, SupportedRules, TimeControl};
use engine::{Color, Rules, Variant};
use search::evaluators::Scripted;
use search::{Counted, Evaluator, SearchState};

use hopeless::Hopeless;

fn player<E: Evaluator>(rules: &str, evaluator: E, settings: Settings) -> Player<E> {
    Player::new(SupportedRules::new(rules, &[5]).unwrap(), evaluator, settings)
}

fn settings(effort: Effort, simulations: u32) -> Settings {
    let mut settings = Settings { effort, ..Settings::default() };
    settings.search.simulations = simulations;
    settings
}

#[test]
fn no_time_at_all_is_enough_for_a_legal_move() {
    for variant in Variant::ALL {
        for control in [
            TimeControl::Absolute { main: 0.01 },
            TimeControl::ByoYomi { main: 0.0, period: 0.01, periods: 1 },
            TimeControl::Canadian { main: 0.0, period: 0.01, stones: 10 },
            TimeControl::Fischer { main: 0.01, increment: 0.0, limit: None, longest: None },
        ] {
            let simulations = 1_000_000;
            let mut player =
                player(variant.name(), Scripted { seed: 1 }, settings(Effort::Clock, simulations));
            player.set_time_control(control);
            for _ in 0..4 {
                let turn = player.position().turn();
                let choice = player.generate(turn).unwrap();
                let visits: u32 = choice.moves.iter().map(|found| found.visits).sum();
                assert!(visits < 100, "{variant} {control:?}: {visits} visits in no time");
            }
        }
    }
}

#[test]
fn seconds_are_kept_in_place_of_simulations() {
    let mut player = player("go", Scripted { seed: 1 }, settings(Effort::Seconds(1e-6), 1_000_000));
    assert!(player.generate(Color::Black).is_ok());
    assert!(player.generate(Color::White).is_ok());
}

#[test]
fn a_player_without_simulations_moves_even_when_it_ponders() {
    for level in Level::all() {
        let settings = Settings { pondering: true, ..Settings::default() }.at_level(level);
        let mut player = player("tile", Scripted { seed: 1 }, settings);
        for _ in 0..3 {
            let turn = player.position().turn();
            let mut watch = |_: &SearchState| ControlFlow::Continue(());
            assert!(player.generate_watched(turn, Some(&mut watch)).is_ok());
        }
    }
}

#[test]
fn an_unset_clock_leaves_the_simulations() {
    let visits = |effort| {
        let mut player = player("go", Scripted { seed: 1 }, settings(effort, 40));
        let choice = player.think().unwrap();
        choice.moves.iter().map(|found| found.visits).sum::<u32>()
    };
    assert_eq!(visits(Effort::Clock), 40);
    assert_eq!(visits(Effort::Simulations), 40);
}

#[test]
fn what_was_analysed_serves_the_moves_that_follow() {
    let mut counted = Counted::new(Scripted { seed: 1 });
    let mut ponders = settings(Effort::Simulations, 60);
    ponders.pondering = true;
    let mut player = player("go", &mut counted, ponders);
    player.generate(Color::Black).unwrap();
    let mut calls = 0;
    let mut watch = |search: &SearchState| {
        calls += 1;
        if search.started() >= 500 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    player.analyze(None, &mut watch).unwrap();
    assert!(calls > 1);
    let known = player.search().unwrap().state().analysis();
    // The opponent plays what was expected, and the answer is known without another evaluation.
    player.play(known[0].stats.played).unwrap();
    assert!(known[0].stats.visits > 61, "{}", known[0].stats.visits);
    assert_eq!(player.search().unwrap().state().started() + 1, known[0].stats.visits);
    let before = player.evaluator().positions;
    let answer = player.generate(Color::Black).unwrap();
    assert_eq!(player.evaluator().positions, before);
    assert_eq!(answer.line[0], answer.played);
    // An unexpected move starts a fresh search.
    let unexpected = player.position().legal_moves();
    let visited = player.search().unwrap().state().analysis();
    let strange = unexpected.iter().find(|&&played| {
        visited.iter().all(|known| known.stats.played != played || known.stats.visits == 0)
    });
    if let Some(&strange) = strange {
        player.play(strange).unwrap();
        assert_eq!(player.search().unwrap().state().started(), 0);
    }
}

#[test]
fn an_analysis_that_knows_more_than_is_asked_for_answers_at_once() {
    let mut counted = Counted::new(Scripted { seed: 1 });
    let mut player = player("go", &mut counted, settings(Effort::Simulations, 30));
    let mut watch = |search: &SearchState| {
        if search.started() >= 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    player.analyze(None, &mut watch).unwrap();
    let before = player.evaluator().positions;
    player.think().unwrap();
    assert_eq!(player.evaluator().positions, before);
}

#[test]
fn memory_bounds_an_analysis_that_nobody_ends() {
    let settings = Settings { max_nodes: 300, ..Settings::default() };
    let mut player = player("go", Scripted { seed: 1 }, settings);
    player.analyze(None, &mut |_: &SearchState| ControlFlow::Continue(())).unwrap();
    let nodes = player.search().unwrap().state().nodes();
    assert!((290..=310).contains(&nodes), "{nodes}");
}

#[test]
fn lost_games_are_given_up_only_where_that_is_asked_for_and_there_is_a_score() {
    let turns_until_resignation = |rules: &str, resignation| {
        let mut lost = settings(Effort::Simulations, 4);
        lost.resignation = resignation;
        let mut player = player(rules, Hopeless, lost);
        for turn in 0..8 {
            if player.game().end().is_some() {
                return None;
            }
            let mover = player.position().turn();
            let choice = player.generate(mover).unwrap();
            assert_eq!(choice.resigns, player.game().resigned().is_some());
            if choice.resigns {
                assert_eq!(player.game().resigned(), Some(Color::Black));
                return Some(turn);
            }
        }
        None
    };
    let resignation = Some(Resignation { winrate: 0.05, turns: 2 });
    for variant in Variant::ALL {
        let rules = variant.rules(5).unwrap();
        assert_eq!(turns_until_resignation(variant.name(), None), None, "{variant}");
        let given_up = turns_until_resignation(variant.name(), resignation);
        assert_eq!(given_up.is_some(), rules.has_score(), "{variant}");
    }
}

#[test]
fn turns_taken_back_do_not_count_towards_a_resignation() {
    let resignation = Some(Resignation { winrate: 0.05, turns: 2 });
    let lost = Settings { resignation, ..settings(Effort::Simulations, 4) };
    let mut player = player("go", Hopeless, lost);
    let mut resigns = |undo: bool| {
        if undo {
            assert!(player.undo() && player.undo());
        }
        let choice = player.generate(Color::Black).unwrap();
        if !choice.resigns {
            player.generate(Color::White).unwrap();
        }
        choice.resigns
    };
    let found = [false, true, true, false].map(&mut resigns);
    assert_eq!(found, [false, false, false, true]);
}

#[test]
fn a_turn_of_several_stones_seems_lost_once_and_is_not_given_up_half_way() {
    let resignation = Some(Resignation { winrate: 0.05, turns: 2 });
    let lost = Settings { resignation, ..settings(Effort::Simulations, 4) };
    let mut player = player("go,stones_per_turn=2", Hopeless, lost);
    for played in ["C3", "A1", "B1"] {
        player.play(played.parse().unwrap()).unwrap();
    }
    assert!(!player.generate(Color::Black).unwrap().resigns);
    assert!(player.position().is_mid_turn());
    assert!(!player.generate(Color::Black).unwrap().resigns);
    for _ in 0..2 {
        let any = player.position().legal_moves()[0];
        player.play(any).unwrap();
    }
    assert!(player.generate(Color::Black).unwrap().resigns);
}

#[test]
fn advice_is_at_full_strength_and_changes_nothing() {
    let at = |level: Level| Settings { seed: 7, ..Settings::default() }.at_level(level);
    let best = |level| player("tile", Scripted { seed: 1 }, at(level)).advise().unwrap();
    let strongest = player("tile", Scripted { seed: 1 }, at(Level::STRONGEST)).think().unwrap();
    for level in Level::all() {
        assert_eq!(best(level), strongest, "level {level}");
        let mut advised = player("tile", Scripted { seed: 1 }, at(level));
        let mut alone = player("tile", Scripted { seed: 1 }, at(level));
        for _ in 0..4 {
            advised.advise().unwrap();
            let turn = alone.position().turn();
            assert_eq!(advised.generate(turn).unwrap(), alone.generate(turn).unwrap());
        }
        assert_eq!(advised.settings(), alone.settings());
    }
}

#[test]
fn a_beginner_plays_the_weak_levels_and_the_model_advises_and_analyses() {
    type Watched<'a> = Player<&'a mut Counted<Scripted>>;
    /// Whether the beginner and the model are consulted.
    fn consulted(level: Level, act: fn(&mut Watched<'_>)) -> [bool; 2] {
        let mut beginner = Counted::new(Scripted { seed: 2 });
        let mut model = Counted::new(Scripted { seed: 1 });
        let learnt = SupportedRules::new("tile", &[5]).unwrap();
        let playing = player("tile", &mut model, Settings::default().at_level(level));
        act(&mut playing.with_beginner(&mut beginner, learnt));
        [beginner.positions > 0, model.positions > 0]
    }
    fn think(player: &mut Watched<'_>) {
        player.think().unwrap();
    }
    fn advise(player: &mut Watched<'_>) {
        player.advise().unwrap();
    }
    fn analyse_after_thinking(player: &mut Watched<'_>) {
        player.think().unwrap();
        player.analyze(None, &mut |_: &SearchState| ControlFlow::Break(())).unwrap();
    }
    fn play_what_it_has_not_learnt(player: &mut Watched<'_>) {
        player.set_rules(Rules::parse("go", 5).unwrap()).unwrap();
        player.think().unwrap();
    }
    assert_eq!(consulted(Level::WEAKEST, think), [true, false]);
    assert_eq!(consulted(Level::STRONGEST, think), [false, true]);
    assert_eq!(consulted(Level::WEAKEST, advise), [false, true]);
    assert_eq!(consulted(Level::WEAKEST, analyse_after_thinking), [true, true]);
    assert_eq!(consulted(Level::WEAKEST, play_what_it_has_not_learnt), [false, true]);
}
