//! External engines, well-behaved and faulty.
#![cfg(unix)]

use std::ops::ControlFlow;
use std::process::Command;
use std::time::Duration;

use arena::{EngineCommand, Match, MatchReport, Player, PlayerSetup, ReferencePlayer};
use engine::{Color, Rules};
use game::{EndReason, Fault};
use search::evaluators::Uniform;

const PAIRS: usize = 2;

/// Plays an engine against a random player. The engine may take this long for an answer.
fn contest(command: &str, rules: &str, size: u8, patience: Duration) -> MatchReport {
    against(ReferencePlayer::Random, command, rules, size, patience)
}

fn against(
    opponent: ReferencePlayer,
    command: &str,
    rules: &str,
    size: u8,
    patience: Duration,
) -> MatchReport {
    let rules = Rules::parse(rules, size).expect("rules");
    let players = [
        PlayerSetup::new("engine", Player::External { engine: 0 }),
        PlayerSetup::new("opponent", opponent),
    ];
    let mut engine = EngineCommand::parse(command).expect("a command");
    engine.patience = patience;
    let plan = Match {
        pairs: PAIRS,
        opening_plies: Some(1),
        engines: vec![engine],
        ..Match::new(rules, players)
    };
    plan.play(&mut [Uniform], &mut |_| ControlFlow::Continue(())).expect("the match goes on")
}

/// An engine made of one `case` of the shell: commands to answers.
fn scripted(cases: &str) -> String {
    let loop_ = "while read -r line; do case $line in";
    format!("sh -c '{loop_} {cases} *) printf \"= \\n\\n\";; esac; done'")
}

fn all_lost_by(cases: &str, fault: Fault) {
    let report = contest(&scripted(cases), "go", 5, Duration::from_millis(500));
    assert_eq!(report.games.len(), 2 * PAIRS);
    assert_eq!(report.reasons, [(EndReason::Fault(fault), 2 * PAIRS as u32)], "{cases}");
    assert_eq!(report.tally.total().losses, 2 * PAIRS as u32);
    for game in &report.games {
        let transcript = game.transcript.as_deref().expect("a transcript");
        assert!(transcript.contains("boardsize 5"), "{transcript}");
        assert!(transcript.contains(&format!("# lost: {fault}")), "{transcript}");
    }
}

#[test]
fn a_crash_loses() {
    all_lost_by("genmove*) echo \"no memory\" >&2; exit 3;;", Fault::Crashed);
}

#[test]
fn a_crash_leaves_its_last_words() {
    let command = scripted("genmove*) echo \"no memory\" >&2; exit 3;;");
    let report = contest(&command, "go", 5, Duration::from_millis(500));
    let transcript = report.games[0].transcript.as_deref().expect("a transcript");
    assert!(transcript.contains("no memory"), "{transcript}");
}

#[test]
fn silence_loses() {
    all_lost_by("genmove*) sleep 5;;", Fault::Silent);
}

#[test]
fn an_answer_without_end_loses() {
    all_lost_by("genmove*) printf \"= A1\\n\";;", Fault::Silent);
}

#[test]
fn an_illegal_move_loses() {
    all_lost_by("genmove*) printf \"= T19\\n\\n\";;", Fault::Illegal);
}

#[test]
fn an_occupied_point_loses() {
    // Always plays A1.
    let report =
        contest(&scripted("genmove*) printf \"= A1\\n\\n\";;"), "go", 5, Duration::from_secs(2));
    assert!(report.games.iter().any(|game| game.end.reason == EndReason::Fault(Fault::Illegal)));
}

#[test]
fn garbage_loses() {
    all_lost_by("genmove*) printf \"Segmentation fault?\\n\\n\";;", Fault::Garbage);
    all_lost_by("genmove*) printf \"= Z99\\n\\n\";;", Fault::Garbage);
    all_lost_by("genmove*) yes;;", Fault::Garbage);
    all_lost_by("genmove*) printf \"= \\377\\376\\n\\n\";;", Fault::Garbage);
}

#[test]
fn a_refusal_loses() {
    all_lost_by("genmove*) printf \"? I would rather not\\n\\n\";;", Fault::Refused);
    all_lost_by("boardsize*) printf \"? unacceptable size\\n\\n\";;", Fault::Refused);
}

#[test]
fn a_program_that_is_not_there_loses() {
    let report = contest("/no/such/program", "go", 5, Duration::from_secs(1));
    assert_eq!(report.reasons, [(EndReason::Fault(Fault::NotStarted), 4)]);
}

#[test]
fn an_engine_may_resign_and_refuse_komi() {
    let cases = "komi*) printf \"? what is komi\\n\\n\";; genmove*) printf \"=12 resign\\n\\n\";;";
    let report = contest(&scripted(cases), "go", 5, Duration::from_secs(2));
    assert_eq!(report.reasons, [(EndReason::Resignation, 4)]);
    assert!(report.games.iter().all(|game| game.score.is_none()));
}

#[test]
fn a_rule_that_the_engine_does_not_know_binds_it() {
    // Passing does not exist under prisoner return: without a prisoner it is illegal.
    let report = contest(
        &scripted("genmove*) printf \"= pass\\n\\n\";;"),
        "tile",
        5,
        Duration::from_secs(2),
    );
    assert_eq!(report.reasons, [(EndReason::Fault(Fault::Illegal), 4)]);
    let transcript = report.games[0].transcript.as_deref().expect("a transcript");
    assert!(transcript.contains("no prisoner to return"), "{transcript}");
}

#[test]
fn an_engine_hears_the_opening_and_every_turn() {
    let report =
        contest(&scripted("genmove*) printf \"= pass\\n\\n\";;"), "go", 5, Duration::from_secs(2));
    for game in &report.games {
        let transcript = game.transcript.as_deref().expect("a transcript");
        assert!(transcript.contains(&format!("play black {}", game.moves[0])), "{transcript}");
        let engine = game.players.iter().position(|name| name == "engine").expect("it plays");
        let color = Color::BOTH[engine];
        let asked = transcript.matches("genmove").count();
        let own =
            (game.opening_plies..game.moves.len()).filter(|turn| turn % 2 == color.index()).count();
        assert_eq!(asked, own);
    }
}

/// Where GNU Go is.
fn gnu_go() -> &'static str {
    ["gnugo", "/usr/games/gnugo"]
        .into_iter()
        .find(|program| Command::new(program).arg("--version").output().is_ok())
        .expect("GNU Go: apt-get install gnugo")
}

fn ended_by_the_rules(report: &MatchReport) -> bool {
    report
        .reasons
        .iter()
        .all(|(end, _)| matches!(end, EndReason::Rules(_) | EndReason::Resignation))
}

/// GNU Go plays a whole match, and wins most games.
#[test]
#[ignore = "needs GNU Go"]
fn gnu_go_beats_random() {
    let program = gnu_go();
    // Dead stones are counted as they stand here, so it has to capture them.
    let command =
        format!("{program} --mode gtp --chinese-rules --capture-all-dead --level 1 --seed 1");
    let report = contest(&command, "go,suicide=false,komi=7", 7, Duration::from_secs(60));
    assert!(report.tally.total().wins >= 3, "{report}\n{:?}", report.games);
    assert!(ended_by_the_rules(&report), "{report}");
}

/// GNU Go as used in the measurements.
#[test]
#[ignore = "long, and needs GNU Go"]
fn gnu_go_at_its_usual_level_plays_by_the_rules() {
    let program = gnu_go();
    let command = format!("{program} --mode gtp --level 10 --chinese-rules --capture-all-dead");
    for opponent in [ReferencePlayer::Greedy, ReferencePlayer::Uct { playouts: 500 }] {
        let patience = Duration::from_secs(120);
        let report = against(opponent, &command, "go,suicide=false", 7, patience);
        assert!(ended_by_the_rules(&report), "{report}\n{:?}", report.games);
        assert!(report.tally.total().losses < 2 * PAIRS as u32, "{report}");
    }
}
