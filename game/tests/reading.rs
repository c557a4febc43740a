//! Files as real programs write them, and files that cannot be read.

#![allow(clippy::unwrap_used)]

use engine::{Color, Move, Rules};
use game::{ReadError, RecordRulesError, SgfRecord};

fn read(text: &str) -> SgfRecord {
    SgfRecord::read(text.as_bytes()).unwrap()
}

fn refused(text: &str) -> ReadError {
    SgfRecord::read(text.as_bytes()).unwrap_err()
}

fn moves(record: &SgfRecord) -> String {
    let words: Vec<String> =
        record.turns.iter().map(|turn| format!("{}:{}", turn.player, turn.played)).collect();
    words.join(" ")
}

#[test]
fn the_main_line_is_read() {
    let record = read(
        "(;FF[4]GM[1]SZ[9]KM[6.5]RU[tile]PB[a\\]b]PW[c]GN[name]RE[B+R]C[one\ntwo];B[ai];W[ii](;B[ia];W[])(;B[aa]))",
    );
    assert_eq!(moves(&record), "B:A1 W:J1 B:J9 W:pass");
    assert_eq!((record.size.side(), record.komi), (Some(9), Some(6.5)));
    assert_eq!(record.players, [Some("a]b".to_owned()), Some("c".to_owned())]);
    assert_eq!(record.result.as_deref(), Some("B+R"));
    assert_eq!(record.comment.as_deref(), Some("one\ntwo"));
    assert_eq!(
        record.own_rules(),
        Rules::parse("tile,komi=6.5", 9).map_err(|_| RecordRulesError::Missing)
    );
    assert!(record.defects.is_empty());
    // White space may stand between the bracket and the first node.
    let spaced = read("(\n;SZ[9]RU[tile];B[ai]\n(;W[ii])(;W[aa]))");
    assert_eq!(moves(&spaced), "B:A1 W:J1");
    assert_eq!((spaced.size.side(), spaced.rules.as_deref()), (Some(9), Some("tile")));
}

#[test]
fn common_defects_are_mended() {
    // Lower-case property names, upper-case coordinates, an old pass, a comma in komi, no CA, no GM,
    // a mail header.
    let record = read("Subject: game\n\n(;sz[9]km[6,5];b[AI];w[tt];Black[pass];White[ii])");
    assert_eq!(moves(&record), "B:A1 W:pass B:pass W:J1");
    assert_eq!(record.komi, Some(6.5));
    // Root properties in the node after the root.
    let record = read("(;GM[1]FF[4];SZ[9:5]KM[6.5];B[aa])");
    assert_eq!((moves(&record).as_str(), record.komi), ("B:A5", Some(6.5)));
    assert_eq!((record.size.width(), record.size.height()), (9, 5));
    // No size: 19. The end is missing: what exists is read, and the defect reported.
    let record = read("(;GM[1];B[aa];W[ss]");
    assert_eq!(moves(&record), "B:A19 W:T1");
    assert_eq!(record.defects.len(), 1);
}

#[test]
fn stones_are_set_up_before_the_first_turn() {
    let record = read("(;SZ[5]AB[aa:bb]AW[ee];AE[bb];W[cc])");
    let start = record.start(Rules::parse("go", 5).unwrap()).unwrap();
    assert_eq!(start.stones(Color::Black).count(), 3);
    assert_eq!(start.stones(Color::White).count(), 1);
    assert_eq!(start.turn(), Color::White);
    let handicap = read("(;SZ[5]HA[2]AB[aa][ee])");
    assert_eq!(handicap.first_player(), Color::White);
    assert_eq!(read("(;SZ[5]AB[aa]PL[B])").first_player(), Color::Black);
    let dead = read("(;SZ[5]AB[aa]AW[ab][ba])");
    assert!(dead.start(Rules::parse("go", 5).unwrap()).is_err());
}

#[test]
fn what_cannot_be_replayed_is_refused_in_words() {
    assert_eq!(refused(""), ReadError::NoGame);
    assert_eq!(refused("hello"), ReadError::NoGame);
    assert_eq!(refused("(;GM[2])"), ReadError::OtherGame);
    assert_eq!(refused("(;SZ[9:21])"), ReadError::Size(9, 21));
    assert_eq!(refused("(;SZ[25])"), ReadError::Size(25, 25));
    assert_eq!(refused("(;SZ[1])"), ReadError::Size(1, 1));
    assert!(matches!(refused("(;SZ[x])"), ReadError::BadSize(_)));
    assert!(matches!(refused("(;SZ[9];B[zz])"), ReadError::Move { turn: 1, .. }));
    assert!(matches!(refused("(;SZ[9];B[aa];W[a])"), ReadError::Move { turn: 2, .. }));
    for (values, count) in [("[dd][ee]", 2), ("[][dd]", 2), ("[dd][dd][]", 3)] {
        let several = ReadError::SeveralValues { turn: 2, count };
        assert_eq!(refused(&format!("(;SZ[9];B[aa];W{values})")), several, "{values}");
    }
    assert_eq!(moves(&read("(;SZ[9];B[aa];W[][])")), "B:A9 W:pass");
    assert_eq!(refused("(;SZ[9];B[aa];AB[bb])"), ReadError::SetupInGame(1));
    assert_eq!(refused("(;SZ[9]AB[jj])"), ReadError::SetupOffBoard);
    assert_eq!(refused(&format!("({})", ";".repeat(30_000))), ReadError::TooLong(30_000));
    let ranges = |count| format!("(;SZ[5]TR{};B[aa])", "[aa:ZZ]".repeat(count));
    assert_eq!(refused(&ranges(8)), ReadError::TooManyPoints(8 * 52 * 52));
    assert_eq!(moves(&read(&ranges(7))), "B:A5");
    assert_eq!(read("(;SZ[9])").own_rules(), Err(RecordRulesError::Missing));
    assert!(matches!(
        read("(;SZ[9]RU[Japanese])").own_rules(),
        Err(RecordRulesError::Unknown { .. })
    ));
}

#[test]
fn rules_are_named_in_capital_letters_and_in_objects_too() {
    let file = |rules: &str| read(&format!("(;SZ[5]KM[3]RU[{rules}];B[cc])"));
    for (rules, expected) in [
        ("Tile", "tile,komi=3"),
        ("MINIMAL-INCURSION", "minimal-incursion,komi=3"),
        ("Tile, End=Area", "tile,end=area,komi=3"),
        (r#"{"variant":"incursion"}"#, "incursion,komi=3"),
        (r#" {"variant": "Incursion"} "#, "incursion,komi=3"),
        (r#"{"ko":"SIMPLE","rules":"tile,tile_limit=2"}"#, "tile,tile_limit=2,komi=3"),
        // A file that stores what `kata-get-rules` says.
        (r#"{"ko":"POSITIONAL","suicide":true,"variant":"go","rules":"go,komi=4"}"#, "go,komi=3"),
    ] {
        assert_eq!(file(rules).own_rules().unwrap().to_string(), expected, "{rules}");
    }
    let chinese = file(r#"{"rules":"chinese"}"#).nearest_rules().unwrap();
    assert_eq!(chinese, file("Chinese").nearest_rules().unwrap());
    for unknown in [
        r#"{"variant":"tiel"}"#,
        r#"{"variant":"go","suicide":false}"#,
        r#"{"variant":7}"#,
        r#"{"ko":"SIMPLE"}"#,
        r#"{"variant":"go""#,
        "Tiel",
    ] {
        match file(unknown).nearest_rules() {
            Err(RecordRulesError::Unknown { given, .. }) => assert_eq!(given, unknown),
            other => panic!("{unknown}: {other:?}"),
        }
    }
}

#[test]
fn the_komi_of_the_file_counts_unless_another_is_named() {
    let own = |text: &str| read(text).own_rules().unwrap().to_string();
    let named = |text: &str, rules: &str| read(text).rules_named(rules).unwrap().to_string();
    assert_eq!(own("(;SZ[5]RU[go]KM[0.5];B[cc])"), "go,komi=0.5");
    assert_eq!(own("(;SZ[5]RU[go];B[cc])"), "go");
    assert_eq!(named("(;SZ[5]KM[0.5];B[cc])", "stoical"), "stoical,komi=0.5");
    assert_eq!(named("(;SZ[5]KM[0.5];B[cc])", "stoical,komi=3"), "stoical,komi=3");
    assert_eq!(named("(;SZ[5]KM[6.25];B[cc])", "go"), "go,komi=6.5", "the nearest there is");
    assert_eq!(named("(;SZ[5]KM[6.5];B[cc])", "alter-igo"), "alter-igo", "which has none");
    for (written, defects) in [("1e308", 1), ("five", 1), ("650", 1), ("6,5", 0), ("", 0)] {
        let record = read(&format!("(;SZ[5]KM[{written}];B[cc])"));
        assert_eq!(record.defects.len(), defects, "{written}: {:?}", record.defects);
    }
    assert_eq!(read("(;SZ[5]KM[1e308];B[cc])").komi, None);
}

#[test]
fn what_is_not_known_is_kept() {
    let text = "(;SZ[5]EV[cup]XX[a\\]b][c\\\\];B[aa]SBKV[54.2]TR[bb][aa]N[x];W[bb]C[well]WL[3]\
        LB[cc:a\\]b][bb:2][aa:1]AR[cc:aa][aa:bb]LN[bb:cc])";
    let record = read(text);
    let again = record.to_string();
    for kept in [
        "EV[cup]",
        "XX[a\\]b][c\\\\]",
        "SBKV[54.2]",
        "TR[aa][bb]",
        "N[x]",
        "C[well]",
        "WL[3]",
        "LB[aa:1][bb:2][cc:a\\]b]",
        "AR[aa:bb][cc:aa]",
        "LN[bb:cc]",
    ] {
        assert!(again.contains(kept), "{kept} in {again}");
    }
    assert_eq!(read(&again), record);
    assert_eq!(read(&again).to_string(), again);
}

#[test]
fn the_announced_choice_is_part_of_the_move() {
    let record = read("(;SZ[5]RU[conquest];B[cc]HSM[*];W[aa])");
    assert_eq!(record.turns[0].played, Move::PlaceStarred("C3".parse().unwrap()));
    assert_eq!(read(&record.to_string()), record);
}

/// Found by fuzzing: each of these once came back as another game.
#[test]
fn odd_files_are_the_same_game_when_written_and_read_again() {
    for text in [
        "(;;GM[1]SZ[19]RU[conquest]C[a];C[b];B[ad])",
        "(;SZ[5];WL[3]GM[0]C[a])",
        "(;SZ[5]PL[B];W[aa];B[bb])",
        "(;SZ[5]PL[W];B[aa]PL[B])",
    ] {
        let record = read(text);
        assert_eq!(read(&record.to_string()), record, "{text}");
    }
}

#[test]
fn rectangles_have_columns_and_rows() {
    let record = read("(;SZ[4:3]AB[da];B[ac];W[aa])");
    assert_eq!((record.size.width(), record.size.height()), (4, 3));
    assert!(record.stones[0].contains("D3".parse().unwrap()));
    let played: Vec<String> = record.turns.iter().map(|turn| turn.played.to_string()).collect();
    assert_eq!(played, ["A1", "A3"]);
    assert!(record.to_string().contains("SZ[4:3]"));
    assert_eq!(read(&record.to_string()), record);
}

#[test]
fn stones_are_set_up_by_lists_that_are_not_quite_valid() {
    let black = |text: &str| {
        let points = read(text).stones[0];
        points.iter().map(|point| point.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(black("(;SZ[9]AB[cc][];W[aa])"), "C7");
    assert_eq!(black("(;SZ[9]AB[cc][dd ][ee];W[aa])"), "E5 D6 C7");
    assert_eq!(black("(;SZ[9]AB[dd:cc];W[aa])"), "C6 D6 C7 D7", "from any corner");
    assert_eq!(black("(;SZ[9]AB[cc:dd]AE[dc][];W[aa])"), "C6 D6 C7");
    assert_eq!(black("(;SZ[9]AB[];W[aa])"), "");
    let strange = read("(;SZ[9]AB[cc][here];W[aa])");
    assert_eq!(strange.stones[0].count(), 1);
    assert_eq!(strange.defects, ["damaged: 'here' names no point, so nothing is set up there"]);
    assert_eq!(refused("(;SZ[9]AB[cc][jj ];W[aa])"), ReadError::SetupOffBoard);
    assert_eq!(refused("(;SZ[9];B[aa];AB[bb ])"), ReadError::SetupInGame(1));
}

#[test]
fn the_player_to_move_may_be_written_out() {
    for (text, first) in
        [("black", Color::Black), ("White", Color::White), ("b", Color::Black), ("W", Color::White)]
    {
        assert_eq!(read(&format!("(;SZ[9]AB[aa][bb]PL[{text}])")).to_move, Some(first), "{text}");
    }
    assert_eq!(read("(;SZ[9]PL[green])").to_move, None);
}

#[test]
fn komi_of_fox_is_counted_in_hundredths() {
    let komi = |program: &str, written: &str| {
        read(&format!("(;SZ[9]KM[{written}]AP[{program}];B[aa])")).komi
    };
    let fox = |written: &str| komi("foxwq", written);
    assert_eq!(["375", "750", "325", "650"].map(fox), [7.5, 7.5, 6.5, 6.5].map(Some));
    assert_eq!(["550", "275", "350", "700"].map(fox), [5.5, 5.5, 7.0, 7.0].map(Some));
    assert_eq!((fox("6.5"), fox("0")), (Some(6.5), Some(0.0)));
    assert_eq!(komi("foxwq:1", "375"), Some(7.5));
    assert_eq!(komi("CGoban:3", "375"), Some(375.0));
    // As the server writes it, with the name of another program before its own.
    let header = "KM[375]HA[0]RU[Chinese]AP[GNU Go:3.8]RN[3]RE[W+R]TM[60]TC[3]TT[20]AP[foxwq]RL[0]";
    let record = read(&format!("(;GM[1]FF[4]SZ[19]{header};B[pd];W[dd])"));
    assert_eq!((record.komi, record.result.as_deref()), (Some(7.5), Some("W+R")));
    assert!(record.defects.is_empty(), "{:?}", record.defects);
}

#[test]
fn a_line_break_behind_a_backslash_is_none() {
    let record = read("(;SZ[9]C[one \\\nlong\\\r\n line\nand another];B[aa])");
    assert_eq!(record.comment.as_deref(), Some("one long line\nand another"));
}

#[test]
fn only_the_nodes_of_the_main_line_count() {
    let talkative = format!("(;SZ[9]C[{}];B[aa])", ";".repeat(30_000));
    assert_eq!(moves(&read(&talkative)), "B:A9");
    let tree = format!("(;SZ[9];B[aa]{})", "(;W[bb];B[cc];W[dd])".repeat(10_000));
    assert_eq!(moves(&read(&tree)), "B:A9 W:B8 B:C7 W:D6");
    assert!(read(&tree).defects.is_empty());
}

/// A page has no larger stack, and an overflow would end this test's whole process.
#[test]
fn no_file_exhausts_a_stack_of_one_mebibyte() {
    let nested = |nodes: usize| format!("(;SZ[9]{}", ";B[]".repeat(nodes - 1));
    let read_all = move || {
        for end in ["", ")"] {
            let text = nested(8_000) + end;
            assert_eq!(read(&text).turns.len(), 7_999);
            let text = nested(19_990) + end;
            assert_eq!(refused(&text), ReadError::TooLong(19_990));
        }
    };
    let reading = std::thread::Builder::new().stack_size(1 << 20).spawn(read_all).unwrap();
    reading.join().unwrap();
}
