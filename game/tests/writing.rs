//! What is written reads back the same, for every variant, with and without extras.

#![allow(clippy::unwrap_used)]

use engine::{Color, Position, Rules, Variant};
use game::{Extras, SgfRecord, WriteError, replay};

const ALL: Extras = Extras { markup: true, materialize: true };

/// A random game, always the same.
fn game(rules: Rules) -> (SgfRecord, Position) {
    let mut record = SgfRecord::new(&rules);
    let mut position = Position::new(rules);
    let mut random = 3_u64;
    while position.outcome().is_none() && position.turns() < 120 {
        let moves = position.legal_moves();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let played = moves[(random >> 33) as usize % moves.len()];
        record.push(position.turn(), played);
        position.play(played).unwrap();
    }
    (record, position)
}

#[test]
fn every_variant_survives_writing_and_reading() {
    for variant in Variant::ALL {
        for size in [4, 7] {
            let (record, end) = game(variant.rules(size).unwrap());
            let again = SgfRecord::read(record.to_string().as_bytes()).unwrap();
            assert_eq!(again, record, "{variant}");
            let replayed = replay(&again, again.own_rules().unwrap()).unwrap();
            assert_eq!(replayed.position.hash(), end.hash(), "{variant}");
            assert_eq!(replayed.report.stopped, None);

            let extras = SgfRecord::read(record.write(ALL).unwrap().as_bytes()).unwrap();
            let played = |record: &SgfRecord| -> Vec<_> {
                record.turns.iter().map(|turn| (turn.player, turn.played)).collect()
            };
            assert_eq!(played(&extras), played(&record), "{variant}");
        }
    }
}

#[test]
fn a_game_from_the_middle_of_another_keeps_what_the_rules_look_at() {
    for variant in Variant::ALL {
        let rules = variant.rules(5).unwrap();
        let (played, _) = game(rules);
        let begun = played.turns.len() / 2;
        let mut position = Position::new(rules);
        played.turns[..begun].iter().for_each(|turn| position.play(turn.played).unwrap());
        let mut record = SgfRecord::new(&rules);
        record.begin_from(&position);
        for turn in &played.turns[begun..] {
            record.push(turn.player, turn.played);
            position.play(turn.played).unwrap();
        }
        let again = SgfRecord::read(record.to_string().as_bytes()).unwrap();
        assert_eq!(again, record, "{variant}");
        let replayed = replay(&again, rules).unwrap();
        assert_eq!(replayed.position.to_string(), position.to_string(), "{variant}");
        assert_eq!(replayed.report.turns_played, played.turns.len() - begun, "{variant}");
    }

    let damaged = b"(;SZ[3]RU[tile]HSS[rules tile\nsize 4]);";
    let record = SgfRecord::read(damaged).unwrap();
    assert!(record.start(Rules::parse("tile", 3).unwrap()).is_err());
}

#[test]
fn the_header_says_what_ordinary_programs_look_for() {
    let mut record = SgfRecord::new(&Rules::parse("cushion,tile_limit=2", 9).unwrap());
    record.players = [Some("a]\\\nb".to_owned()), None];
    let text = record.to_string();
    assert!(text.starts_with("(;GM[1]FF[4]CA[UTF-8]AP[hotstone:"), "{text}");
    assert!(text.ends_with("SZ[9]KM[0]RU[cushion,tile_limit=2]PB[a\\]\\\\ b])\n"), "{text}");
}

#[test]
fn tiles_are_marked() {
    let mut record = SgfRecord::new(&Rules::parse("tile", 5).unwrap());
    for (player, played) in [(Color::Black, "C3"), (Color::White, "A1"), (Color::Black, "E5")] {
        record.push(player, played.parse().unwrap());
    }
    let text = record.write(Extras { markup: true, materialize: false }).unwrap();
    assert!(text.ends_with(";B[cc]\n;W[ae]\n;B[ea]SQ[ea])\n"), "{text}");

    // A game that begins with tiles has marks in its root, too, and only once.
    let mut begun = Position::new(Rules::parse("tile", 5).unwrap());
    for played in ["C3", "A1", "E5"] {
        begun.play(played.parse().unwrap()).unwrap();
    }
    let mut record = SgfRecord::new(begun.rules());
    record.begin_from(&begun);
    let mut text = record.to_string();
    for _ in 0..2 {
        let again = SgfRecord::read(text.as_bytes()).unwrap();
        text = again.write(Extras { markup: true, materialize: false }).unwrap();
        assert_eq!(text.matches("SQ[ea]").count(), 1, "{text}");
    }
}

#[test]
fn a_position_that_viewers_get_wrong_is_set_up() {
    // Alter Igo takes the two stones without liberties of both colours at once.
    let mut record = SgfRecord::new(&Rules::parse("alter-igo", 2).unwrap());
    for (player, played) in
        [(Color::Black, "A1"), (Color::White, "B1"), (Color::Black, "B2"), (Color::White, "A2")]
    {
        record.push(player, played.parse().unwrap());
    }
    let text = record.write(Extras { markup: false, materialize: true }).unwrap();
    assert!(text.contains("HSP[]") && text.contains("AE["), "{text}");
    assert!(!text.contains("]AB[") || text.contains("HSP[]AB["), "{text}");
    // By default a file holds moves only.
    assert!(!record.to_string().contains("AE["));
}

#[test]
fn nodes_without_a_turn_stay_nodes_of_their_own() {
    let file = b"(;SZ[5]RU[go];B[aa]C[one];C[two];W[bb];PL[B]LB[cc:1])";
    let record = SgfRecord::read(file).unwrap();
    let text = record.to_string();
    let nodes = "\n;B[aa]C[one]\n;C[two]\n;W[bb]\n;PL[B]LB[cc:1])\n";
    assert!(text.ends_with(nodes), "{text}");
    assert_eq!(SgfRecord::read(text.as_bytes()).unwrap(), record);
    assert!(record.write(ALL).unwrap().ends_with(nodes));
}

#[test]
fn extras_need_rules_that_allow_the_moves() {
    let foreign = SgfRecord::read(b"(;SZ[5]RU[Chinese];B[aa])").unwrap();
    assert!(matches!(foreign.write(ALL), Err(WriteError::Rules(_))));
    let twice = SgfRecord::read(b"(;SZ[5]RU[go];B[aa];W[aa])").unwrap();
    assert!(matches!(twice.write(ALL), Err(WriteError::Illegal { turn: 2, .. })));
}

#[test]
fn passes_after_the_end_are_written_with_extras_too() {
    let record = SgfRecord::read(b"(;SZ[5]RU[go];B[ee];W[];B[];W[];B[])").unwrap();
    let replayed = replay(&record, record.own_rules().unwrap()).unwrap();
    let text = replayed.as_record(&record).write(ALL).unwrap();
    assert_eq!(SgfRecord::read(text.as_bytes()).unwrap().turns, record.turns);
    let resumed = SgfRecord::read(b"(;SZ[5]RU[go];B[ee];W[];B[];W[];B[aa])").unwrap();
    assert!(matches!(resumed.write(ALL), Err(WriteError::Illegal { turn: 5, .. })));
}

#[test]
fn a_suicide_is_set_up_because_not_every_viewer_knows_it() {
    let record =
        SgfRecord::read(b"(;SZ[3]RU[go];B[ac];W[ab];B[];W[bb];B[];W[cc];B[bc];W[])").unwrap();
    let text = record.write(Extras { markup: false, materialize: true }).unwrap();
    assert_eq!(text.matches("HSP[]").count(), 1, "{text}");
    assert!(text.contains(";B[bc]\n;HSP[]AW["), "{text}");
    assert_eq!(SgfRecord::read(text.as_bytes()).unwrap().turns, record.turns);
}
