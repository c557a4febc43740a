//! Properties of the engine under any input, for every variant.

#![allow(clippy::unwrap_used)] // helpers of tests

#[path = "../common/mod.rs"]
mod common;
mod files;

use std::collections::HashSet;

use bot::gtp::Engine;
use bot::{Level, Lines, Player, Settings, SupportedRules};
use common::Random;
use engine::hash::fnv1a;
use engine::{Color, Move, Position, Variant};
use game::{Game, State, state_json};
use search::evaluators::{Nan, Scripted, Uniform};
use search::{Counted, Evaluation, Evaluator, EvaluatorError};
use serde_json::Value;

/// The keys of the state, in the order in which they are documented.
const KEYS: [&str; 15] = [
    "variant",
    "size",
    "komi",
    "to_move",
    "stones",
    "tiles",
    "owner",
    "last_incursion",
    "hot",
    "prisoners",
    "passes",
    "legal",
    "result",
    "score",
    "reason",
];

fn player<E: Evaluator>(rules: &str, sizes: &[u8], simulations: u32, evaluator: E) -> Player<E> {
    let mut settings = Settings::default();
    settings.search.simulations = simulations;
    Player::new(SupportedRules::new(rules, sizes).unwrap(), evaluator, settings)
}

fn engine(rules: &str, sizes: &[u8]) -> Engine<Scripted> {
    Engine::new(player(rules, sizes, 4, Scripted { seed: 3 }), "test")
}

/// The text of a successful answer.
fn ask<E: Evaluator>(engine: &mut Engine<E>, command: &str) -> String {
    let reply = engine.answer(command.as_bytes()).unwrap().to_string();
    let text = reply.strip_prefix('=').unwrap_or_else(|| panic!("{command}: {reply}"));
    text.trim().to_owned()
}

/// Words that get a random line past the first checks.
const WORDS: [&str; 30] = [
    "play",
    "genmove",
    "undo",
    "komi",
    "boardsize",
    "b",
    "W",
    "D4",
    "a1",
    "pass",
    "E9*",
    "*",
    "2",
    "3",
    "1e400",
    "-7.25",
    "NaN",
    "#",
    "\t",
    "\r",
    "é",
    "\u{2028}",
    "known_command",
    "clear_board",
    "showboard",
    "final_score",
    "hotstone-state",
    "printsgf",
    "time_left",
    "99999999999999999999",
];

fn garbage(random: &mut Random) -> Vec<u8> {
    let mut line = Vec::new();
    for _ in 0..random.below(6) {
        if random.below(3) == 0 {
            line.extend((0..random.below(12)).map(|_| random.below(256) as u8));
        } else {
            line.extend(WORDS[random.below(WORDS.len())].bytes());
        }
        line.push(b' ');
    }
    line.retain(|&byte| byte != b'\n');
    line
}

#[test]
fn ten_thousand_lines_of_garbage_get_their_answers() {
    let mut engine = engine("tile", &[2, 3]).without_files();
    let mut random = Random(fnv1a("garbage"));
    for _ in 0..10_000 {
        let line = garbage(&mut random);
        let words = bot::gtp::request::Request::parse(&line).is_some();
        let output = engine.answer(&line).map(|reply| reply.to_string()).unwrap_or_default();
        assert_eq!(words, !output.is_empty(), "{line:?}");
        if words {
            assert!(output.starts_with(['=', '?']), "{output:?}");
            assert!(output.ends_with("\n\n"), "{output:?}");
            assert_eq!(output.matches("\n\n").count(), 1, "{line:?} gave {output:?}");
        }
    }
}

#[test]
fn every_variant_plays_to_the_end_and_back_again() {
    for variant in Variant::ALL {
        let mut engine = engine(variant.name(), &[3]);
        let mut states = vec![ask(&mut engine, "hotstone-state")];
        let mut moves = Vec::new();
        loop {
            let state: Value = serde_json::from_str(&states[states.len() - 1]).unwrap();
            let legal = ask(&mut engine, "hotstone-legal");
            assert_eq!(words(&state["legal"]), legal, "{variant}");
            assert_eq!(state["result"].is_null(), !legal.is_empty(), "{variant}: {state}");
            let Some(color) = state["to_move"].as_str().filter(|_| !legal.is_empty()) else {
                break;
            };
            let played = ask(&mut engine, &format!("genmove {color}"));
            assert!(legal.split(' ').any(|word| word == played), "{variant}: {played}");
            moves.push(format!("play {color} {played}"));
            states.push(ask(&mut engine, "hotstone-state"));
        }
        assert!(!ask(&mut engine, "gogui-rules_final_result").is_empty(), "{variant}");

        for state in states.iter().rev().skip(1) {
            ask(&mut engine, "undo");
            assert_eq!(&ask(&mut engine, "hotstone-state"), state, "{variant}");
        }
        assert!(engine.answer(b"undo").unwrap().to_string().starts_with('?'));
        for (line, state) in moves.iter().zip(&states[1..]) {
            ask(&mut engine, line);
            assert_eq!(&ask(&mut engine, "hotstone-state"), state, "{variant}");
        }
    }
}

#[test]
fn every_game_goes_on_in_passes_after_its_end_and_comes_back_from_there() {
    for variant in Variant::ALL {
        let mut engine = engine(variant.name(), &[3]);
        let is_over = |engine: &Engine<Scripted>| engine.player().game().end().is_some();
        let mut color = Color::Black;
        let mut last = String::new();
        while !is_over(&engine) {
            last = ask(&mut engine, "hotstone-state");
            ask(&mut engine, &format!("genmove {color}"));
            color = color.opponent();
        }
        let end = ask(&mut engine, "hotstone-state");
        let passes = [
            ("genmove B", "pass"),
            ("genmove W", "pass"),
            ("play B pass", ""),
            ("kata-genmove_analyze W 10", "play pass"),
            ("lz-genmove_analyze B", "play pass"),
            ("gogui-play_sequence B pass", ""),
        ];
        for (command, expected) in passes {
            assert_eq!(ask(&mut engine, command), expected, "{variant}: {command}");
            assert_eq!(ask(&mut engine, "hotstone-state"), end, "{variant}: {command}");
        }
        assert!(engine.answer(b"play B A1").unwrap().to_string().starts_with("? "), "{variant}");
        assert_eq!(ask(&mut engine, "kata-search"), "pass", "{variant}: names a move, plays none");
        for _ in passes {
            ask(&mut engine, "undo");
            assert!(is_over(&engine), "{variant}");
        }
        ask(&mut engine, "undo");
        assert_eq!(ask(&mut engine, "hotstone-state"), last, "{variant}");
    }
}

fn words(list: &Value) -> String {
    let words: Vec<&str> = list.as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    words.join(" ")
}

#[test]
fn the_state_has_its_fields_in_order_and_null_where_the_rules_have_no_such_thing() {
    // Which of tiles, owner, last_incursion, hot and score there are.
    let expected = [
        (Variant::Go, [false, false, false, false, true]),
        (Variant::Incursion, [false, false, true, false, true]),
        (Variant::MinimalIncursion, [false, false, true, false, true]),
        (Variant::Stoical, [false, false, false, false, true]),
        (Variant::Tile, [true, false, true, false, false]),
        (Variant::Cushion, [true, false, true, false, false]),
        (Variant::HotStone, [false, false, false, true, true]),
        (Variant::AlterIgo, [false, false, false, false, false]),
        (Variant::Conquest, [false, true, false, false, true]),
        (Variant::PureConquest, [false, true, false, false, true]),
        (Variant::NoGo, [false, false, false, false, false]),
        (Variant::NoPassGo, [false, false, false, false, false]),
        (Variant::AtariGo, [false, false, false, false, false]),
    ];
    assert_eq!(expected.map(|(variant, _)| variant), Variant::ALL);
    for (variant, present) in expected {
        let position = Position::new(variant.rules(5).unwrap());
        let line = State::of(&position, position.outcome().map(Into::into)).to_line();
        let places: Vec<_> = KEYS.iter().map(|key| line.find(&format!("\"{key}\":"))).collect();
        assert!(places.is_sorted() && places[0] == Some(1), "{line}");
        let state = state_json(&position, position.outcome().map(Into::into));
        assert_eq!(state, serde_json::from_str::<Value>(&line).unwrap());
        assert_eq!(state.as_object().unwrap().len(), KEYS.len());
        assert_eq!(state["variant"], variant.name());
        let found =
            ["tiles", "owner", "last_incursion", "hot", "score"].map(|key| !state[key].is_null());
        assert_eq!(found, present, "{variant}");
    }
}

#[test]
fn a_resignation_ends_the_game_until_it_is_taken_back() {
    let mut game = Game::new(Variant::Go.rules(5).unwrap());
    game.play("C3".parse().unwrap()).unwrap();
    game.resign(Color::White);
    let state = state_json(game.position(), game.end());
    assert_eq!((&state["result"], &state["reason"]), (&"B".into(), &"resign".into()));
    assert_eq!(state["legal"], Value::Array(Vec::new()));
    assert_eq!(game.result_text().as_deref(), Some("B+R"));
    assert!(game.play(Move::Pass).is_err() && game.turns().len() == 1);
    assert!(game.undo() && game.end().is_none() && game.turns().len() == 1);
}

#[test]
fn thinking_batch_by_batch_comes_to_the_same() {
    for simulations in [0, 8, 32] {
        let expected = player("go", &[5], simulations, Scripted { seed: 9 }).think().unwrap();
        let mut player = player("go", &[5], simulations, Scripted { seed: 9 });
        let mut batches = 1;
        let choice = loop {
            match player.think_a_batch().unwrap() {
                Some(choice) => break choice,
                None => batches += 1,
            }
        };
        assert_eq!(choice, expected);
        // With so few, one leaf at a time is in flight.
        assert!(batches > simulations / 2 && batches <= simulations + 1, "{batches}");
    }
}

#[test]
fn a_pass_that_wins_needs_no_search_even_if_one_has_begun() {
    let mut player = player("go,komi=0", &[3], 8, Scripted { seed: 9 });
    player.play("B2".parse().unwrap()).unwrap();
    player.think().unwrap();
    player.play(Move::Pass).unwrap();
    let choice = player.think_a_batch().unwrap();
    assert_eq!(choice.map(|choice| choice.played), Some(Move::Pass));
    assert!(player.search().is_none(), "no search tells of another move");
}

#[test]
fn thinking_twice_costs_once_and_changes_nothing() {
    let mut counted = Counted::new(Scripted { seed: 9 });
    let first = player("go", &[5], 32, &mut counted).think().unwrap();
    let price = counted.positions;

    let mut player = player("go", &[5], 32, &mut counted);
    assert_eq!(player.think().unwrap(), first);
    assert_eq!(player.think().unwrap(), first);
    assert_eq!(player.generate(Color::Black).unwrap(), first);
    let reply = player.generate(Color::White).unwrap();
    player.undo();
    assert_eq!(player.think().unwrap(), reply, "a search that followed the game finds the same");
    player.undo();
    assert_eq!(player.think().unwrap(), first);
    assert!((first.winrate(Color::Black) - (1.0 + first.value) / 2.0).abs() < 1e-6);
    drop(player);
    assert!(counted.positions < 6 * price, "asking again is free");
}

/// Fails for a while, like a restarting server.
struct Unsteady {
    failures: usize,
}

impl Evaluator for Unsteady {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        match self.failures.checked_sub(1) {
            Some(left) => {
                self.failures = left;
                Err(EvaluatorError::Failed("the server is gone".into()))
            }
            None => Uniform.evaluate(batch),
        }
    }
}

#[test]
fn an_evaluator_that_fails_costs_a_reply_and_no_turn() {
    let mut engine = Engine::new(player("go", &[5], 8, Unsteady { failures: 2 }), "test");
    for command in ["genmove B", "genmove W"] {
        let reply = engine.answer(command.as_bytes()).unwrap().to_string();
        assert!(reply.starts_with("? cannot generate a move: the evaluator failed"), "{reply}");
        assert!(engine.player().game().turns().is_empty());
        assert_eq!(engine.player().position().turn(), Color::Black);
    }
    ask(&mut engine, "genmove B");

    let mut engine = Engine::new(player("go", &[5], 8, Nan), "test");
    let reply = engine.answer(b"genmove B").unwrap().to_string();
    assert!(reply.starts_with("? cannot generate a move: "), "{reply}");
}

#[test]
fn levels_differ_in_what_they_search_and_in_what_they_leave_to_chance() {
    let play = |level: u8, seed: u64| {
        let settings =
            Settings { seed, ..Settings::default() }.at_level(Level::new(level).unwrap());
        let supported = SupportedRules::new("go", &[5]).unwrap();
        let mut counted = Counted::new(Scripted { seed: 4 });
        let mut player = Player::new(supported, &mut counted, settings);
        let mut moves = Vec::new();
        while moves.len() < 6
            && let Ok(choice) = player.generate(player.position().turn())
        {
            moves.push(choice.played);
        }
        drop(player);
        (moves, counted.positions)
    };
    let games = |level| (0..20).map(|seed| play(level, seed).0).collect::<HashSet<_>>().len();
    assert_eq!(play(1, 7), play(1, 7), "a seed decides a game");
    assert!(games(1) > 15, "level 1 plays differently each time");
    assert_eq!(games(10), 1, "level 10 leaves nothing to chance");
    let (moves, positions) = play(1, 0);
    assert_eq!(positions, moves.len() as u64, "level 1 looks at nothing but the position");
    assert!(play(5, 0).1 < play(8, 0).1 && play(8, 0).1 < play(10, 0).1);
}

#[test]
fn stones_are_called_dead_by_what_becomes_of_them() {
    // White's stone on A1 is in atari among Black's stones, but the game is over, so the rules
    // alone decide its status.
    let mut engine = engine("go", &[3]);
    for command in ["play B B2", "play W A1", "play B B1", "play W pass", "play B pass"] {
        ask(&mut engine, command);
    }
    assert_eq!(ask(&mut engine, "final_status_list alive"), "B1 B2\nA1");
    assert_eq!(ask(&mut engine, "final_status_list dead"), "");
    assert_eq!(ask(&mut engine, "final_status_list seki"), "");
    assert_eq!(ask(&mut engine, "final_status_list white_territory"), "");
    assert!(engine.answer(b"final_status_list asleep").unwrap().to_string().starts_with('?'));
    let reply = engine.answer(b"kata-analyze").unwrap().to_string();
    assert!(reply.starts_with("? cannot generate a move: the game is over"), "{reply}");
}

#[test]
fn an_engine_that_fails_in_the_middle_of_a_stream_still_ends_its_reply() {
    let mut engine = Engine::new(player("go", &[5], 8, Unsteady { failures: 3 }), "test");
    for command in ["kata-analyze", "lz-genmove_analyze B", "kata-search B"] {
        let reply = engine.answer(command.as_bytes()).unwrap().to_string();
        assert!(reply.starts_with("? cannot generate a move: the evaluator failed"), "{reply}");
        assert!(reply.ends_with("\n\n"));
    }
    let reply = engine.answer(b"5 kata-genmove_analyze B 10").unwrap().to_string();
    assert!(reply.starts_with("=5 \ninfo move ") && reply.contains("\nplay "), "{reply}");
}

#[test]
fn pondering_uses_the_opponents_time_and_ends_with_the_next_line() {
    let mut settings = Settings { pondering: true, ..Settings::default() };
    settings.search.simulations = 20;
    let supported = SupportedRules::new("go", &[5]).unwrap();
    let mut engine = Engine::new(Player::new(supported, Scripted { seed: 2 }, settings), "test");
    let mut output = Vec::new();
    engine.run(Lines::of(b"genmove B\n1 name\ngenmove W\n"), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    assert!(output.contains("\n\n=1 Hotstone\n\n"), "{output}");
    assert_eq!(output.matches("\n\n").count(), 3);
    assert!(engine.player().search().unwrap().is_open());
}

#[test]
fn a_level_does_not_ponder() {
    let evaluations = |pondering| {
        let mut counted = Counted::new(Scripted { seed: 2 });
        let settings = Settings { pondering, ..Settings::default() }.at_level(Level::STRONGEST);
        let supported = SupportedRules::new("go", &[5]).unwrap();
        let mut engine = Engine::new(Player::new(supported, &mut counted, settings), "test");
        engine.run(Lines::of(b"genmove B\n"), std::io::sink()).unwrap();
        assert!(engine.player().search().is_none_or(|search| !search.is_open()));
        counted.positions
    };
    assert_eq!(evaluations(true), evaluations(false));
}
