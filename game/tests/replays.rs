//! What replays report.

#![allow(clippy::unwrap_used)]

use engine::{Color, Rules};
use game::{Report, SgfRecord, replay};

fn report(file: &str, rules: &str) -> Report {
    let record = SgfRecord::read(file.as_bytes()).unwrap();
    replay(&record, Rules::parse(rules, record.size).unwrap()).unwrap().report
}

/// White and Black invade in turn: the second incursion right after the first is C3.
const INVASIONS: &str = "(;SZ[5]RE[B+3];B[bb];W[dd];B[ba];W[ab];B[aa];W[ee];B[];W[])";

#[test]
fn the_first_illegal_move_is_told_in_words() {
    let file = "(;SZ[5];B[ee];W[aa];B[];W[];B[cc])";
    let after_the_end = report(file, "incursion");
    let stop = after_the_end.stopped.unwrap();
    assert_eq!((stop.turn, stop.reason.as_str()), (5, "the game is over"));
    assert_eq!(after_the_end.turns_played, 4);
    let passes = report("(;SZ[5];B[ee];W[];B[];W[];W[])", "incursion");
    assert_eq!((passes.stopped, passes.turns_played), (None, 5), "of these the last two are idle");
    assert_eq!(passes.reason.as_deref(), Some("passes"));

    let no_pass = report(file, "cushion").stopped.unwrap();
    assert_eq!((no_pass.turn, no_pass.played.as_str()), (3, "pass"));
    assert!(no_pass.reason.contains("no prisoner"), "{}", no_pass.reason);

    let out_of_turn = report("(;SZ[5];B[aa];B[bb])", "go").stopped.unwrap();
    assert_eq!((out_of_turn.turn, out_of_turn.reason.as_str()), (2, "it is White's turn"));
}

#[test]
fn bans_and_tiles_are_counted() {
    let banned = report("(;SZ[3];B[bb];W[aa];B[cc];W[ba];B[])", "incursion");
    assert_eq!(banned.stopped, None);
    let tiled = report(INVASIONS, "tile");
    let tiles = tiled.tiles.unwrap();
    let in_stacks = |stack: &game::Stack| usize::from(stack.height) * stack.points.len();
    assert_eq!(tiles.placed, tiles.stacks.iter().map(in_stacks).sum::<usize>());
    assert_eq!(tiles.stacks[0].first_turn, 3);
    assert_eq!(report(INVASIONS, "go").tiles, None);
}

/// Black's last stone stands on tiles that were there before the game.
#[test]
fn tiles_from_the_start_are_told_as_such() {
    let file = "(;SZ[5]HSS[rules tile,tile_limit=2\nsize 5\n.....\n.....\n..XO.\n.....\n.....\n\
                black to move\ntiles A1=2 B1 C3\nturns 2\n];B[ad];W[dd];B[ae])";
    let report = report(file, "tile,tile_limit=2");
    let words = report.to_string();
    assert!(words.contains("1 point with 2 tiles, the first from the start: A1\n"), "{words}");
    assert!(words.contains("2 points with 1 tile, the first from the start: B1 C3\n"), "{words}");
    assert_eq!(report.tiles.unwrap().placed, 4);
}

#[test]
fn a_ban_of_the_rules_own_is_named() {
    // A ko on 5×5: Black takes it, and White may not take back at once.
    let file = "(;SZ[5];B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb];B[cb])";
    let stop = report(file, "stoical").stopped.unwrap();
    assert_eq!(stop.ban.as_deref(), Some("capture after capture"));
    let superko = report(file, "go");
    assert_eq!(superko.stopped.as_ref().unwrap().ban.as_deref(), Some("superko"));
    assert_eq!(superko.bans.len(), 1);
    assert_eq!((superko.bans[0].turns, superko.bans[0].first_turn), (1, 9));
    let hot = report(file, "hot-stone");
    assert_eq!(hot.stopped.unwrap().ban.as_deref(), Some("hot stone"));
    assert_eq!((hot.hot_stones, hot.first_hot_turn), (1, Some(8)));
}

#[test]
fn reports_are_words_and_json() {
    let report = report(INVASIONS, "go,komi=0.5");
    let words = report.to_string();
    assert!(words.starts_with("go,komi=0.5 on 5×5, komi 0.5\n8 of 8 turns played\n"), "{words}");
    assert!(words.contains("(passes)\n") && words.ends_with("The file's result: B+3\n"), "{words}");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["turns_played"], 8);
    assert!(json["stopped"].is_null() && json["score"].is_number());
}

#[test]
fn the_played_part_becomes_a_game_of_the_other_rules() {
    let record = SgfRecord::read(INVASIONS.as_bytes()).unwrap();
    let stoical = replay(&record, Rules::parse("stoical,komi=1", 5).unwrap()).unwrap();
    let again = stoical.as_record(&record);
    assert_eq!(again.rules.as_deref(), Some("stoical,komi=1"));
    assert_eq!(stoical.position.score(), Some(-1.0));
    assert_eq!(again.result.as_deref(), Some("W+1"));
    let cushion = replay(&record, Rules::parse("cushion", 5).unwrap()).unwrap();
    let again = cushion.as_record(&record);
    assert_eq!((again.turns.len(), again.result), (cushion.report.turns_played, None));

    let ends = |file: &[u8]| {
        let record = SgfRecord::read(file).unwrap();
        replay(&record, record.own_rules().unwrap()).unwrap().as_record(&record).result
    };
    assert_eq!(ends(b"(;SZ[5]RU[go]RE[B+R];B[cc];W[dd])").as_deref(), Some("B+R"));
    assert_eq!(ends(b"(;SZ[5]RU[go]RE[B+R];B[cc];W[cc];B[dd])"), None, "it came later");

    let record = SgfRecord::read(b"(;SZ[5]AB[cc]AW[dd];W[cc])").unwrap();
    let nothing = replay(&record, Rules::parse("go", 5).unwrap()).unwrap().as_record(&record);
    let again = SgfRecord::read(nothing.to_string().as_bytes()).unwrap();
    assert_eq!((again.turns.len(), again.first_player()), (0, Color::White));
}
