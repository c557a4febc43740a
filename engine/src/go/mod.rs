//! The `go` family: capture, suicide, bans, repetition rules, tiles and prisoners.

mod capture;
mod hot_stone;
mod pass_alive;
mod tiles;

use std::sync::Arc;

use crate::history::Change;
use crate::position::{Common, Placements};
use crate::strings::{self, liberties, strings};
use crate::{Ban, Bitboard, Color, GameResult, IllegalMove, Point, Reason, Repetition};
use crate::{Rules, TileRule, zobrist};
pub(crate) use capture::{Effect, capturing_points};
use hot_stone::HotStones;
use tiles::Tiles;

/// What the last turn was, as far as a ban on the next one depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct LastTurn {
    /// A placement in enemy territory.
    pub(crate) incursion: bool,
    /// An incursion that captured at most one string.
    pub(crate) minimal: bool,
    /// A placement that removed opposing strings.
    pub(crate) capture: bool,
    /// The point of the one stone that it captured, if it captured exactly one.
    pub(crate) ko: Option<Point>,
}

/// What a position of the `go` family has besides stones and history.
#[derive(Debug, Clone)]
pub(crate) struct GoState {
    pub(crate) prisoners: [u16; 2],
    /// Stones ever taken from the opponent, the opponent's suicides included.
    pub(crate) taken: [u16; 2],
    pub(crate) last: LastTurn,
    /// Whether the last placement, whoever made it, was an incursion.
    pub(crate) last_placement_incursion: bool,
    /// Placements that the player to move may still make in this turn.
    pub(crate) placements_left: u8,
    /// Whether the player to move has placed a stone in this turn already.
    pub(crate) mid_turn: bool,
    tiles: Option<Arc<Tiles>>,
    pub(crate) hot: Option<Box<HotStones>>,
}

impl GoState {
    pub(crate) fn new(rules: &Rules) -> GoState {
        GoState {
            prisoners: rules.first_prisoners(),
            taken: [0, 0],
            last: LastTurn::default(),
            last_placement_incursion: false,
            placements_left: 1,
            mid_turn: false,
            tiles: None,
            hot: rules.has_hot_stones().then(Box::default),
        }
    }

    /// Tiles on `point`.
    pub(crate) fn tiles(&self, point: Point) -> u8 {
        self.tiles.as_ref().map_or(0, |tiles| tiles.on(point))
    }

    /// The points of `board` that hold exactly `count` tiles.
    pub(crate) fn holding(&self, count: u8, board: &Bitboard) -> Bitboard {
        match &self.tiles {
            Some(tiles) => tiles.exactly(count, board),
            None if count == 0 => *board,
            None => Bitboard::EMPTY,
        }
    }

    pub(crate) fn add_tile(&mut self, point: Point) {
        Arc::make_mut(self.tiles.get_or_insert_default()).add(point);
    }

    pub(crate) fn hot_stones(&self) -> Bitboard {
        self.hot.as_ref().map_or(Bitboard::EMPTY, |hot| hot.stones())
    }

    /// The points of all placements of a running game.
    pub(crate) fn placements(&self, common: &Common) -> Placements {
        let [own, opposing] = common.own_and_opposing();
        let playable = capture::playable(own, opposing, &common.empty(), common.rules.suicide);
        Placements { playable, legal: self.without_bans(common, playable) }
    }

    fn without_bans(&self, common: &Common, playable: Bitboard) -> Bitboard {
        let legal = self.without_tile_ban(common, without_captures(common, playable));
        let legal = match common.rules.ban {
            Ban::Incursion if self.last.incursion => legal.without(&enemy_territory(common)),
            Ban::MinimalIncursion if self.last.minimal => {
                legal.without(&minimal_incursions(common))
            }
            Ban::Stoical if self.last.capture => {
                legal.without(&capturing_points(common.own_and_opposing()[1], &common.empty()))
            }
            Ban::None | Ban::Incursion | Ban::MinimalIncursion | Ban::Stoical => legal,
        };
        match common.rules.repetition {
            Repetition::None | Repetition::Draw => legal,
            Repetition::Simple => match self.simple_ko_ban(common) {
                Some(point) if legal.contains(point) => legal.without(&Bitboard::of(point)),
                Some(_) | None => legal,
            },
            Repetition::PositionalSuperko | Repetition::SituationalSuperko => {
                legal.without(&superko_bans(common, legal))
            }
            Repetition::HotStone => match &self.hot {
                Some(hot) => legal.without(&hot.bans(common, legal)),
                None => legal,
            },
        }
    }

    /// The point that simple ko forbids: retaking the one stone that just took one stone.
    fn simple_ko_ban(&self, common: &Common) -> Option<Point> {
        let point = self.last.ko?;
        let effect = effect(common, point);
        let taker = common.recent[0]?;
        (effect.captured == Bitboard::of(taker)).then_some(point)
    }

    /// `playable` without the points that would need a tile and cannot hold another.
    fn without_tile_ban(&self, common: &Common, playable: Bitboard) -> Bitboard {
        let needing = self.points_needing_tile(common, playable);
        if needing.is_empty() {
            return playable;
        }
        playable.without(&self.holding(common.rules.tile_limit, &needing))
    }

    /// Of the `candidates`, the points whose placement now needs a tile.
    pub(crate) fn points_needing_tile(&self, common: &Common, candidates: Bitboard) -> Bitboard {
        if !self.last_placement_incursion {
            return Bitboard::EMPTY;
        }
        match common.rules.tiles {
            TileRule::None => Bitboard::EMPTY,
            TileRule::Tile => candidates,
            TileRule::Cushion => candidates & enemy_territory(common),
        }
    }

    /// Which rule forbids a placement on the empty `point`, if any.
    pub(crate) fn forbids(
        &self,
        common: &Common,
        point: Point,
        effect: &Effect,
    ) -> Option<IllegalMove> {
        let rules = &common.rules;
        if let Some(rule) = effect.suicide_error(rules.suicide) {
            return Some(rule);
        }
        if rules.forbids_captures() && effect.removes() {
            return Some(IllegalMove::CaptureForbidden);
        }
        if self.without_tile_ban(common, Bitboard::of(point)).is_empty() {
            return Some(IllegalMove::TileLimit(point));
        }
        let banned = match rules.ban {
            Ban::None => None,
            Ban::Incursion => (self.last.incursion && is_incursion(common, point))
                .then_some(IllegalMove::Incursion),
            Ban::MinimalIncursion => {
                (self.last.minimal && effect.captured_strings <= 1 && is_incursion(common, point))
                    .then_some(IllegalMove::MinimalIncursion)
            }
            Ban::Stoical => (self.last.capture && effect.captured_strings > 0)
                .then_some(IllegalMove::StoicalCapture),
        };
        banned.or_else(|| match rules.repetition {
            Repetition::None | Repetition::Draw => None,
            Repetition::Simple => {
                (self.simple_ko_ban(common) == Some(point)).then_some(IllegalMove::Ko)
            }
            Repetition::PositionalSuperko => {
                repeats(common, point, effect).then_some(IllegalMove::PositionalSuperko)
            }
            Repetition::SituationalSuperko => {
                repeats(common, point, effect).then_some(IllegalMove::SituationalSuperko)
            }
            Repetition::HotStone => self.hot.as_ref()?.forbids(common, point, effect),
        })
    }

    /// Plays a stone that is known to be legal, with its effect if that is known, and passes the turn on.
    pub(crate) fn place(&mut self, common: &mut Common, point: Point, known: Option<Effect>) {
        let effect = known.unwrap_or_else(|| effect(common, point));
        let incursion = common.rules.has_incursions() && is_incursion(common, point);
        if !self.points_needing_tile(common, Bitboard::of(point)).is_empty() {
            self.add_tile(point);
        }
        if let Some(hot) = &mut self.hot {
            hot.record(common, point, &effect);
        }
        let own = common.turn.index();
        let was_here = common.had[own].contains(point);
        common.stones_key = key_after(common, point, &effect);
        common.stones[own] = (common.stones[own] | Bitboard::of(point)).without(&effect.suicide);
        common.stones[1 - own] = common.stones[1 - own].without(&effect.captured);
        common.had[own].insert(point);
        for (color, removed) in [(own, &effect.captured), (1 - own, &effect.suicide)] {
            if !removed.is_empty() {
                let count = removed.count() as u16;
                self.prisoners[color] += count;
                self.taken[color] += count;
            }
        }
        self.last = LastTurn {
            incursion,
            minimal: incursion && effect.captured_strings <= 1,
            capture: effect.captured_strings > 0,
            ko: effect.captured.single(),
        };
        self.last_placement_incursion = incursion;
        self.judge_capture_goal(common);
        // A stone on a point where none of its colour has stood makes a new position, unless it is gone again.
        if common.outcome.is_none()
            && common.rules.draws_by_repetition()
            && (was_here || !effect.suicide.is_empty())
            && has_stood(common, common.stones_key)
        {
            common.finish(GameResult::Draw, Reason::Repetition);
        }
        common.remember(&effect.change(common.turn, point));
        self.placements_left -= 1;
        self.mid_turn = true;
        if self.placements_left == 0 || self.cannot_go_on(common) {
            self.end_turn(common);
        }
    }

    /// Passes, returns a prisoner, or ends a turn in which a stone has been placed.
    pub(crate) fn pass(&mut self, common: &mut Common) {
        self.last = LastTurn::default();
        if let Some(hot) = &mut self.hot {
            hot.cool();
        }
        if common.rules.returns_prisoners() {
            self.prisoners[common.turn.index()] -= 1;
        } else if !self.mid_turn {
            common.passes += 1;
        }
        common.remember(&Change::NONE);
        self.end_turn(common);
    }

    fn end_turn(&mut self, common: &mut Common) {
        common.turn = common.turn.opponent();
        self.placements_left = common.rules.stones_per_turn;
        self.mid_turn = false;
    }

    /// Whether a turn is over for want of a legal placement although more are allowed.
    fn cannot_go_on(&self, common: &Common) -> bool {
        !common.rules.has_pass() && self.placements(common).legal.is_empty()
    }

    /// Why the player to move may not pass (or return a prisoner) now.
    pub(crate) fn pass_error(&self, common: &Common) -> Option<IllegalMove> {
        if common.rules.returns_prisoners() {
            (self.prisoners[common.turn.index()] == 0).then_some(IllegalMove::NoPrisoner)
        } else {
            (!common.rules.has_pass()).then_some(IllegalMove::NoPass)
        }
    }

    /// Whether the player to move loses for want of a move.
    pub(crate) fn has_no_move(&self, common: &Common) -> bool {
        self.pass_error(common).is_some() && self.placements(common).legal.is_empty()
    }

    /// Of the `legal` points, those whose placement wins at once by its captures, and those that lose by its suicide.
    pub(crate) fn deciding_points(&self, common: &Common, legal: Bitboard) -> [Bitboard; 2] {
        let goal = usize::from(common.rules.capture_goal);
        if goal == 0 {
            return [Bitboard::EMPTY; 2];
        }
        let missing = |color: Color| goal.saturating_sub(self.taken[color.index()].into());
        let [own, opposing] = [missing(common.turn), missing(common.turn.opponent())];
        let empty = common.empty();
        let capturing = legal & capturing_points(common.own_and_opposing()[1], &empty);
        // Whatever is captured is one stone at least.
        let wins = |&point: &Point| own <= 1 || effect(common, point).captured.count() >= own;
        let loses = |&point: &Point| effect(common, point).suicide.count() >= opposing;
        let suicides =
            if common.rules.suicide { legal.without(&empty.neighbours()) } else { Bitboard::EMPTY };
        [capturing.iter().filter(wins).collect(), suicides.iter().filter(loses).collect()]
    }

    fn judge_capture_goal(&self, common: &mut Common) {
        let goal = common.rules.capture_goal;
        if goal > 0
            && let Some(winner) =
                Color::BOTH.into_iter().find(|color| self.taken[color.index()] >= goal)
        {
            common.finish(GameResult::Won(winner), Reason::CaptureGoal);
        }
    }

    pub(crate) fn mix_into(&self, key: &mut zobrist::Mixer) {
        let pair = |[black, white]: [u16; 2]| u64::from(black) | u64::from(white) << 16;
        key.add(pair(self.prisoners) | pair(self.taken) << 32);
        key.add(
            u64::from(self.last.incursion)
                | u64::from(self.last.minimal) << 1
                | u64::from(self.last.capture) << 2
                | u64::from(self.last_placement_incursion) << 3
                | self.last.ko.map_or(0, |point| point.bit() as u64 + 1) << 4
                | u64::from(self.placements_left) << 16
                | u64::from(self.mid_turn) << 24,
        );
        if let Some(tiles) = &self.tiles {
            tiles.mix_into(key);
        }
        if let Some(hot) = &self.hot {
            hot.mix_into(key);
        }
    }
}

/// What a stone of the player to move on the empty `point` would do.
pub(crate) fn effect(common: &Common, point: Point) -> Effect {
    let [own, opposing] = common.own_and_opposing();
    Effect::of(point, own, opposing, &common.empty())
}

/// `playable` without the points whose placement would remove stones where that is forbidden.
fn without_captures(common: &Common, playable: Bitboard) -> Bitboard {
    if !common.rules.forbids_captures() {
        return playable;
    }
    let empty = common.empty();
    let legal = playable.without(&capturing_points(common.own_and_opposing()[1], &empty));
    // Without captures a stone lives by an empty neighbour or by a string of its own.
    let may_be_suicide = legal.without(&empty.neighbours());
    let suicides = may_be_suicide.iter().filter(|&point| effect(common, point).removes());
    legal.without(&suicides.collect())
}

/// The key of the stones after a placement with this effect.
fn key_after(common: &Common, point: Point, effect: &Effect) -> u128 {
    let mover = common.turn;
    common.stones_key
        ^ zobrist::stone(mover, point)
        ^ zobrist::stones(mover.opponent(), &effect.captured)
        ^ zobrist::stones(mover, &effect.suicide)
}

/// Of the `candidates`, the points whose placement superko forbids.
#[inline(never)]
fn superko_bans(common: &Common, candidates: Bitboard) -> Bitboard {
    // After a placement a stone stands on its point, so only where one stood before can the board repeat; or the
    // placed stone is gone again, by suicide.
    let mut suspects = candidates & common.had[common.turn.index()];
    if common.rules.suicide {
        suspects |= candidates.without(&common.empty().neighbours());
    }
    suspects.iter().filter(|&point| repeats(common, point, &effect(common, point))).collect()
}

/// Whether a placement would recreate a position that superko forbids.
fn repeats(common: &Common, point: Point, effect: &Effect) -> bool {
    if effect.suicide.is_empty() && !common.had[common.turn.index()].contains(point) {
        return false;
    }
    let key = key_after(common, point, effect);
    let history = &common.history;
    if !history.may_hold(key) {
        return false;
    }
    let same_player = common.rules.compares_the_player_to_move();
    let parity = history.len() & 1;
    history.iter().any(|(turn, old)| old == key && (!same_player || turn & 1 == parity))
}

/// The empty points of areas that touch the opponent's stones only.
pub(crate) fn enemy_territory(common: &Common) -> Bitboard {
    territories(common)[common.turn.opponent().index()]
}

/// Whether a placement of the player to move on the empty `point` is an incursion:
/// `enemy_territory().contains(point)`, looking at one area only and no further than its first own stone.
pub(crate) fn is_incursion(common: &Common, point: Point) -> bool {
    let [own, opposing] = common.own_and_opposing();
    let own_around = own.neighbours();
    let area = Bitboard::of(point).flood_until(&common.empty(), &own_around);
    !area.meets(&own_around) && area.neighbours().meets(opposing)
}

/// Each colour's empty points: those of areas that touch stones of that colour only.
pub(crate) fn territories(common: &Common) -> [Bitboard; 2] {
    strings::territories(&common.stones, &common.empty())
}

/// The points of incursions that would capture at most one string.
fn minimal_incursions(common: &Common) -> Bitboard {
    let empty = common.empty();
    let mut once = Bitboard::EMPTY;
    let mut twice = Bitboard::EMPTY;
    for string in strings(*common.own_and_opposing()[1]) {
        if let Some(point) = liberties(&string, &empty).single() {
            if once.contains(point) {
                twice.insert(point);
            }
            once.insert(point);
        }
    }
    enemy_territory(common).without(&twice)
}

/// The points at which the player to move would draw the game at once, of the `legal` ones.
pub(crate) fn drawing_points(common: &Common, legal: Bitboard) -> Bitboard {
    if !common.rules.draws_by_repetition() {
        return Bitboard::EMPTY;
    }
    let mut suspects = legal & common.had[common.turn.index()];
    if common.rules.suicide {
        suspects |= legal.without(&common.empty().neighbours());
    }
    let draws = |&point: &Point| {
        let key = key_after(common, point, &effect(common, point));
        common.history.may_hold(key) && has_stood(common, key)
    };
    suspects.iter().filter(draws).collect()
}

/// Whether stones with this key stood at the end of an earlier turn of the player to move. The start is nobody's turn.
fn has_stood(common: &Common, key: u128) -> bool {
    let this_turn = common.history.len();
    let own = |turn: usize| turn > 0 && (this_turn - turn).is_multiple_of(2);
    common.history.iter().any(|(turn, old)| own(turn) && old == key)
}

/// Where a colour's stones could be placed by capture and suicide alone, whoever is to move; `in_atari` has both colours'
/// strings with one liberty. As `capture::playable`, for whoever knows those.
pub(crate) fn playable_for(common: &Common, color: Color, in_atari: &Bitboard) -> Bitboard {
    let [own, opposing] = [color, color.opponent()].map(|color| &common.stones[color.index()]);
    let empty = common.empty();
    let safe = if common.rules.suicide { *own } else { own.without(in_atari) };
    let captured = *opposing & *in_atari;
    empty & (empty | safe | captured).neighbours()
}

/// The stones of a colour that live whatever their owner does, and the points that keep them alive; `in_atari` has both
/// colours' strings with one liberty.
pub(crate) fn pass_alive(common: &Common, color: Color, in_atari: &Bitboard) -> Bitboard {
    let own = &common.stones[color.index()];
    pass_alive::pass_alive(own, &common.board(), &common.empty(), common.rules.suicide, in_atari)
}

/// Each colour's stones and surrounded points.
pub(crate) fn area(common: &Common) -> [Bitboard; 2] {
    let territories = territories(common);
    [0, 1].map(|color| common.stones[color] | territories[color])
}

#[cfg(test)]
mod tests {
    use crate::position::FamilyState;
    use crate::{Move, Position, Variant, go};

    /// The quick questions about one point agree with the slow ones about the whole board.
    #[test]
    fn one_point_is_judged_as_the_whole_board_is() {
        for variant in Variant::ALL {
            let mut position =
                Position::new(variant.rules(6).expect("a size that every variant has"));
            let FamilyState::Go(_) = position.family else { continue };
            let mut state = 1_u64;
            while position.outcome().is_none() {
                let territory = go::enemy_territory(&position.common);
                let legal = position.legal_points();
                for point in position.empty().iter() {
                    assert_eq!(
                        go::is_incursion(&position.common, point),
                        territory.contains(point)
                    );
                    assert_eq!(
                        position.check_move(Move::Place(point)).is_ok(),
                        legal.contains(point)
                    );
                }
                let moves = position.legal_moves();
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let mut unchecked = position.clone();
                let chosen = moves[(state >> 33) as usize % moves.len()];
                unchecked.play_unchecked(chosen);
                assert_eq!(position.play(chosen), Ok(()));
                assert_eq!(position.hash(), unchecked.hash());
            }
        }
    }
}
