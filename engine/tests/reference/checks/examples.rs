//! Examples for the first ten variants.

use std::time::Instant;

use super::{Numbers, game, is_legal, place, point, position, rules, with_turn};
use crate::reference::conquest::{Land, TieOrder};
use crate::reference::rules::{Captures, Family};
use crate::reference::{Board, Color, Reference, ReferenceMove, Size, VARIANTS, scoring};

#[test]
fn first_incursion_is_the_first_reply() {
    let mut game = game("incursion", 5);
    place(&mut game, "C3");
    assert_eq!(game.last_incursion(), Some(false));
    for reply in game.legal_moves() {
        let mut next = game.clone();
        next.play(reply);
        assert_eq!(next.last_incursion(), Some(reply != ReferenceMove::Pass));
    }
    place(&mut game, "A1");
    assert_eq!(game.legal_moves().len(), 24);
    place(&mut game, "E5");
    assert_eq!(game.last_incursion(), Some(false));
}

#[test]
fn snapback_is_legal_but_for_stoics() {
    for variant in VARIANTS {
        let rules = rules(variant, Size::square(5));
        let captures_go_on = rules.captures == Captures::Allowed && rules.capture_goal == 0;
        if rules.family != Family::Go || !captures_go_on {
            continue;
        }
        let mut game = position(variant, &[".....", ".....", "XXX..", "OOOX.", "O..X."]);
        place(&mut game, "B1");
        place(&mut game, "C1");
        assert_eq!(game.prisoners(), [0, 1]);
        assert_eq!(is_legal(&game, "B1"), variant != "stoical", "{variant}");
        if variant != "stoical" {
            place(&mut game, "B1");
            assert_eq!(game.prisoners(), [5, 1], "{variant}");
        }
    }
}

#[test]
fn replies_to_incursions_get_tiles() {
    for (variant, tiles) in [("tile", 1), ("cushion", 0)] {
        let mut game = game(variant, 5);
        place(&mut game, "C3");
        place(&mut game, "A1");
        // Black's reply touches both colours, so it is not an incursion itself.
        place(&mut game, "E5");
        assert_eq!(game.tiles()[point("E5", 5)], tiles, "{variant}");
        assert_eq!(game.tiles().iter().sum::<usize>(), tiles, "{variant}");
    }
    // White enters Black's corner, and Black answers either with an incursion into White's or not.
    for (variant, reply, tiles) in
        [("tile", "E1", 1), ("tile", "A5", 1), ("cushion", "E1", 1), ("cushion", "A5", 0)]
    {
        let rows = [".....", ".....", "..XOO", "XXXO.", "..XO."];
        let mut game = with_turn(variant, &rows, Color::White);
        place(&mut game, "A1");
        assert_eq!(game.last_incursion(), Some(true));
        place(&mut game, reply);
        assert_eq!(game.tiles()[point(reply, 5)], tiles, "{variant} {reply}");
        assert_eq!(game.tiles().iter().sum::<usize>(), tiles, "{variant} {reply}");
        assert_eq!(game.last_incursion(), Some(reply == "E1"));
    }
}

#[test]
fn filling_the_board_in_alter_igo_clears_it() {
    let rows = ["XOXO", "XOXO", "XOXO", "XOX."];
    let mut game = position("alter-igo", &rows);
    place(&mut game, "D1");
    assert!(game.board().iter().all(Option::is_none));
    assert_eq!(game.outcome(), None);
}

#[test]
fn alter_igo_ends_by_a_lone_suicide() {
    let mut game = position("alter-igo", &["....", "....", "O...", ".O.."]);
    place(&mut game, "A1");
    assert_eq!(game.outcome(), Some((Some(Color::White), "suicide")));
}

/// Black's stones with the last one played as a turn, the others without any settling before.
fn conquered_by(side: usize, names: &[&str], ties: TieOrder) -> Land {
    let (last, first) = names.split_last().expect("some stones");
    let mut board = Board::empty(Size::square(side));
    for name in first {
        board.points[point(name, side)] = Some(Color::Black);
    }
    Land::bare(board).turn(Color::Black, point(last, side), ties)
}

/// Black's territory after each of these stones has been played as a separate turn.
fn territory_after(side: usize, names: &[&str]) -> usize {
    let turn =
        |land: Land, name: &&str| land.turn(Color::Black, point(name, side), TieOrder::LowestFirst);
    scoring::territory(&names.iter().fold(Land::empty(Size::square(side)), turn))[0]
}

const DIAMOND: [&str; 13] =
    ["A5", "B6", "C7", "D8", "E8", "F7", "G6", "H5", "H4", "G3", "F2", "E1", "D1"];

#[test]
fn diamond_on_the_inventors_page() {
    let whole = conquered_by(8, &DIAMOND, TieOrder::LowestFirst);
    assert_eq!(scoring::territory(&whole), [51, 0]);
    assert_eq!(whole.bridges(Color::Black).len(), 13);
    // Every stone is a Bridge, so pure scoring gives Black the whole board.
    assert_eq!(scoring::pure(&whole), [64, 0]);
    let open = conquered_by(8, &DIAMOND[..12], TieOrder::LowestFirst);
    assert_eq!(scoring::territory(&open), [18, 0]);
    assert_eq!(territory_after(8, &DIAMOND), 51);
}

#[test]
fn corner_is_conquered_with_the_stone_in_it() {
    let mut game = position("conquest", &["...", "X..", "O.."]);
    place(&mut game, "B1");
    let corner = point("A1", 3);
    assert_eq!((game.board()[corner], game.owner()[corner]), (None, Some(Color::Black)));
    assert_eq!(game.score(), Some(1.0));
}

#[test]
fn stones_inside_dissolve() {
    // A2 and B1 close the corner, and become territory once B2 closes a larger one.
    assert_eq!(territory_after(5, &["A2", "B1", "A3", "C1"]), 1);
    assert_eq!(territory_after(5, &["A2", "B1", "A3", "C1", "B2"]), 3);
}

#[test]
fn t_bone_stays_where_it_was_fixed() {
    // C1 serves a corner of three points on the left, and one of four points, up to E4, on the
    // right. Taken as a left stone it is diagonally opposite to E4.
    let (left, right) = (["A3", "B2"], ["D2", "D3", "E4"]);
    let last_of_both = [&left[..], &right[..], &["C1"]].concat();
    assert_eq!(territory_after(5, &last_of_both), 3);
    let right_first = [&right[..], &["C1"], &left[..]].concat();
    assert_eq!(territory_after(5, &right_first), 7);
}

#[test]
fn choice_between_equal_regions() {
    // Four points on either side of C1, with far corners A4 and E4: only one side can have it.
    let names = ["A4", "B3", "B2", "D2", "D3", "E4", "C1"];
    for (ties, corner, other) in
        [(TieOrder::LowestFirst, "A1", "E1"), (TieOrder::HighestFirst, "E1", "A1")]
    {
        let land = conquered_by(5, &names, ties);
        assert_eq!(scoring::territory(&land), [4, 0]);
        assert!(land.is_territory(point(corner, 5), Color::Black));
        assert!(land.is_free(point(other, 5)));
    }
    let game = position("conquest", &[".....", "X...X", ".X.X.", ".X.X.", "....."]);
    assert_eq!(starred(&game), [point("C1", 5)]);
}

#[test]
fn choice_that_matters_only_later() {
    // Both corners beside B1 are conquered in either order, but B1 is fixed on either side.
    let game = position("conquest", &["...", "X.X", "..."]);
    assert_eq!(starred(&game), [point("B1", 3), point("B3", 3)]);
}

/// The points with a second, starred move, each listed right after the plain one.
fn starred(game: &Reference) -> Vec<usize> {
    let moves = game.legal_moves();
    let pairs = moves.windows(2).filter_map(|pair| match pair {
        [ReferenceMove::Place(plain), ReferenceMove::PlaceStarred(point)] if plain == point => {
            Some(*point)
        }
        _ => None,
    });
    pairs.collect()
}

#[test]
fn salients_become_neutral_points() {
    // B2 closes nothing: it goes, and the 22 points outside touch Black alone.
    let salient = conquered_by(5, &["B2", "A2", "B1"], TieOrder::LowestFirst);
    assert_eq!(scoring::pure(&salient), [1 + 22, 0]);
    // C1 joins two corners to one enclosure, so it stays, and 18 points are left outside.
    let chain = conquered_by(5, &["A2", "B1", "D1", "E2", "C1"], TieOrder::LowestFirst);
    assert_eq!(scoring::pure(&chain), [2 + 18, 0]);
    // Without territory every stone is removed, and what touches neither player belongs to neither.
    assert_eq!(scoring::pure(&conquered_by(5, &["C3"], TieOrder::LowestFirst)), [0, 0]);
}

#[test]
fn contested_points_are_split() {
    // One corner each: 19 free points touch both, and the odd one goes to White when equal.
    let rows = ["...O.", "....O", ".....", "X....", "....."];
    let land = Land::bare(Board::from_rows(&rows))
        .turn(Color::Black, point("B1", 5), TieOrder::LowestFirst)
        .turn(Color::White, point("D4", 5), TieOrder::LowestFirst);
    assert_eq!(scoring::territory(&land), [1, 1]);
    assert_eq!(scoring::pure(&land), [1 + 9, 1 + 10]);
}

#[test]
fn last_position_of_the_long_game() {
    let board = Board::from_rows(&LONG_GAME);
    let count = |wanted| board.points.iter().filter(|&&stone| stone == wanted).count();
    assert_eq!(count(Some(Color::Black)), 140);
    assert_eq!(count(Some(Color::White)), 139);
    for stone in (0..board.points.len()).filter(|&point| board.points[point].is_some()) {
        assert!(board.has_liberty(&board.joined(stone)));
    }
    let [black, white] = board.area();
    assert_eq!(black as i64 - white as i64, -1);
    assert_eq!(board.points.len() - black - white, 24);
}

const LONG_GAME: [&str; 19] = [
    ".X.X.OXXO.OOX..O.O.",
    "X.XXXXXOOO..O.O.OOO",
    "..XOOOOOO..O.OOXOXO",
    "X..XOXOXO.OOOOOOXXX",
    "...XXXOXO...OOXXXXX",
    "X.XX.OXXOOOOXXOX.X.",
    "XX.X.OOXXXOOOXO.XXX",
    "X.X.OOXXXXXOXX.OOXX",
    ".XXXXOX..XOX.XX.XOX",
    "X.XXOOOXXOO.XOXXXOO",
    "OXXO.O.OXXXXOOOXOXO",
    "OOXOOOOOOX.X.OXOO.O",
    "O.OXXOOXXX.X.OXXOO.",
    ".OO.XXX.XOXXOOXXXOO",
    "O.OOOX.XOOOXOX.XXOX",
    ".OX.XOXXXO.OOXXXXXX",
    "OXXXXOOXOOO.OX.XOO.",
    ".OO..XOO.O.O.OX.XX.",
    "O.O..O..O.O.OOOX.X.",
];

/// Positions per second in random games that ask for the legal moves of every position.
#[test]
#[ignore = "a measurement, not a test"]
fn speed_of_random_games() {
    for variant in VARIANTS {
        for (size, wanted) in [(5, 20_000), (9, 5_000)] {
            let mut numbers = Numbers(7);
            let (mut positions, mut starred, mut ends) = (0, 0, Vec::new());
            let begin = Instant::now();
            while positions < wanted {
                let mut game = game(variant, size);
                loop {
                    let moves = game.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    let is_starred = |one: &&_| matches!(one, ReferenceMove::PlaceStarred(_));
                    starred += moves.iter().filter(is_starred).count();
                    // Passing at once would make the games end before they have begun.
                    let first = numbers.below(moves.len());
                    let again = numbers.below(moves.len());
                    let passes = moves[first] == ReferenceMove::Pass;
                    game.play(moves[if passes { again } else { first }]);
                    positions += 1;
                }
                let reason = game.outcome().map_or("none", |(_, reason)| reason);
                if !ends.contains(&reason) {
                    ends.push(reason);
                }
            }
            let rate = positions as f64 / begin.elapsed().as_secs_f64();
            println!("{variant} {size}: {rate:.0} positions/s, {starred} starred, {ends:?}");
        }
    }
}
