//! Worked examples, move by move.

#![allow(clippy::unwrap_used)]

mod common;

use common::{play, points, position};
use engine::{Bitboard, Color, GameResult, IllegalMove, Move, Outcome, Position, Reason, Rules};

fn error(position: &Position, chosen: &str) -> Option<IllegalMove> {
    position.check_move(chosen.parse().unwrap()).err()
}

fn tiles(position: &Position, names: &str) -> Vec<u8> {
    points(names).iter().map(|point| position.tiles(point)).collect()
}

const EMPTY_FIVE: &str = "..... ..... ..... ..... .....";

#[test]
fn the_second_stone_of_an_empty_board_is_an_incursion() {
    let mut game = position("incursion", EMPTY_FIVE);
    play(&mut game, "C3");
    assert_eq!(game.last_incursion(), Some(false));
    play(&mut game, "E5");
    assert_eq!(game.last_incursion(), Some(true));
    play(&mut game, "A1");
    assert_eq!(game.last_incursion(), Some(false));
}

const ODD_CYCLE: &str = "X.X. XOO. OOOX O.X.";

#[test]
fn an_odd_cycle_is_legal_once_and_heats_nothing() {
    let mut game = position("hot-stone", ODD_CYCLE);
    for chosen in ["B1", "D1", "C1", "pass", "B1", "D1"] {
        play(&mut game, chosen);
        assert!(game.hot_stones().is_empty(), "{chosen}");
        assert_eq!(game.odd_cycles(), usize::from(game.turns() > 2), "{chosen}");
    }
    assert_eq!(error(&game, "C1"), Some(IllegalMove::OddCycle));
    assert!(!game.legal_moves().contains(&"C1".parse::<Move>().unwrap()));
}

#[test]
fn a_pass_does_not_lift_the_ban_on_an_odd_cycle() {
    let mut game = position("hot-stone", ODD_CYCLE);
    play(&mut game, "B1 D1 C1 pass B1 D1 pass pass");
    assert_eq!(error(&game, "C1"), Some(IllegalMove::OddCycle));
}

/// Black can take at C8 and C2, White at G8.
const THREE_KOS: &str = "
    .XO..OX..
    XO.OOX.X.
    .XO..OX..
    .........
    .........
    .........
    .XO......
    XO.O.....
    .XO......";

#[test]
fn the_takers_of_three_kos_are_hot_until_a_pass() {
    let mut game = position("hot-stone", THREE_KOS);
    play(&mut game, "C8 G8 C2");
    assert_eq!(game.hot_stones(), points("C8 G8 C2"));
    for retake in ["B8", "B2"] {
        assert_eq!(error(&game, retake), Some(IllegalMove::HotStone), "{retake}");
        assert!(!game.legal_moves().contains(&retake.parse::<Move>().unwrap()), "{retake}");
    }
    play(&mut game, "pass");
    assert!(game.hot_stones().is_empty());
    play(&mut game, "F8 B8");
    assert_eq!(game.hot_stones(), points("F8 B8"));
}

#[test]
fn a_quiet_play_cools_all_stones() {
    let mut game = position("hot-stone", THREE_KOS);
    play(&mut game, "C8");
    assert_eq!(game.hot_stones(), points("C8"));
    assert_eq!(error(&game, "B8"), Some(IllegalMove::HotStone));
    play(&mut game, "E5");
    assert!(game.hot_stones().is_empty());
    play(&mut game, "A5 B8");
}

#[test]
fn a_snapback_is_banned_only_by_the_stoical_rule() {
    for rules in ["go", "incursion", "minimal-incursion", "tile", "cushion", "hot-stone", "stoical"]
    {
        let mut game = position(rules, "..... ..... XXX.. OOOX. ..OX.");
        play(&mut game, "A1 B1");
        match rules {
            "stoical" => assert_eq!(error(&game, "A1"), Some(IllegalMove::StoicalCapture)),
            _ => play(&mut game, "A1"),
        }
    }
}

#[test]
fn a_tile_answers_every_incursion_and_a_cushion_only_another_one() {
    let rows = ".XO.. .XO.. .XO.. .XO.. .XO..";
    for (rules, quiet_tiles) in [("tile", 1), ("cushion", 0)] {
        let mut game = position(rules, rows);
        play(&mut game, "E3 A3");
        assert_eq!(tiles(&game, "A3"), [1], "{rules}: an incursion answers");
        let mut game = position(rules, rows);
        play(&mut game, "E3 E4");
        assert_eq!(tiles(&game, "E4"), [quiet_tiles], "{rules}: another move answers");
    }
}

#[test]
fn the_last_point_of_alter_igo_empties_the_board() {
    let mut game = position("alter-igo", ".. ..");
    play(&mut game, "A1 B1 A2 B2");
    assert_eq!(game.empty(), game.size().board());
    assert_eq!(game.outcome(), None);
}

/// Where White may pass, nobody is told that there is no passing.
#[test]
fn only_white_passes_in_alter_igo() {
    let mut game = position("alter-igo,white_passes=1", ".. ..");
    assert_eq!(error(&game, "pass"), Some(IllegalMove::NoPassLeft(Color::Black)));
    play(&mut game, "A1 pass B2");
    assert_eq!(error(&game, "pass"), Some(IllegalMove::NoPassLeft(Color::White)));
    let mut game = position("alter-igo", ".. ..");
    assert_eq!(error(&game, "pass"), Some(IllegalMove::NoPass));
    play(&mut game, "A1");
    assert_eq!(error(&game, "pass"), Some(IllegalMove::NoPass));
}

#[test]
fn the_diamond_of_conquest_closes_with_its_last_stone() {
    let stones = points("A5 B6 C7 D8 E8 F7 G6 H5 H4 G3 F2 E1");
    let rules = Rules::parse("conquest", 8).unwrap();
    let mut game = Position::with_stones(rules, stones, Bitboard::EMPTY, Color::Black).unwrap();
    assert_eq!(game.owned(Color::Black).count(), 18);
    play(&mut game, "D1");
    assert_eq!(game.owned(Color::Black).count(), 51);
    let won = Outcome { result: GameResult::Won(Color::Black), reason: Reason::NoFreePoint };
    assert_eq!(game.outcome(), Some(won));
}

/// D1, a T-bone, closes a region at either side, and each needs it in its own quadrant.
#[test]
fn the_announced_choice_says_which_equal_region_is_conquered() {
    let rows = "....... ....... X.....X .X...X. ..X.X.. ..X.X.. .......";
    let game = position("conquest", rows);
    let [plain, starred] = ["D1", "D1*"].map(|chosen| chosen.parse::<Move>().unwrap());
    let moves = game.legal_moves();
    let at = moves.iter().position(|&chosen| chosen == plain).unwrap();
    assert_eq!(moves[at + 1], starred);
    let stars = moves.iter().filter(|chosen| matches!(chosen, Move::PlaceStarred(_))).count();
    assert_eq!(stars, 1);
    let [left, right] = [plain, starred].map(|chosen| {
        let mut next = game.clone();
        next.play(chosen).unwrap();
        next
    });
    assert_eq!(*left.owned(Color::Black), points("A1 B1 C1 A2 B2 A3 B3 A4"));
    assert_eq!(*right.owned(Color::Black), points("E1 F1 G1 F2 G2 F3 G3 G4"));
    assert_ne!(left.hash(), right.hash());
}

#[test]
fn the_smaller_region_goes_first_and_fixes_the_t_bone() {
    // A black stone at F2 makes the right region smaller, so there is no choice.
    let mut game = position("conquest", "....... ....... X.....X .X...X. ..X.X.. ..X.XX. .......");
    assert!(game.starred_points().is_empty());
    play(&mut game, "D1");
    assert_eq!(*game.owned(Color::Black), points("E1 F1 G1 F2 G2 F3 G3 G4"), "F2 is inside then");
}

#[test]
fn what_is_conquered_can_be_conquered_again() {
    let mut game = position(
        "conquest",
        "........ ........ ........ ........ X....... .X...... O.X..... .O......",
    );
    assert_eq!(*game.owned(Color::White), points("A1"));
    assert_eq!(error(&game, "A1"), Some(IllegalMove::Owned("A1".parse().unwrap())));
    play(&mut game, "D1");
    assert_eq!(*game.owned(Color::Black), points("A1 B1 C1 A2 B2 A3"));
    assert!(game.owned(Color::White).is_empty() && game.stones(Color::White).is_empty());
}

#[test]
fn stones_inside_become_territory() {
    let mut game = position(
        "conquest",
        "........ ........ ........ ........ X....... .X...... X.X..... .X......",
    );
    assert_eq!(*game.owned(Color::Black), points("A1 A2 B2 A3"), "A2 is inside, B1 is a wall");
    play(&mut game, "D1");
    assert_eq!(*game.owned(Color::Black), points("A1 B1 C1 A2 B2 A3"));
    assert_eq!(*game.stones(Color::Black), points("A4 B3 C2 D1"));
}

/// White owns a corner of six points, Black one of one point; H1 is Black's Salient. The 51 free points are split and
/// the odd one is Black's.
#[test]
fn pure_scoring_shares_the_free_points_out() {
    let game = position(
        "pure-conquest",
        "....O... .....O.. ......O. .......O ........ ........ X....... .X......",
    );
    assert_eq!(game.score(), Some(27.0 - 31.0));
    let with_salient = position(
        "pure-conquest",
        "....O... .....O.. ......O. .......O ........ ....X... X....... .X......",
    );
    assert_eq!(with_salient.score(), Some(27.0 - 31.0));
    let alone = position(
        "pure-conquest",
        "........ ........ ...O.... ........ ........ ........ X....... .X......",
    );
    assert_eq!(alone.score(), Some(62.0), "White has no territory and loses the stone");
}
