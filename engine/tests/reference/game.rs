//! A game: which turns are legal, what a turn does, and when it is over.

use super::alter_igo;
use super::board::{Board, Played};
use super::conquest::{Land, TieOrder};
use super::hot_stone::{self, CycleMemory};
use super::repetition::{self, LastTurn, Situation};
use super::rules::{Captures, Color, End, Family, ReferenceRules, Repetition, Scoring, Tiles};
use super::scoring;

/// What a player may do in one move. A prisoner return is written as a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceMove {
    /// A stone on the point `row * width + column`, row 0 at the bottom.
    Place(usize),
    /// The same with equally large regions taken in the opposite order (Conquest only).
    PlaceStarred(usize),
    Pass,
}

/// The winner, or `None` for a draw, and the reason.
pub type Outcome = (Option<Color>, &'static str);

/// Why a placement is illegal: the first that holds, in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Occupied,
    /// Owned territory (Conquest only).
    Owned,
    Suicide,
    CapturesForbidden,
    TileLimit,
    Ban,
    /// Hot stones and odd cycles included.
    Repetition,
}

/// A game from its start to the present.
#[derive(Clone, Debug)]
pub struct Reference {
    pub(super) rules: ReferenceRules,
    /// Stones, and for Conquest who owns what.
    pub(super) land: Land,
    pub(super) to_move: Color,
    pub(super) tiles: Vec<usize>,
    pub(super) last_placement_was_incursion: bool,
    pub(super) last_turn: LastTurn,
    pub(super) prisoners: [usize; 2],
    /// Stones ever taken from the opponent, the opponent's suicides among them, by Black and White.
    pub(super) taken: [usize; 2],
    /// Passes in a row just before this turn; a return is not a pass.
    pub(super) passes: usize,
    white_passes_made: usize,
    /// Moves of every kind since the start.
    moves: usize,
    /// Whether the game's first turn, which has one placement only, is over.
    first_turn_is_over: bool,
    /// Placements that the player to move has made in this turn.
    placed_this_turn: usize,
    /// The start and what every move left, the present last.
    history: Vec<Situation>,
    /// The start and what every placement left (Alter Igo counts these).
    placements: Vec<Board>,
    pub(super) hot: Vec<bool>,
    cycles: CycleMemory,
    pub(super) outcome: Option<Outcome>,
}

impl Reference {
    pub fn new(rules: ReferenceRules) -> Reference {
        let board = Board::empty(rules.size);
        Reference::from_position(rules, board, Color::Black)
    }

    /// A game that starts with these stones on the board.
    pub fn from_position(rules: ReferenceRules, board: Board, to_move: Color) -> Reference {
        let points = board.points.len();
        let mut game = Reference {
            prisoners: first_prisoners(&rules),
            taken: [0, 0],
            rules,
            to_move,
            tiles: vec![0; points],
            last_placement_was_incursion: false,
            last_turn: LastTurn::default(),
            passes: 0,
            white_passes_made: 0,
            moves: 0,
            first_turn_is_over: false,
            placed_this_turn: 0,
            history: vec![Situation { board: board.clone(), by: None, next: to_move }],
            placements: vec![board.clone()],
            hot: vec![false; points],
            cycles: CycleMemory::default(),
            land: Land::bare(board),
            outcome: None,
        };
        game.outcome = game.loss_for_want_of_a_move();
        game
    }

    pub fn legal_moves(&self) -> Vec<ReferenceMove> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        let mut moves = Vec::new();
        for point in 0..self.land.owner.len() {
            if self.is_legal_placement(point) {
                moves.push(ReferenceMove::Place(point));
                if self.is_legal_starred(point) {
                    moves.push(ReferenceMove::PlaceStarred(point));
                }
            }
        }
        if self.may_pass() {
            moves.push(ReferenceMove::Pass);
        }
        moves
    }

    fn is_legal_placement(&self, point: usize) -> bool {
        self.refusal(point).is_none()
    }

    fn has_a_legal_placement(&self) -> bool {
        (0..self.tiles.len()).any(|point| self.is_legal_placement(point))
    }

    /// Why a placement here is illegal, if it is, in a game that is not over.
    pub fn refusal(&self, point: usize) -> Option<Refusal> {
        if self.land.board.points[point].is_some() {
            return Some(Refusal::Occupied);
        }
        match self.rules.family {
            Family::Go => self.go_refusal(point),
            Family::AlterIgo => None,
            Family::Conquest => self.land.owner[point].map(|_| Refusal::Owned),
        }
    }

    fn is_legal_starred(&self, point: usize) -> bool {
        self.rules.family == Family::Conquest
            && self.land.starred_turn(self.to_move, point).is_some()
    }

    fn may_pass(&self) -> bool {
        match self.rules.family {
            Family::Go => match self.rules.end {
                End::Area => true,
                End::PrisonerReturn => self.prisoners[self.to_move.index()] > 0,
                End::NoPass => false,
            },
            Family::AlterIgo => {
                self.to_move == Color::White && self.white_passes_made < self.rules.white_passes
            }
            Family::Conquest => false,
        }
    }

    fn go_placement(&self, point: usize) -> Option<Played> {
        self.land.board.place(point, self.to_move, self.rules.suicide)
    }

    /// Why a placement on this empty point is illegal.
    fn go_refusal(&self, point: usize) -> Option<Refusal> {
        let Some(played) = self.go_placement(point) else { return Some(Refusal::Suicide) };
        if self.rules.captures == Captures::Forbidden && !played.play.removed.is_empty() {
            return Some(Refusal::CapturesForbidden);
        }
        if self.is_refused_by_tiles(point) {
            return Some(Refusal::TileLimit);
        }
        if repetition::bans(self.rules.ban, self.last_turn, &self.land.board, &played) {
            return Some(Refusal::Ban);
        }
        let repeats = repetition::forbids(self.rules.repetition, &self.history, &played)
            || self.is_refused_by_hot_stones(&played);
        repeats.then_some(Refusal::Repetition)
    }

    /// Whether a placement here needs a tile.
    fn needs_tile(&self, point: usize) -> bool {
        self.last_placement_was_incursion
            && match self.rules.tiles {
                Tiles::None => false,
                Tiles::Tile => true,
                Tiles::Cushion => self.land.board.is_incursion(point, self.to_move),
            }
    }

    fn is_refused_by_tiles(&self, point: usize) -> bool {
        self.tiles[point] >= self.rules.tile_limit && self.needs_tile(point)
    }

    fn is_refused_by_hot_stones(&self, played: &Played) -> bool {
        self.rules.repetition == Repetition::HotStone
            && (self.cycles.forbids(&played.play, self.tiles.len())
                || (hot_stone::captures_hot(&self.hot, &played.play) && self.is_ko_play(played)))
    }

    fn is_ko_play(&self, played: &Played) -> bool {
        let (max_cycle, suicide) = (self.rules.max_cycle, self.rules.suicide);
        hot_stone::is_ko_play(&self.land.board, &played.board, &played.play, max_cycle, suicide)
    }

    /// Makes a legal move.
    pub fn play(&mut self, chosen: ReferenceMove) {
        let player = self.to_move;
        let ended = match chosen {
            ReferenceMove::Pass => {
                self.pass();
                None
            }
            ReferenceMove::Place(point) => self.place(point, TieOrder::LowestFirst),
            ReferenceMove::PlaceStarred(point) => self.place(point, TieOrder::HighestFirst),
        };
        self.moves += 1;
        self.history.push(Situation {
            board: self.land.board.clone(),
            by: Some(player),
            next: player.opponent(),
        });
        if self.turn_is_over(chosen) {
            self.to_move = player.opponent();
            self.placed_this_turn = 0;
            self.first_turn_is_over = true;
        } else if let Some(present) = self.history.last_mut() {
            present.next = player;
        }
        self.outcome = self
            .win_by_captures()
            .or(ended)
            .or_else(|| self.end_by_passes())
            .or_else(|| self.end_for_want_of_a_free_point())
            .or_else(|| self.loss_for_want_of_a_move())
            .or_else(|| self.end_by_move_limit());
    }

    /// Whether the move just made was the last of its turn.
    fn turn_is_over(&self, made: ReferenceMove) -> bool {
        let most = if self.first_turn_is_over { self.rules.stones_per_turn } else { 1 };
        made == ReferenceMove::Pass
            || self.placed_this_turn == most
            || (self.rules.end == End::NoPass && !self.has_a_legal_placement())
    }

    fn pass(&mut self) {
        self.last_turn = LastTurn::default();
        self.hot.fill(false);
        if self.rules.family == Family::Go && self.rules.end == End::PrisonerReturn {
            self.prisoners[self.to_move.index()] -= 1;
            return;
        }
        if self.placed_this_turn > 0 {
            // It only ends the turn, and does not count as a pass.
            return;
        }
        self.passes += 1;
        if self.to_move == Color::White {
            self.white_passes_made += 1;
        }
    }

    /// The placement itself; what it returns is an end by the placement alone.
    fn place(&mut self, point: usize, ties: TieOrder) -> Option<Outcome> {
        self.passes = 0;
        self.placed_this_turn += 1;
        match self.rules.family {
            Family::Go => self.place_in_go(point),
            Family::AlterIgo => self.place_in_alter_igo(point),
            Family::Conquest => {
                self.land = self.land.turn(self.to_move, point, ties);
                None
            }
        }
    }

    fn place_in_go(&mut self, point: usize) -> Option<Outcome> {
        let player = self.to_move;
        let played = self.go_placement(point).expect("the move is legal");
        if self.needs_tile(point) {
            self.tiles[point] += 1;
        }
        if self.rules.repetition == Repetition::HotStone {
            let is_ko = self.is_ko_play(&played);
            self.hot = hot_stone::hot_after(&self.hot, &played.play, is_ko, &played.board);
            self.cycles.record(&played.play, self.tiles.len());
        }
        self.last_turn = LastTurn::of_placement(&self.land.board, &played);
        self.last_placement_was_incursion = self.last_turn.incursion;
        let taker = if played.play.is_suicide() { player.opponent() } else { player };
        self.prisoners[taker.index()] += played.play.removed.len();
        self.taken[taker.index()] += played.play.removed.len();
        self.land.board = played.board;
        let rule = self.rules.repetition;
        repetition::draws(rule, &self.history, player, &self.land.board)
            .then_some((None, "repetition"))
    }

    fn place_in_alter_igo(&mut self, point: usize) -> Option<Outcome> {
        let player = self.to_move;
        let played = alter_igo::place(&self.land.board, point, player);
        self.land.board = played.board;
        if played.loses {
            return Some((Some(player.opponent()), "suicide"));
        }
        let repeated = alter_igo::third_time(&self.placements, &self.land.board);
        self.placements.push(self.land.board.clone());
        repeated.then_some((None, "repetition"))
    }

    fn win_by_captures(&self) -> Option<Outcome> {
        let goal = self.rules.capture_goal;
        let reached = |player: &Color| goal > 0 && self.taken[player.index()] >= goal;
        let winner = [Color::Black, Color::White].into_iter().find(reached)?;
        Some((Some(winner), "capture goal"))
    }

    fn end_by_passes(&self) -> Option<Outcome> {
        let ends = self.rules.family == Family::Go
            && self.rules.end == End::Area
            && self.passes >= self.rules.passes_to_end;
        ends.then(|| (self.winner_by_score(), "passes"))
    }

    fn end_for_want_of_a_free_point(&self) -> Option<Outcome> {
        let ends = self.rules.family == Family::Conquest
            && (0..self.land.owner.len()).all(|point| !self.land.is_free(point));
        ends.then(|| (self.winner_by_score(), "no free point"))
    }

    fn loss_for_want_of_a_move(&self) -> Option<Outcome> {
        let loses = self.rules.family == Family::Go
            && self.rules.end != End::Area
            && !self.may_pass()
            && !self.has_a_legal_placement();
        loses.then_some((Some(self.to_move.opponent()), "no move"))
    }

    fn end_by_move_limit(&self) -> Option<Outcome> {
        (self.moves >= self.rules.max_moves).then(|| (self.winner_by_score(), "move limit"))
    }

    /// Who is ahead; `None` where the rule set has no score.
    fn winner_by_score(&self) -> Option<Color> {
        match self.score() {
            Some(score) if score > 0.0 => Some(Color::Black),
            Some(score) if score < 0.0 => Some(Color::White),
            _ => None,
        }
    }

    /// Black's points minus White's minus komi, as it stands.
    pub fn score(&self) -> Option<f64> {
        if self.outcome().is_some_and(|(_, reason)| reason == "capture goal") {
            return None;
        }
        let [black, white] = match (self.rules.family, self.rules.end, self.rules.scoring) {
            (Family::Go, End::Area, _) => self.land.board.area(),
            (Family::Go, End::PrisonerReturn | End::NoPass, _) | (Family::AlterIgo, _, _) => {
                return None;
            }
            (Family::Conquest, _, Scoring::Territory) => scoring::territory(&self.land),
            (Family::Conquest, _, Scoring::Pure) => scoring::pure(&self.land),
        };
        Some(black as f64 - white as f64 - self.rules.komi)
    }
}

/// With prisoner return the komi is paid in prisoners, rounded down.
fn first_prisoners(rules: &ReferenceRules) -> [usize; 2] {
    if rules.family != Family::Go || rules.end != End::PrisonerReturn {
        return [0, 0];
    }
    [(-rules.komi).floor().max(0.0) as usize, rules.komi.floor().max(0.0) as usize]
}
