//! Hot stones and odd cycles, and the search for ko plays against their definition.

use super::{Numbers, is_legal, place, point, position};
use crate::reference::hot_stone::{is_ko_play, is_ko_play_by_definition};
use crate::reference::{Board, Color, ReferenceMove, Size};

#[test]
fn odd_cycle_is_legal_once() {
    let mut game = position("hot-stone", &["X.X.", "XOO.", "OOOX", "O.X."]);
    for name in ["B1", "D1", "C1"] {
        place(&mut game, name);
        assert!(game.hot().is_empty());
    }
    game.play(ReferenceMove::Pass);
    place(&mut game, "B1");
    place(&mut game, "D1");
    assert!(!is_legal(&game, "C1"));
    assert!(game.hot().is_empty());
}

#[test]
fn three_kos_heat_all_their_takers() {
    let block = [".XO......", "XO.O.....", ".XO......"];
    let other = [".XO......", "X.XO.....", ".XO......"];
    let rows: Vec<&str> = block.into_iter().chain(other).chain(block).collect();
    let mut game = position("hot-stone", &rows);
    place(&mut game, "C8");
    place(&mut game, "B5");
    place(&mut game, "C2");
    assert_eq!(game.hot(), [point("C2", 9), point("B5", 9), point("C8", 9)]);
    assert!(!is_legal(&game, "B8") && !is_legal(&game, "B2"));
    game.play(ReferenceMove::Pass);
    assert!(game.hot().is_empty());
    // The pass was White's; Black may now retake, and so may White after a turn elsewhere.
    assert!(is_legal(&game, "C5"));
    place(&mut game, "H5");
    assert!(is_legal(&game, "B8") && is_legal(&game, "B2"));
}

/// Plays random games and asks both searches about every legal placement by Go capture.
fn compare_cycle_searches(side: usize, max_cycle: usize, most_empty: usize, wanted: usize) {
    let mut numbers = Numbers(side as u64);
    let (mut compared, mut ko_plays) = (0, 0);
    while compared < wanted {
        let suicide = numbers.below(2) == 0;
        let mut board = Board::empty(Size::square(side));
        let mut player = Color::Black;
        for _ in 0..4 * side * side {
            let open: Vec<_> =
                (0..side * side).filter_map(|point| board.place(point, player, suicide)).collect();
            if open.is_empty() {
                break;
            }
            let empty = board.points.iter().filter(|stone| stone.is_none()).count();
            for played in open.iter().filter(|_| empty <= most_empty) {
                let (after, play) = (&played.board, &played.play);
                let quick = is_ko_play(&board, after, play, max_cycle, suicide);
                let whole = is_ko_play_by_definition(&board, after, play, max_cycle, suicide);
                assert_eq!(quick, whole, "{play:?} on {board:?}");
                compared += 1;
                ko_plays += usize::from(quick);
            }
            board = open[numbers.below(open.len())].board.clone();
            player = player.opponent();
        }
    }
    println!("size {side}, cycles to {max_cycle}: {compared} plays, {ko_plays} of them ko plays");
    assert!(ko_plays > 0, "the games are varied enough to contain kos");
}

#[test]
fn cycle_search_agrees_with_the_definition() {
    compare_cycle_searches(2, 6, 4, 5_000);
    compare_cycle_searches(2, 8, 4, 2_000);
    compare_cycle_searches(3, 4, 9, 20_000);
    compare_cycle_searches(3, 6, 6, 20_000);
    compare_cycle_searches(4, 4, 10, 20_000);
    compare_cycle_searches(4, 6, 5, 5_000);
}
