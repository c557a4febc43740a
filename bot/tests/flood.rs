//! A flood of GTP lines, most of them nearly right: each command gets one reply, in order.

#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use bot::gtp::Engine;
use bot::gtp::command::Command;
use bot::gtp::request::Request;
use bot::{Lines, Player, Settings, SupportedRules};
use common::Random;
use engine::Variant;
use search::evaluators::Scripted;

/// Valid and nearly valid arguments.
const WORDS: [&str; 64] = [
    "b",
    "W",
    "black",
    "green",
    "A1",
    "b2",
    "C3",
    "a4",
    "B3*",
    "pass",
    "PASS",
    "resign",
    "I1",
    "Z25",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "7:7",
    "2:2",
    "-1",
    "0.5",
    "-7.25",
    "1e400",
    "NaN",
    "inf",
    "100",
    "99999999999999999999",
    "interval",
    "minmoves",
    "maxmoves",
    "ownership",
    "true",
    "false",
    "avoid",
    "allow",
    "A1,B2,pass",
    "A1,,",
    "rootInfo",
    "pvVisits",
    "level",
    "ponderingEnabled",
    "chosenMoveTemperature",
    "none",
    "absolute",
    "canadian",
    "byoyomi",
    "fischer",
    "fischer-capped",
    "dead",
    "alive",
    "white_territory",
    "japanese",
    "tromp-taylor",
    "{\"variant\":\"go\"}",
    "{",
    "ko",
    "POSITIONAL",
    "all",
    "é\u{2028}",
    "#",
    "list_commands",
];

/// A line of a command and words for it, of garbage, or of nothing.
fn line(random: &mut Random) -> Vec<u8> {
    let mut line = Vec::new();
    if random.below(3) == 0 {
        line.extend(random.below(1_000_000).to_string().bytes());
        line.push(b' ');
    }
    match random.below(20) {
        0 => line.extend((0..random.below(30)).map(|_| random.below(256) as u8)),
        1 => {}
        _ => {
            line.extend(Command::ALL[random.below(Command::ALL.len())].name().bytes());
            for _ in 0..random.below(5) {
                line.push(if random.below(20) == 0 { b'\t' } else { b' ' });
                line.extend(WORDS[random.below(WORDS.len())].bytes());
            }
        }
    }
    line.retain(|&byte| byte != b'\n');
    line
}

/// Sends a number of lines to an engine of a variant, and counts the commands among them.
fn flood(variant: Variant, count: usize, random: &mut Random) -> usize {
    let supported = SupportedRules::new(variant.name(), &[2, 3, 4]).unwrap();
    let mut settings = Settings::default();
    settings.search.simulations = 2;
    let player = Player::new(supported, Scripted { seed: 3 }, settings);
    let mut engine = Engine::new(player, "flood").without_files();
    let (mut input, mut ids) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let line = line(random);
        if let Some(request) = Request::parse(&line) {
            if request.command == "quit" {
                continue;
            }
            ids.push(request.id);
        }
        input.extend(line);
        input.push(b'\n');
    }
    let mut output = Vec::new();
    engine.run(Lines::of(&input), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let replies: Vec<&str> = output.split_terminator("\n\n").collect();
    for (reply, id) in replies.iter().zip(&ids) {
        let rest = reply.strip_prefix(['=', '?']).unwrap_or_else(|| panic!("{reply:?}"));
        let found = rest.split([' ', '\n']).next().unwrap();
        assert_eq!(found, id, "{reply:?}");
    }
    assert_eq!(replies.len(), ids.len(), "{variant}: one reply for each command");
    let game = engine.player().game();
    assert_eq!(usize::from(game.position().turns()), game.turns().len(), "the game is whole");
    ids.len()
}

#[test]
fn thousands_of_lines_get_a_reply_each() {
    let mut random = Random(5);
    for variant in Variant::ALL {
        assert!(flood(variant, 400, &mut random) > 300);
    }
}

#[test]
#[ignore = "takes minutes: see ARCHITECTURE.md, longer checks"]
fn a_million_lines_get_a_reply_each() {
    let mut random = Random(6);
    let mut answered = 0;
    for round in 0..100 {
        answered += flood(Variant::ALL[round % Variant::ALL.len()], 10_000, &mut random);
    }
    println!("{answered} commands in 1,000,000 lines, each answered");
    assert!(answered > 800_000);
}
