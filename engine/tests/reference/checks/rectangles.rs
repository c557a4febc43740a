//! Boards that are not square.

use super::{Numbers, point, position, rows, rules};
use crate::reference::conquest::{Land, TieOrder};
use crate::reference::{
    Board, Color, Reference, ReferenceMove, ReferenceRules, Size, VARIANTS, perft, scoring,
};

const SHAPES: [(usize, usize); 6] = [(2, 3), (3, 2), (3, 4), (5, 2), (19, 2), (7, 19)];

#[test]
fn sizes_are_read_width_first() {
    assert_eq!(Size::parse("3x2"), Some(Size { width: 3, height: 2 }));
    assert_eq!(Size::parse("13"), Some(Size::square(13)));
    assert_eq!(Size::parse("3x"), None);
}

#[test]
fn neighbours_are_one_step_away() {
    for (width, height) in SHAPES {
        let board = Board::empty(Size { width, height });
        for one in 0..width * height {
            let steps = |two: usize| {
                (one / width).abs_diff(two / width) + (one % width).abs_diff(two % width)
            };
            let near: Vec<usize> = (0..width * height).filter(|&two| steps(two) == 1).collect();
            assert_eq!(
                board.neighbours(one).collect::<Vec<_>>(),
                near,
                "{one} on {width}x{height}"
            );
        }
    }
}

#[test]
fn defaults_follow_the_number_of_points() {
    for name in VARIANTS {
        let size = Size { width: 3, height: 5 };
        let square = ReferenceRules::named(name, Size::square(9)).expect("a known variant");
        let komi = if name == "go" || square.komi != 0.0 { 7.0 } else { 0.0 };
        assert_eq!(rules(name, size), ReferenceRules { size, komi, max_moves: 60, ..square });
    }
}

#[test]
fn rows_are_as_long_as_the_board_is_wide() {
    let drawn = ["X.O.", "....", "...O"];
    let game = position("go", &drawn);
    assert_eq!(game.rules().size, Size { width: 4, height: 3 });
    assert_eq!(rows(&game), drawn);
    assert_eq!(game.board()[point("C3", 4)], Some(Color::White));
}

/// The same move on the board turned over its long diagonal.
fn turned(chosen: ReferenceMove, size: Size) -> ReferenceMove {
    let turn = |point: usize| point % size.width * size.height + point / size.width;
    match chosen {
        ReferenceMove::Place(point) => ReferenceMove::Place(turn(point)),
        ReferenceMove::PlaceStarred(point) => ReferenceMove::PlaceStarred(turn(point)),
        ReferenceMove::Pass => ReferenceMove::Pass,
    }
}

fn turned_points<T: Copy>(points: &[T], size: Size) -> Vec<T> {
    let column = |column: usize| points.iter().skip(column).step_by(size.width).copied();
    (0..size.width).flat_map(column).collect()
}

/// Fails unless both boards show the same, one being the other turned over.
fn compare_with_turned(game: &Reference, other: &Reference) {
    let size = game.rules().size;
    let mut hot: Vec<_> = game.hot().into_iter().map(ReferenceMove::Place).collect();
    hot = hot.into_iter().map(|stone| turned(stone, size)).collect();
    assert_eq!(turned_points(game.board(), size), other.board());
    assert_eq!(turned_points(game.tiles(), size), other.tiles());
    assert_eq!(hot.len(), other.hot().len());
    assert!(other.hot().into_iter().all(|stone| hot.contains(&ReferenceMove::Place(stone))));
    assert_eq!(game.prisoners(), other.prisoners());
    assert_eq!(game.last_incursion(), other.last_incursion());
    assert_eq!(game.score(), other.score());
    assert_eq!(game.outcome(), other.outcome());
    let moves = other.legal_moves();
    assert_eq!(game.legal_moves().len(), moves.len());
    assert!(game.legal_moves().into_iter().all(|chosen| moves.contains(&turned(chosen, size))));
}

/// Whether the order of points decides anything: that of regions, or of sweeps.
fn depends_on_the_order_of_points(name: &str) -> bool {
    name.contains("conquest")
}

#[test]
fn games_are_the_same_on_the_board_turned_over() {
    let mut numbers = Numbers(11);
    for name in VARIANTS.into_iter().filter(|name| !depends_on_the_order_of_points(name)) {
        for (width, height) in [(2, 3), (3, 4), (2, 5), (3, 7)] {
            let mut game = Reference::new(rules(name, Size { width, height }));
            let mut other = Reference::new(rules(name, Size { width: height, height: width }));
            while game.outcome().is_none() {
                compare_with_turned(&game, &other);
                let moves = game.legal_moves();
                let chosen = moves[numbers.below(moves.len())];
                game.play(chosen);
                other.play(turned(chosen, game.rules().size));
            }
            compare_with_turned(&game, &other);
        }
    }
}

#[test]
fn counts_are_the_same_on_the_board_turned_over() {
    for name in VARIANTS {
        for (width, height, depth) in [(2, 3, 5), (3, 4, 3), (2, 6, 3)] {
            let count = |size| perft(&Reference::new(rules(name, size)), depth);
            let (standing, lying) = (Size { width, height }, Size { width: height, height: width });
            assert_eq!(count(standing), count(lying), "{name} on {width}x{height}");
        }
    }
}

/// What a turn of Black with the last of these stones leads to.
fn after_the_last(size: Size, names: &[&str], ties: TieOrder) -> Land {
    let mut board = Board::empty(size);
    let (last, first) = names.split_last().expect("some stones");
    for name in first {
        board.points[point(name, size.width)] = Some(Color::Black);
    }
    Land::bare(board).turn(Color::Black, point(last, size.width), ties)
}

/// The points that Black then owns.
fn conquered(size: Size, names: &[&str], ties: TieOrder) -> Vec<usize> {
    let land = after_the_last(size, names, ties);
    (0..size.points()).filter(|&point| land.is_territory(point, Color::Black)).collect()
}

/// Fails unless a turn without a choice leaves Black these points, in order of their index.
fn has_conquered(width: usize, height: usize, stones: &[&str], owned: &[&str]) {
    let found = conquered(Size { width, height }, stones, TieOrder::LowestFirst);
    let wanted: Vec<usize> = owned.iter().map(|name| point(name, width)).collect();
    assert_eq!(found, wanted, "{stones:?} on {width}x{height}");
}

#[test]
fn each_side_has_its_own_halves() {
    let stones = ["A3", "B3", "C2", "D1"];
    let below = ["A1", "B1", "C1", "A2", "B2"];
    // A3 is in the upper half, and D1 in the right one.
    has_conquered(5, 4, &stones, &[]);
    has_conquered(6, 4, &stones, &[]);
    // D1 is in the middle of its edge, then in the left half.
    has_conquered(7, 4, &stones, &below);
    has_conquered(8, 4, &stones, &below);
    has_conquered(9, 3, &stones, &below);
    // A3 is in the middle of its edge, then in the lower half.
    has_conquered(5, 5, &stones, &below);
    has_conquered(5, 6, &stones, &below);
}

#[test]
fn walls_are_the_edges_of_the_rectangle() {
    // A line of stones across leaves three walls on either side.
    has_conquered(4, 2, &["B1", "B2"], &[]);
    has_conquered(2, 4, &["A2", "B2"], &[]);
    // Two lines leave two walls between them, on opposite sides, and their ends face each other.
    has_conquered(5, 2, &["B1", "B2", "D1", "D2"], &[]);
    has_conquered(8, 2, &["B1", "B2", "D1", "D2"], &["C1", "C2"]);
    // A point with one wall is conquered whatever stands beside it.
    has_conquered(9, 2, &["F2", "H2", "G1"], &["G2"]);
}

#[test]
fn middle_of_an_odd_side_is_shared() {
    // Three points on either side of the last stone, whose far ends lie beyond the other middle.
    let (lowest, highest) = (TieOrder::LowestFirst, TieOrder::HighestFirst);
    let lying = Size { width: 5, height: 4 };
    let stones = ["A3", "B2", "D2", "E3", "C1"];
    let points = |width: usize, names: [&str; 3]| names.map(|name| point(name, width)).to_vec();
    assert_eq!(conquered(lying, &stones, lowest), points(5, ["A1", "B1", "A2"]));
    assert_eq!(conquered(lying, &stones, highest), points(5, ["D1", "E1", "E2"]));
    let standing = Size { width: 4, height: 5 };
    let stones = ["C1", "B2", "B4", "C5", "A3"];
    assert_eq!(conquered(standing, &stones, lowest), points(4, ["A1", "B1", "A2"]));
    assert_eq!(conquered(standing, &stones, highest), points(4, ["A4", "A5", "B5"]));
    // With more rows the ends are in the lower half, and both sides are conquered.
    let stones = ["A3", "B2", "D2", "E3", "C1"];
    has_conquered(5, 6, &stones, &["A1", "B1", "D1", "E1", "A2", "E2"]);
    // An even side has no middle: C1 is on the right.
    has_conquered(4, 4, &["A3", "B2", "C1"], &[]);
}

#[test]
fn enclosures_are_joined_across_the_rectangle() {
    // A chain joins two corners to one enclosure, and a third corner is far from both. The two
    // stones named first neither close nor join anything, and go.
    let chain = ["D4", "E5", "A2", "B1", "C1", "D1", "E1", "F1", "G2", "A5", "B6"];
    let turned = ["D4", "E5", "B1", "A2", "A3", "A4", "A5", "A6", "B7", "E1", "F2"];
    for (width, height, stones) in [(7, 6, chain), (6, 7, turned)] {
        let land = after_the_last(Size { width, height }, &stones, TieOrder::LowestFirst);
        assert_eq!(scoring::territory(&land), [3, 0], "{width}x{height}");
        assert_eq!(scoring::pure(&land), [42 - 9, 0], "{width}x{height}");
    }
}
