//! Sessions of GTP: commands are `> play B D4`, with `\t` and `\r` for what an editor hides.

use bot::Lines;
use bot::gtp::Engine;

use crate::script::{self, Script};

const SESSIONS: [&str; 18] = [
    "after-end",
    "alter-igo",
    "analysis",
    "conquest",
    "framing",
    "genmove",
    "go",
    "gogui",
    "hot-stone",
    "incursion",
    "komi",
    "limits",
    "out-of-turn",
    "rules",
    "setup",
    "sgf",
    "tile",
    "time",
];

fn input_line(command: &str) -> Vec<u8> {
    let text = command.replace("\\t", "\t").replace("\\r", "\r");
    [text.as_bytes(), b"\n"].concat()
}

/// The session with the answers that are given now.
fn played(text: &str) -> String {
    let engine = || Engine::new(Script::read(text).player(), "test");
    let mut lines = text.lines().peekable();
    let mut session = String::new();
    while let Some(line) = lines.next_if(|line| !line.starts_with("> ")) {
        session.push_str(&format!("{line}\n"));
    }
    let (mut answering, mut input, mut stdout) = (engine(), Vec::new(), String::new());
    for line in lines.filter(|line| line.starts_with("> ")) {
        let bytes = input_line(&line[2..]);
        let answer = answering.answer(&bytes).map_or_else(String::new, |reply| reply.to_string());
        session.push_str(&format!("{line}\n{answer}"));
        input.extend(bytes);
        stdout.push_str(&answer);
    }
    let mut whole = Vec::new();
    engine().run(Lines::of(&input), &mut whole).unwrap();
    assert_eq!(String::from_utf8(whole).unwrap(), stdout, "the loop prints the answers only");
    session
}

#[test]
fn gtp_is_answered_as_written() {
    script::check("gtp", "gtp", &SESSIONS, played);
}
