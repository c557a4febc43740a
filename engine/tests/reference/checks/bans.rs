//! Bans and rules about repetition as separate parts, and the order of reasons.

use super::{Numbers, game, pass, place, point_of, position, rules, with_turn};
use crate::reference::rules::{Ban, Repetition};
use crate::reference::{Color, Reference, Refusal, Size};

/// C3 takes B3, and B3 takes C3 back.
const KO: [&str; 4] = [".XO.", "XO.O", ".XO.", "...."];

fn refusal(game: &Reference, name: &str) -> Option<Refusal> {
    game.refusal(point_of(game, name))
}

/// The ko just taken by Black.
fn taken_ko(text: &str) -> Reference {
    let mut game = position(text, &KO);
    place(&mut game, "C3");
    game
}

fn reason(game: &Reference) -> Option<&'static str> {
    game.outcome().map(|(_, reason)| reason)
}

#[test]
fn name_of_a_ban_as_repetition_means_both() {
    let read = |text: &str| {
        let rules = rules(text, Size::square(5));
        (rules.ban, rules.repetition)
    };
    assert_eq!(read("incursion"), (Ban::Incursion, Repetition::Draw));
    assert_eq!(read("go,repetition=incursion"), (Ban::Incursion, Repetition::Draw));
    assert_eq!(read("go,repetition=minimal-incursion"), (Ban::MinimalIncursion, Repetition::Draw));
    assert_eq!(read("tile,repetition=stoical"), (Ban::Stoical, Repetition::Draw));
    assert_eq!(read("go,ban=stoical"), (Ban::Stoical, Repetition::PositionalSuperko));
    assert_eq!(read("stoical,repetition=simple"), (Ban::Stoical, Repetition::Simple));
    assert_eq!(read("stoical,ban=none"), (Ban::None, Repetition::Draw));
}

#[test]
fn ban_alone_lets_positions_recur() {
    for (text, end) in [
        ("stoical,passes_to_end=3", Some("repetition")),
        ("stoical,passes_to_end=3,repetition=none", None),
    ] {
        let mut game = taken_ko(text);
        assert_eq!(refusal(&game, "B3"), Some(Refusal::Ban), "{text}");
        pass(&mut game);
        pass(&mut game);
        place(&mut game, "B3");
        pass(&mut game);
        pass(&mut game);
        assert_eq!(reason(&game), None, "{text}: the start was nobody's turn");
        place(&mut game, "C3");
        assert_eq!(reason(&game), end, "{text}");
    }
}

#[test]
fn draw_alone_bans_nothing() {
    let mut game = taken_ko("go,repetition=draw");
    place(&mut game, "B3");
    place(&mut game, "C3");
    assert_eq!(game.outcome(), Some((None, "repetition")));
}

#[test]
fn ban_is_the_reason_before_repetition() {
    for repetition in ["simple", "positional-superko", "situational-superko", "hot-stone"] {
        let alone = taken_ko(&format!("go,repetition={repetition}"));
        assert_eq!(refusal(&alone, "B3"), Some(Refusal::Repetition), "{repetition}");
        let both = taken_ko(&format!("stoical,repetition={repetition}"));
        assert_eq!(refusal(&both, "B3"), Some(Refusal::Ban), "{repetition}");
    }
}

#[test]
fn incursions_are_told_with_any_repetition_rule() {
    for repetition in ["none", "simple", "situational-superko", "draw", "hot-stone"] {
        let mut game = game(&format!("incursion,repetition={repetition}"), 5);
        place(&mut game, "C3");
        place(&mut game, "A1");
        assert_eq!(game.last_incursion(), Some(true), "{repetition}");
    }
    assert_eq!(game("stoical", 5).last_incursion(), None);
    assert_eq!(game("go,repetition=draw", 5).last_incursion(), None);
}

#[test]
fn forbidden_captures_are_the_reason_before_a_ban() {
    // White enters Black's side, and Black could answer by taking three stones inside White's eye.
    let rows = [".OX.", "OOX.", "XXX.", "...."];
    for (captures, reason) in [("allowed", Refusal::Ban), ("forbidden", Refusal::CapturesForbidden)]
    {
        let mut game = with_turn(&format!("incursion,captures={captures}"), &rows, Color::White);
        place(&mut game, "D1");
        assert_eq!(refusal(&game, "A4"), Some(reason), "{captures}");
    }
}

/// Plays random games under several parts at once, and asks for every point whether the reason is
/// the first that any part has alone.
#[test]
fn reasons_come_in_their_order() {
    let combinations = [
        ["captures=allowed", "tiles=tile", "ban=incursion", "repetition=positional-superko"],
        ["captures=allowed", "tiles=cushion", "ban=minimal-incursion", "repetition=simple"],
        ["captures=allowed", "tiles=tile", "ban=stoical", "repetition=hot-stone"],
        ["captures=forbidden", "tiles=cushion", "ban=incursion", "repetition=none"],
    ];
    let mut numbers = Numbers(3);
    let mut overruled = Vec::new();
    for parts in combinations {
        for _ in 0..60 {
            let side = 2 + numbers.below(3);
            // Passing or returning would lift the bans, so neither is possible.
            let bare = "go,end=no-pass,komi=0,repetition=none,max_moves=1000";
            let mut together = game(&format!("{bare},{}", parts.join(",")), side);
            let mut alone = parts.map(|part| game(&format!("{bare},{part}"), side));
            for _ in 0..60 {
                for point in 0..side * side {
                    let mut all: Vec<Refusal> =
                        alone.iter().filter_map(|game| game.refusal(point)).collect();
                    all.dedup();
                    assert_eq!(together.refusal(point), all.first().copied(), "{parts:?}");
                    if all.len() > 1 && !overruled.contains(&all) {
                        overruled.push(all);
                    }
                }
                let moves = together.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let chosen = moves[numbers.below(moves.len())];
                together.play(chosen);
                alone.iter_mut().for_each(|game| game.play(chosen));
            }
        }
    }
    // A tile never lies on an empty point where nothing is ever removed.
    for both in [
        [Refusal::CapturesForbidden, Refusal::Ban],
        [Refusal::TileLimit, Refusal::Ban],
        [Refusal::Ban, Refusal::Repetition],
    ] {
        assert!(overruled.contains(&both.to_vec()), "{both:?} never met: {overruled:?}");
    }
}
