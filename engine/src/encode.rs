//! Positions as input of a network: named bit planes and a few global numbers, from the view of the player to move.

use ndarray::{Array2, Array4};

use crate::position::{Position, REMEMBERED_TURNS};
use crate::strings::{liberties, strings};
use crate::{
    Bitboard, Color, Ending, Family, MoveList, Point, Repetition, Rules, Scoring, Symmetry,
    TileRule, moves,
};

/// Grows with every change of planes or globals: weights of another version are refused.
pub const VERSION: u32 = 1;

/// The planes, by name and place.
pub mod plane {
    macro_rules! planes {
        ($($name:ident = $index:literal $text:literal;)*) => {
            $(#[doc = $text] pub const $name: usize = $index;)*
            /// Every plane's name, in order.
            pub const NAMES: &[&str] = &[$($text),*];
        };
    }
    planes! {
        ON_BOARD = 0 "on the board";
        OWN = 1 "own stones";
        OPPONENT = 2 "opponent's stones";
        ONE_LIBERTY = 3 "strings with one liberty";
        TWO_LIBERTIES = 4 "strings with two liberties";
        THREE_LIBERTIES = 5 "strings with three liberties";
        LAST_TURN = 6 "point of the last turn";
        SECOND_LAST_TURN = 7 "point of the turn before the last";
        THIRD_LAST_TURN = 8 "point of the third last turn";
        FOURTH_LAST_TURN = 9 "point of the fourth last turn";
        FIFTH_LAST_TURN = 10 "point of the fifth last turn";
        LEGAL = 11 "legal placements";
        BANNED = 12 "placements that only the variant's own rule forbids";
        LAST_INCURSION = 13 "point of the last turn if it was an incursion";
        OPPONENT_TERRITORY = 14 "empty areas that touch the opponent's stones only";
        OWN_TERRITORY = 15 "empty areas that touch own stones only";
        ONE_TILE = 16 "points with one tile";
        MORE_TILES = 17 "points with two or more tiles";
        FULL_TILES = 18 "points that cannot hold another tile";
        NEEDS_TILE = 19 "placements that would put down a tile";
        OWN_HOT = 20 "own hot stones";
        OPPONENT_HOT = 21 "opponent's hot stones";
        OWN_OWNED = 22 "points conquered by the player";
        OPPONENT_OWNED = 23 "points conquered by the opponent";
        STARRED = 24 "placements with an announced choice";
        LOSING = 25 "placements that lose at once";
    }
}

/// Number of planes.
pub const PLANES: usize = plane::NAMES.len();

/// The planes' names, in order.
pub const PLANE_NAMES: &[&str] = plane::NAMES;

/// The global inputs' names, in order. Shares are of the board's area unless said.
pub const GLOBAL_NAMES: &[&str] = &[
    "player to move is Black",
    "komi for the player to move, in fifteenths",
    "side of the board, in nineteenths",
    "share of the move limit used",
    "last turn was a pass or return",
    "the turn before was a pass or return",
    "passes in a row, in thirds",
    "own prisoners, share",
    "opponent's prisoners, share",
    "a pass or return is legal",
    "a ban on incursions is in force",
    "a ban on captures is in force",
    "a tile may be needed",
    "a stone is hot",
    "White's passes left, in tens",
    "score as it stands (Conquest: owned points) for the player to move, share",
    "rule: suicide",
    "rule: repeated positions are banned",
    "rule: incursions are restricted",
    "rule: minimal incursions only",
    "rule: captures are restricted",
    "rule: hot stones",
    "rule: tiles",
    "rule: cushions",
    "rule: prisoner return",
    "rule: pure scoring",
];

/// Place of "a pass or return is legal".
const PASS_IS_LEGAL: usize = 9;

/// Number of global inputs.
pub const GLOBALS: usize = GLOBAL_NAMES.len();

/// One position as bit planes and numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoding {
    /// Binary planes in the order of [`PLANE_NAMES`].
    pub planes: [Bitboard; PLANES],
    /// Numbers of order one in the order of [`GLOBAL_NAMES`].
    pub globals: [f32; GLOBALS],
}

impl Encoding {
    /// Encodes a position from the view of the player to move.
    pub fn of(position: &Position) -> Encoding {
        let legal = position.legal_points();
        Encoding { planes: planes(position, legal), globals: globals(position) }
    }

    /// The legal moves of the encoded position, in the order of [`Position::legal_moves`]. Whoever has encoded a
    /// position need not have its moves found a second time.
    pub fn legal_moves(&self) -> MoveList {
        let pass = self.globals[PASS_IS_LEGAL] != 0.0;
        moves::in_order(&self.planes[plane::LEGAL], &self.planes[plane::STARRED], pass)
    }

    /// The encodings as arrays `[batch, PLANES, size, size]` (row 0 is row 1 of the board) and `[batch, GLOBALS]`.
    pub fn arrays(encodings: &[Encoding], size: usize) -> (Array4<f32>, Array2<f32>) {
        let mut planes = Array4::zeros((encodings.len(), PLANES, size, size));
        let mut globals = Array2::zeros((encodings.len(), GLOBALS));
        for (i, encoding) in encodings.iter().enumerate() {
            for (j, plane) in encoding.planes.iter().enumerate() {
                plane.iter().for_each(|point| planes[[i, j, point.row(), point.column()]] = 1.0);
            }
            for (j, &value) in encoding.globals.iter().enumerate() {
                globals[[i, j]] = value;
            }
        }
        (planes, globals)
    }

    /// The encoding of the position with all its points moved by `symmetry`.
    pub fn transformed(&self, symmetry: Symmetry, size: usize) -> Encoding {
        symmetry.encoding(self, size)
    }
}

fn planes(position: &Position, legal: Bitboard) -> [Bitboard; PLANES] {
    let mut planes = [Bitboard::EMPTY; PLANES];
    let own = position.turn();
    let opponent = own.opponent();
    planes[plane::ON_BOARD] = position.board();
    planes[plane::OWN] = *position.stones(own);
    planes[plane::OPPONENT] = *position.stones(opponent);
    let recent: [Option<Point>; REMEMBERED_TURNS] = position.recent;
    for (age, point) in recent.into_iter().enumerate() {
        planes[plane::LAST_TURN + age] = point.map_or(Bitboard::EMPTY, Bitboard::of);
    }
    planes[plane::LEGAL] = legal;
    match position.rules().family {
        Family::Go => go_planes(position, legal, &mut planes),
        Family::AlterIgo => {
            liberty_planes(position, &mut planes);
            planes[plane::LOSING] = position.alter_igo_losing_points();
        }
        Family::Conquest => {
            planes[plane::OWN_OWNED] = *position.owned(own);
            planes[plane::OPPONENT_OWNED] = *position.owned(opponent);
            planes[plane::STARRED] = position.starred_points();
        }
    }
    planes
}

fn go_planes(position: &Position, legal: Bitboard, planes: &mut [Bitboard; PLANES]) {
    let own = position.turn();
    liberty_planes(position, planes);
    planes[plane::BANNED] = position.banned_points();
    let territories = position.territories();
    planes[plane::OPPONENT_TERRITORY] = territories[own.opponent().index()];
    planes[plane::OWN_TERRITORY] = territories[own.index()];
    if position.last.incursion {
        planes[plane::LAST_INCURSION] = planes[plane::LAST_TURN];
    }
    let hot = position.hot();
    planes[plane::OWN_HOT] = hot & *position.stones(own);
    planes[plane::OPPONENT_HOT] = hot & *position.stones(own.opponent());
    match position.rules().tiles {
        TileRule::None => {}
        TileRule::Tile | TileRule::Cushion => {
            let board = position.board();
            let count = |tiles| position.tiles.exactly(tiles, &board);
            planes[plane::ONE_TILE] = count(1);
            planes[plane::MORE_TILES] = board.without(&(count(0) | count(1)));
            planes[plane::FULL_TILES] = count(position.rules().tile_limit);
            planes[plane::NEEDS_TILE] = position.points_needing_tile(legal);
        }
    }
}

fn liberty_planes(position: &Position, planes: &mut [Bitboard; PLANES]) {
    const TARGETS: [usize; 3] = [plane::ONE_LIBERTY, plane::TWO_LIBERTIES, plane::THREE_LIBERTIES];
    let empty = position.empty();
    let next_to = [1, 2, 3, 4].map(|liberties| empty.next_to(liberties));
    for color in Color::BOTH {
        let stones = position.stones(color);
        // Half of all strings are single stones, and those are counted together.
        let joined = *stones & stones.neighbours();
        let single = stones.without(&joined);
        for (index, target) in TARGETS.into_iter().enumerate() {
            planes[target] |= (single & next_to[index]).without(&next_to[index + 1]);
        }
        for string in strings(joined) {
            let liberties = liberties(&string, &empty).count();
            if let Some(&target) = liberties.checked_sub(1).and_then(|index| TARGETS.get(index)) {
                planes[target] |= string;
            }
        }
    }
}

fn globals(position: &Position) -> [f32; GLOBALS] {
    let rules = position.rules();
    let own = position.turn();
    let area = (position.size() * position.size()) as f32;
    let flag = |condition: bool| f32::from(u8::from(condition));
    let was_pass =
        |age: usize| flag(usize::from(position.turns()) > age && position.recent[age].is_none());
    let rule = RuleFlags::of(rules);
    [
        flag(own == Color::Black),
        -own.sign() * rules.komi.value() / 15.0,
        position.size() as f32 / 19.0,
        f32::from(position.turns()) / f32::from(rules.max_moves),
        was_pass(0),
        was_pass(1),
        f32::from(position.passes()) / 3.0,
        f32::from(position.prisoners(own)) / area,
        f32::from(position.prisoners(own.opponent())) / area,
        flag(position.can_pass()),
        flag(
            (rule.incursion && position.last.incursion) || (rule.minimal && position.last.minimal),
        ),
        flag(rule.stoical && position.last.capture),
        flag(rules.tiles != TileRule::None && position.last_placement_incursion),
        flag(!position.hot().is_empty()),
        f32::from(rules.white_passes.saturating_sub(position.white_passes)) / 10.0,
        own.sign() * score(position) / area,
        flag(rules.suicide),
        flag(rule.superko),
        flag(rule.incursion),
        flag(rule.minimal),
        flag(rule.stoical),
        flag(rule.hot),
        flag(rules.tiles == TileRule::Tile),
        flag(rules.tiles == TileRule::Cushion),
        flag(rules.end == Ending::PrisonerReturn),
        flag(rules.scoring == Scoring::Pure),
    ]
}

/// The score as it stands; under Conquest only owned points, for pure scoring is too slow for every leaf of a search.
fn score(position: &Position) -> f32 {
    match position.rules().family {
        Family::Go | Family::AlterIgo => position.score().unwrap_or_default(),
        Family::Conquest => position.owned_score() as f32 - position.rules().komi.value(),
    }
}

#[derive(Default)]
struct RuleFlags {
    superko: bool,
    incursion: bool,
    minimal: bool,
    stoical: bool,
    hot: bool,
}

impl RuleFlags {
    fn of(rules: &Rules) -> RuleFlags {
        let none = RuleFlags::default();
        match rules.repetition {
            Repetition::None | Repetition::Simple => none,
            Repetition::PositionalSuperko | Repetition::SituationalSuperko => {
                RuleFlags { superko: true, ..none }
            }
            Repetition::Incursion => RuleFlags { incursion: true, ..none },
            Repetition::MinimalIncursion => RuleFlags { minimal: true, ..none },
            Repetition::Stoical => RuleFlags { stoical: true, ..none },
            Repetition::HotStone => RuleFlags { hot: true, ..none },
        }
    }
}
