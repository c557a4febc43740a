//! Positions as network input: named bit planes and global numbers, from the perspective of the
//! player to move.

use ndarray::{Array2, Array4, ArrayViewMut1, ArrayViewMut3};

use crate::alter_igo;
use crate::go::{self, Candidates, GoState};
use crate::position::{Common, FamilyState, Position};
use crate::rules::fields::FIELDS;
use crate::{Bitboard, Color, MoveList, Size, Symmetry, moves};

/// The planes, by name and index.
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
        DRAWING = 26 "placements that draw at once";
        WINNING = 27 "placements that win at once by what they capture";
        OPPONENT_PLAYABLE = 28 "points where capture and suicide would allow the opponent a stone now";
        OWN_ALIVE = 29 "own stones that live without another move, and what keeps them alive";
        OPPONENT_ALIVE = 30 "opponent's stones that live without another move, and what keeps them alive";
    }
}

/// Number of planes.
pub const PLANES: usize = plane::NAMES.len();

/// The planes' names, in order.
pub const PLANE_NAMES: &[&str] = plane::NAMES;

/// Names of the numbers that depend on the position. Shares are fractions of the board's area
/// unless stated otherwise.
const POSITION_NUMBERS: [&str; 22] = [
    "player to move is Black",
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
    "shorter side of the board, in nineteenths",
    "turns left in units of four boards, x as x / (1 + x)",
    "there is a score",
    "own captures, share of those that win",
    "opponent's captures, share of those that win",
    "placements left in this turn, in quarters",
    "a stone has been placed in this turn",
];

/// Index of "a pass or return is legal".
const PASS_IS_LEGAL: usize = 8;

/// Numbers that depend on the rules alone.
const RULE_NUMBERS: usize = {
    let mut count = 0;
    let mut field = 0;
    while field < FIELDS.len() {
        count += FIELDS[field].inputs.len();
        field += 1;
    }
    count
};

/// Number of global inputs.
pub const GLOBALS: usize = POSITION_NUMBERS.len() + RULE_NUMBERS;

/// The global inputs' names, in order: first those that depend on the position, then the inputs of
/// each rules field.
pub const GLOBAL_NAMES: &[&str] = &{
    let mut names = [""; GLOBALS];
    let mut place = 0;
    while place < POSITION_NUMBERS.len() {
        names[place] = POSITION_NUMBERS[place];
        place += 1;
    }
    let mut field = 0;
    while field < FIELDS.len() {
        let mut input = 0;
        while input < FIELDS[field].inputs.len() {
            names[place] = FIELDS[field].inputs[input].0;
            place += 1;
            input += 1;
        }
        field += 1;
    }
    names
};

/// One position as bit planes and numbers.
///
/// ```
/// use engine::{Encoding, PLANE_NAMES, Position, Rules, plane};
///
/// let mut position = Position::new(Rules::parse("go", 5)?);
/// position.play("C3".parse()?)?;
/// let encoding = Encoding::of(&position);
/// assert_eq!(PLANE_NAMES[plane::OPPONENT], "opponent's stones");
/// assert!(encoding.planes[plane::OPPONENT].contains("C3".parse()?), "White is to move");
/// assert_eq!(encoding.legal_moves(), position.legal_moves());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Encoding {
    /// Binary planes in the order of [`PLANE_NAMES`].
    pub planes: [Bitboard; PLANES],
    /// Numbers of order of magnitude one, in the order of [`GLOBAL_NAMES`].
    pub globals: [f32; GLOBALS],
}

impl Encoding {
    /// Encodes a position from the perspective of the player to move.
    pub fn of(position: &Position) -> Encoding {
        let mut encoding = Encoding { planes: [Bitboard::EMPTY; PLANES], globals: [0.0; GLOBALS] };
        fill_planes(position, &mut encoding.planes);
        fill_globals(position, &mut encoding);
        encoding
    }

    /// The legal moves of the encoded position, in the order of [`Position::legal_moves`], without
    /// computing them again.
    pub fn legal_moves(&self) -> MoveList {
        let pass = self.globals[PASS_IS_LEGAL] != 0.0;
        moves::in_order(&self.planes[plane::LEGAL], &self.planes[plane::STARRED], pass)
    }

    /// Encodings for one board size as arrays `[batch, PLANES, height, width]` (row 0 is row 1 of
    /// the board) and `[batch, GLOBALS]`.
    ///
    /// ```
    /// use engine::{Encoding, GLOBALS, PLANES, Position, Rules, plane};
    ///
    /// let position = Position::new(Rules::parse("tile", "5x4".parse::<engine::Size>()?)?);
    /// let (planes, globals) = Encoding::arrays(&[Encoding::of(&position)], position.size());
    /// assert_eq!(planes.shape(), [1, PLANES, 4, 5]);
    /// assert_eq!(globals.shape(), [1, GLOBALS]);
    /// assert_eq!(planes[[0, plane::LEGAL, 3, 4]], 1.0);
    /// # Ok::<(), engine::RulesError>(())
    /// ```
    pub fn arrays(encodings: &[Encoding], size: Size) -> (Array4<f32>, Array2<f32>) {
        let mut planes = Array4::zeros((encodings.len(), PLANES, size.height(), size.width()));
        let mut globals = Array2::zeros((encodings.len(), GLOBALS));
        let rows = planes.outer_iter_mut().zip(globals.outer_iter_mut());
        for (encoding, (planes, globals)) in encodings.iter().zip(rows) {
            encoding.write(planes, globals);
        }
        (planes, globals)
    }

    /// Writes the encoding into one position's slice of such arrays: `[PLANES, height, width]`,
    /// which must be zero, and `[GLOBALS]`.
    ///
    /// # Panics
    /// If the arrays are smaller than the board.
    pub fn write(&self, mut planes: ArrayViewMut3<'_, f32>, mut globals: ArrayViewMut1<'_, f32>) {
        for (plane, mut numbers) in self.planes.iter().zip(planes.outer_iter_mut()) {
            plane.iter().for_each(|point| numbers[[point.row(), point.column()]] = 1.0);
        }
        globals.iter_mut().zip(self.globals).for_each(|(number, value)| *number = value);
    }

    /// The encoding of the position with all its points moved by `symmetry`.
    pub fn transformed(&self, symmetry: Symmetry, size: Size) -> Encoding {
        Encoding {
            planes: self.planes.map(|plane| symmetry.map_board(&plane, size)),
            globals: self.globals,
        }
    }
}

fn fill_planes(position: &Position, planes: &mut [Bitboard; PLANES]) {
    let legal = position.legal_points();
    let own = position.turn();
    let opponent = own.opponent();
    planes[plane::ON_BOARD] = position.board();
    planes[plane::OWN] = *position.stones(own);
    planes[plane::OPPONENT] = *position.stones(opponent);
    for (age, point) in position.recent_points().iter().enumerate() {
        planes[plane::LAST_TURN + age] = point.map_or(Bitboard::EMPTY, Bitboard::of);
    }
    planes[plane::LEGAL] = legal;
    match &position.family {
        FamilyState::Go(state) => {
            planes[plane::BANNED] = position.banned_points();
            go_planes(&position.common, state, legal, planes);
        }
        FamilyState::AlterIgo(_) => {
            liberty_planes(&position.common, planes);
            planes[plane::LOSING] = alter_igo::losing_points(&position.common);
            planes[plane::DRAWING] = alter_igo::drawing_points(&position.common);
        }
        FamilyState::Conquest(state) => {
            planes[plane::OWN_OWNED] = state.owner[own.index()];
            planes[plane::OPPONENT_OWNED] = state.owner[opponent.index()];
            planes[plane::STARRED] = position.starred_points();
        }
    }
}

fn go_planes(common: &Common, state: &GoState, legal: Bitboard, planes: &mut [Bitboard; PLANES]) {
    let (own, opponent) = (common.turn, common.turn.opponent());
    liberty_planes(common, planes);
    let territories = go::territories(common);
    planes[plane::OPPONENT_TERRITORY] = territories[opponent.index()];
    planes[plane::OWN_TERRITORY] = territories[own.index()];
    if state.last.incursion {
        planes[plane::LAST_INCURSION] = planes[plane::LAST_TURN];
    }
    let hot = state.hot_stones(&common.rules);
    planes[plane::OWN_HOT] = hot & common.stones[own.index()];
    planes[plane::OPPONENT_HOT] = hot & common.stones[opponent.index()];
    if common.rules.has_tiles() {
        let board = common.board();
        let count = |tiles| state.holding(tiles, &board);
        planes[plane::ONE_TILE] = count(1);
        planes[plane::MORE_TILES] = board.without(&(count(0) | count(1)));
        planes[plane::FULL_TILES] = count(common.rules.tile_limit);
        planes[plane::NEEDS_TILE] = state.needing_tile(common, Candidates::All(legal));
    }
    [planes[plane::WINNING], planes[plane::LOSING]] = state.deciding_points(common, legal);
    // A capture goal takes precedence over comparing the stones.
    let decided = planes[plane::WINNING] | planes[plane::LOSING];
    planes[plane::DRAWING] = go::drawing_points(common, legal.without(&decided));
    let in_atari = planes[plane::ONE_LIBERTY];
    planes[plane::OPPONENT_PLAYABLE] = go::playable_for(common, opponent, &in_atari);
    planes[plane::OWN_ALIVE] = go::pass_alive(common, own, &in_atari);
    planes[plane::OPPONENT_ALIVE] = go::pass_alive(common, opponent, &in_atari);
}

fn liberty_planes(common: &Common, planes: &mut [Bitboard; PLANES]) {
    const TARGETS: [usize; 3] = [plane::ONE_LIBERTY, plane::TWO_LIBERTIES, plane::THREE_LIBERTIES];
    let empty = common.empty();
    let next_to = empty.next_to_counts();
    for color in Color::BOTH {
        let stones = &common.stones[color.index()];
        // Half of all strings are single stones, so those are counted together.
        let joined = *stones & stones.neighbours();
        let single = stones.without(&joined);
        for (index, target) in TARGETS.into_iter().enumerate() {
            planes[target] |= (single & next_to[index]).without(&next_to[index + 1]);
        }
        joined.count_liberties(&empty, |string, liberties| {
            let index = (liberties as usize).checked_sub(1);
            if let Some(&target) = index.and_then(|index| TARGETS.get(index)) {
                planes[target] |= string;
            }
        });
    }
}

fn fill_globals(position: &Position, encoding: &mut Encoding) {
    let (of_position, of_rules) = encoding.globals.split_at_mut(POSITION_NUMBERS.len());
    of_position.copy_from_slice(&position_numbers(position, &encoding.planes));
    let inputs = FIELDS.iter().flat_map(|field| field.inputs);
    for (number, (_, input)) in of_rules.iter_mut().zip(inputs) {
        *number = input(position.rules(), position.turn());
    }
}

fn position_numbers(
    position: &Position,
    planes: &[Bitboard; PLANES],
) -> [f32; POSITION_NUMBERS.len()] {
    let rules = position.rules();
    let own = position.turn();
    let opponent = own.opponent();
    let area = rules.size.area() as f32;
    let shorter = rules.size.area() / rules.size.longest();
    let flag = |condition: bool| f32::from(u8::from(condition));
    let recent = position.recent_points();
    let was_pass = |age: usize| flag(position.recent_turns() > age && recent[age].is_none());
    let left = f32::from(rules.max_moves.saturating_sub(position.turns())) / (4.0 * area);
    let to_goal = |color| f32::from(position.taken(color)) / f32::from(rules.capture_goal.max(1));
    let captures = |color| if rules.capture_goal == 0 { 0.0 } else { to_goal(color) };
    let ban = position.is_ban_in_force();
    [
        flag(own == Color::Black),
        rules.size.longest() as f32 / 19.0,
        f32::from(position.turns()) / f32::from(rules.max_moves),
        was_pass(0),
        was_pass(1),
        f32::from(position.passes()) / 3.0,
        f32::from(position.prisoners(own)) / area,
        f32::from(position.prisoners(opponent)) / area,
        flag(position.can_pass()),
        flag(ban && rules.bans_incursions()),
        flag(ban && rules.bans_captures()),
        flag(rules.has_tiles() && position.last_incursion() == Some(true)),
        flag(!position.hot_stones().is_empty()),
        f32::from(rules.white_passes.saturating_sub(position.white_passes())) / 10.0,
        score_for_mover(position, planes) / area,
        shorter as f32 / 19.0,
        left / (1.0 + left),
        flag(rules.has_score()),
        captures(own),
        captures(opponent),
        f32::from(position.placements_left()) / 4.0,
        flag(position.is_mid_turn()),
    ]
}

/// The current score for the player to move; 0 where there is none. Under Conquest it counts only
/// owned points, because pure scoring is too slow for every leaf of a search.
fn score_for_mover(position: &Position, planes: &[Bitboard; PLANES]) -> f32 {
    if !position.rules().has_score() {
        return 0.0;
    }
    let count = |set: usize| planes[set].count() as f32;
    let points = match &position.family {
        FamilyState::Go(_) | FamilyState::AlterIgo(_) => {
            let own = count(plane::OWN) + count(plane::OWN_TERRITORY);
            own - count(plane::OPPONENT) - count(plane::OPPONENT_TERRITORY)
        }
        FamilyState::Conquest(_) => count(plane::OWN_OWNED) - count(plane::OPPONENT_OWNED),
    };
    points - position.turn().sign() * position.rules().komi.value()
}
