//! The form of replies, which is the same for every command: in GTP 2 the sign, the number if there
//! was one, a space, the text, and a blank line. GoGui's client looks for the space to find where
//! the text begins.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::HashSet;

use bot::gtp::Engine;
use bot::gtp::command::Command;
use bot::{Lines, Player, Settings, SupportedRules};
use engine::Variant;
use search::evaluators::Scripted;

/// Arguments with which each command does its job. Commands that are not named take none, or need
/// none.
fn arguments(command: Command, variant: Variant) -> &'static str {
    match command.name() {
        "known_command" => "play",
        "boardsize" => "7",
        "rectangular_boardsize" => "7 7",
        "komi" => "0.5",
        "play" => "B A1",
        "genmove"
        | "reg_genmove"
        | "lz-genmove_analyze"
        | "kata-genmove_analyze"
        | "gogui-setup_player" => "B",
        "final_status_list" => "alive",
        "fixed_handicap" | "place_free_handicap" => "2",
        "set_free_handicap" => "A1 B2",
        "set_position" | "gogui-setup" => "B A1 W C3",
        "gogui-play_sequence" => "B A2 W C2",
        "time_settings" => "60 30 5",
        "time_left" => "B 60 0",
        "kgs-time_settings" | "kata-time_settings" => "absolute 60",
        "kata-raw-nn" => "0",
        "kata-set-rules" | "kgs-rules" => variant.name(),
        "kata-set-rule" => "suicide true",
        "kata-get-param" => "maxVisits",
        "kata-set-param" => "maxVisits 4",
        "hotstone-why" => "C3",
        _ => "",
    }
}

/// The text of a reply in the right form.
fn text<'a>(reply: &'a str, id: &str, line: &str) -> &'a str {
    let text = reply.strip_prefix(['=', '?']).and_then(|rest| rest.strip_prefix(id));
    let text = text.and_then(|rest| rest.strip_prefix(' '));
    let text = text.and_then(|rest| rest.strip_suffix("\n\n"));
    let text = text.unwrap_or_else(|| panic!("'{line}' is answered {reply:?}"));
    assert!(!text.contains("\n\n"), "'{line}' has a blank line in its reply: {reply:?}");
    text
}

#[test]
fn every_reply_of_every_command_has_a_space_before_its_text() {
    let (mut done, mut refused, mut empty_first) = (HashSet::new(), HashSet::new(), HashSet::new());
    for variant in Variant::ALL {
        let mut settings = Settings::default();
        settings.search.simulations = 2;
        let supported = SupportedRules::new(variant.name(), &[7]).unwrap();
        let player = Player::new(supported, Scripted { seed: 3 }, settings);
        let mut engine = Engine::new(player, "test").without_files();
        for (number, &command) in Command::ALL.iter().enumerate() {
            engine.answer(b"clear_board");
            if command == Command::Undo {
                engine.answer(b"play B A1");
            }
            if command == Command::GomillExplainLastMove {
                engine.answer(b"genmove B");
            }
            let id = if number % 2 == 0 { number.to_string() } else { String::new() };
            for words in [arguments(command, variant), "", "nonsense"] {
                let line = format!("{id} {} {words}", command.name());
                let reply = engine.answer(line.as_bytes()).unwrap().to_string();
                let text = text(&reply, &id, &line);
                (if reply.starts_with('=') { &mut done } else { &mut refused })
                    .insert(command.name());
                if text.len() > 1 && text.starts_with('\n') {
                    empty_first.insert(command.name());
                }
            }
        }
    }
    let names = Command::ALL.iter().map(|command| command.name());
    let never: Vec<&str> = names.filter(|name| !done.contains(name)).collect();
    assert_eq!(
        never,
        ["loadsgf", "printsgf", "loadposition", "printposition"],
        "all but files have been served"
    );
    assert!(refused.len() > 20, "{refused:?}");
    for name in ["showboard", "gogui-rules_board", "hotstone-ownership", "kata-analyze"] {
        assert!(empty_first.contains(name), "{name}");
    }
}

#[test]
fn the_text_of_a_board_is_whole_for_a_client_that_looks_for_the_space() {
    for (id, sent) in [("", "gogui-rules_board"), ("12", "12 gogui-rules_board")] {
        let supported = SupportedRules::new("go", &[2]).unwrap();
        let player = Player::new(supported, Scripted { seed: 3 }, Settings::default());
        let mut output = Vec::new();
        let lines = format!("play B A2\n{sent}\nquit\n");
        Engine::new(player, "test").run(Lines::of(lines.as_bytes()), &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        assert_eq!(output, format!("= \n\n={id} \nX .\n. .\n\n= \n\n"));
    }
}
