//! The `go` family: capture, suicide, repetition rules, incursions and tiles.

use crate::position::{LastTurn, Placements, Position};
use crate::strings::{self, liberties, strings};
use crate::zobrist;
use crate::{Bitboard, Color, Ending, IllegalMove, Point, Reason, Repetition, TileRule};

/// What a placement would do to the stones.
pub(crate) struct Effect {
    /// Opposing stones removed.
    pub(crate) captured: Bitboard,
    /// Opposing strings removed.
    pub(crate) captured_strings: usize,
    /// The player's own string, the placed stone included, if it would be left without a liberty.
    pub(crate) suicide: Bitboard,
}

impl Effect {
    /// What a stone of the player who has `own` does on `point`, one of the `empty` points.
    pub(crate) fn of(
        point: Point,
        own: &Bitboard,
        opposing: &Bitboard,
        empty: &Bitboard,
    ) -> Effect {
        let stone = Bitboard::of(point);
        let around = stone.neighbours();
        let empty = empty.without(&stone);
        // A string lives as soon as one of its stones is found here, which is nearly always the first one.
        let breathing = empty.neighbours();
        let mut effect =
            Effect { captured: Bitboard::EMPTY, captured_strings: 0, suicide: Bitboard::EMPTY };
        let mut unseen = (around & *opposing).without(&breathing);
        while let Some(first) = unseen.first() {
            let string = Bitboard::of(first).flood_until(opposing, &breathing);
            unseen = unseen.without(&string);
            if !string.meets(&breathing) {
                effect.captured |= string;
                effect.captured_strings += 1;
            }
        }
        if effect.captured_strings == 0 && !breathing.contains(point) {
            let string = stone.flood_until(&(*own | stone), &breathing);
            if !string.meets(&breathing) {
                effect.suicide = string;
            }
        }
        effect
    }

    /// Which suicide rule forbids a placement with this effect, if any.
    pub(crate) fn suicide_error(&self, allowed: bool) -> Option<IllegalMove> {
        if self.suicide.is_empty() {
            return None;
        }
        if self.suicide.single().is_some() {
            return Some(IllegalMove::SingleSuicide);
        }
        (!allowed).then_some(IllegalMove::Suicide)
    }
}

impl Position {
    /// The points of all placements of a running `go` game.
    pub(crate) fn go_placements(&self) -> Placements {
        let playable = self.playable();
        Placements { playable, legal: self.without_bans(playable) }
    }

    fn without_bans(&self, playable: Bitboard) -> Bitboard {
        let legal = self.without_tile_ban(playable);
        match self.rules.repetition {
            Repetition::None => legal,
            Repetition::Simple => match self.simple_ko_ban() {
                Some(point) if legal.contains(point) => legal.without(&Bitboard::of(point)),
                Some(_) | None => legal,
            },
            Repetition::PositionalSuperko | Repetition::SituationalSuperko => {
                legal.without(&self.superko_bans(legal))
            }
            Repetition::Incursion if self.last.incursion => legal.without(&self.enemy_territory()),
            Repetition::MinimalIncursion if self.last.minimal => {
                legal.without(&self.minimal_incursions())
            }
            Repetition::Stoical if self.last.capture => legal.without(&self.capturing_points()),
            Repetition::Incursion | Repetition::MinimalIncursion | Repetition::Stoical => legal,
            Repetition::HotStone => legal.without(&self.hot_stone_bans(legal)),
        }
    }

    /// The points on which Go capture and the suicide rule allow a stone.
    fn playable(&self) -> Bitboard {
        let empty = self.empty();
        // A stone with an empty neighbour has a liberty; only the others need a look at the strings around them.
        let mut playable = empty & empty.neighbours();
        let mut known = KnownStrings::default();
        for point in empty.without(&playable).iter() {
            if self.can_stand(point, &empty, &mut known) {
                playable.insert(point);
            }
        }
        playable
    }

    /// Whether a stone on `point`, which has no empty neighbour, would be legal by capture and suicide.
    fn can_stand(&self, point: Point, empty: &Bitboard, known: &mut KnownStrings) -> bool {
        let around = Bitboard::of(point).neighbours();
        let own = &self.stones[self.turn.index()];
        let own_around = around & *own;
        if self.rules.suicide && !own_around.is_empty() {
            return true;
        }
        let opposing = &self.stones[self.turn.opponent().index()];
        known.classify(&own_around, own, empty);
        known.classify(&(around & *opposing), opposing, empty);
        own_around.meets(&known.safe) || (around & *opposing).meets(&known.atari)
    }

    /// What a stone of the player to move on the empty `point` would do.
    pub(crate) fn effect(&self, point: Point) -> Effect {
        let [own, opposing] =
            [self.turn, self.turn.opponent()].map(|color| &self.stones[color.index()]);
        Effect::of(point, own, opposing, &self.empty())
    }

    /// The key of the stones after a placement with this effect.
    fn key_after(&self, point: Point, effect: &Effect) -> u128 {
        let mover = self.turn;
        self.stones_key
            ^ zobrist::stone(mover, point)
            ^ zobrist::stones(mover.opponent(), &effect.captured)
            ^ zobrist::stones(mover, &effect.suicide)
    }

    /// The point that simple ko forbids: retaking the one stone that just took one stone.
    fn simple_ko_ban(&self) -> Option<Point> {
        let point = self.last.ko?;
        let effect = self.effect(point);
        let taker = self.recent[0]?;
        (effect.captured == Bitboard::of(taker)).then_some(point)
    }

    /// Of the `candidates`, the points whose placement superko forbids.
    #[inline(never)]
    fn superko_bans(&self, candidates: Bitboard) -> Bitboard {
        let own = self.turn.index();
        // After a placement a stone stands on its point, so only where one stood before can the board repeat; or the
        // placed stone is gone again, by suicide.
        let mut suspects = candidates & self.had[own];
        if self.rules.suicide {
            let empty = self.empty();
            suspects |= candidates.without(&empty.neighbours());
        }
        suspects.iter().filter(|&point| self.repeats(point, &self.effect(point))).collect()
    }

    /// Whether a placement would recreate a position that superko forbids.
    fn repeats(&self, point: Point, effect: &Effect) -> bool {
        if effect.suicide.is_empty() && !self.had[self.turn.index()].contains(point) {
            return false;
        }
        let key = self.key_after(point, effect);
        if !self.history.may_hold(key) {
            return false;
        }
        let same_player = self.rules.repetition == Repetition::SituationalSuperko;
        let parity = self.history.len() & 1;
        self.history.iter().any(|(turn, old)| old == key && (!same_player || turn & 1 == parity))
    }

    /// The empty points of areas that touch the opponent's stones only.
    pub(crate) fn enemy_territory(&self) -> Bitboard {
        self.territories()[self.turn.opponent().index()]
    }

    /// Whether a placement of the player to move on the empty `point` is an incursion:
    /// `enemy_territory().contains(point)`, looking at one area only and no further than its first own stone.
    fn is_incursion(&self, point: Point) -> bool {
        let own_around = self.stones[self.turn.index()].neighbours();
        let area = Bitboard::of(point).flood_until(&self.empty(), &own_around);
        !area.meets(&own_around)
            && area.neighbours().meets(&self.stones[self.turn.opponent().index()])
    }

    /// Each colour's empty points: those of areas that touch stones of that colour only.
    pub(crate) fn territories(&self) -> [Bitboard; 2] {
        strings::territories(&self.stones, &self.empty())
    }

    /// The points of incursions that would capture at most one string.
    fn minimal_incursions(&self) -> Bitboard {
        let empty = self.empty();
        let mut once = Bitboard::EMPTY;
        let mut twice = Bitboard::EMPTY;
        for string in strings(self.stones[self.turn.opponent().index()]) {
            if let Some(point) = liberties(&string, &empty).single() {
                if once.contains(point) {
                    twice.insert(point);
                }
                once.insert(point);
            }
        }
        self.enemy_territory().without(&twice)
    }

    /// The points whose placement would capture.
    pub(crate) fn capturing_points(&self) -> Bitboard {
        let empty = self.empty();
        strings(self.stones[self.turn.opponent().index()])
            .filter_map(|string| liberties(&string, &empty).single())
            .collect()
    }

    /// `playable` without the points that would need a tile and cannot hold another.
    fn without_tile_ban(&self, playable: Bitboard) -> Bitboard {
        let needing = self.points_needing_tile(playable);
        if needing.is_empty() {
            return playable;
        }
        playable.without(&self.tiles.exactly(self.rules.tile_limit, &needing))
    }

    /// Of the `candidates`, the points whose placement now needs a tile.
    pub(crate) fn points_needing_tile(&self, candidates: Bitboard) -> Bitboard {
        if !self.last_placement_incursion {
            return Bitboard::EMPTY;
        }
        match self.rules.tiles {
            TileRule::None => Bitboard::EMPTY,
            TileRule::Tile => candidates,
            TileRule::Cushion => candidates & self.enemy_territory(),
        }
    }

    /// Which rule forbids a placement on the empty `point`, if any.
    pub(crate) fn go_forbids(&self, point: Point, effect: &Effect) -> Option<IllegalMove> {
        if let Some(rule) = effect.suicide_error(self.rules.suicide) {
            return Some(rule);
        }
        let alone = Bitboard::of(point);
        if self.without_tile_ban(alone).is_empty() {
            return Some(IllegalMove::TileLimit(point));
        }
        match self.rules.repetition {
            Repetition::None => None,
            Repetition::Simple => (self.simple_ko_ban() == Some(point)).then_some(IllegalMove::Ko),
            Repetition::PositionalSuperko => {
                self.repeats(point, effect).then_some(IllegalMove::PositionalSuperko)
            }
            Repetition::SituationalSuperko => {
                self.repeats(point, effect).then_some(IllegalMove::SituationalSuperko)
            }
            Repetition::Incursion => {
                (self.last.incursion && self.is_incursion(point)).then_some(IllegalMove::Incursion)
            }
            Repetition::MinimalIncursion => {
                (self.last.minimal && effect.captured_strings <= 1 && self.is_incursion(point))
                    .then_some(IllegalMove::MinimalIncursion)
            }
            Repetition::Stoical => (self.last.capture && effect.captured_strings > 0)
                .then_some(IllegalMove::StoicalCapture),
            Repetition::HotStone => self.hot_stone_forbids(point, effect),
        }
    }

    /// Plays a stone that is known to be legal, with its effect if that is known; `turn` has passed to the opponent
    /// already.
    pub(crate) fn go_place(&mut self, mover: Color, point: Point, effect: Option<Effect>) {
        self.turn = mover;
        let effect = effect.unwrap_or_else(|| self.effect(point));
        let incursion = self.asks_for_incursions() && self.is_incursion(point);
        let needs_tile = !self.points_needing_tile(Bitboard::of(point)).is_empty();
        let was_here = self.had[mover.index()].contains(point);
        if self.rules.repetition == Repetition::HotStone {
            self.hot_stone_record(point, &effect);
        }
        let key = self.key_after(point, &effect);
        self.turn = mover.opponent();

        if needs_tile {
            self.tiles.add(point);
        }
        let own = mover.index();
        self.stones[own] = (self.stones[own] | Bitboard::of(point)).without(&effect.suicide);
        self.stones[1 - own] = self.stones[1 - own].without(&effect.captured);
        self.had[own].insert(point);
        self.stones_key = key;
        self.prisoners[own] += effect.captured.count() as u16;
        self.prisoners[1 - own] += effect.suicide.count() as u16;
        self.last = LastTurn {
            incursion,
            minimal: incursion && effect.captured_strings <= 1,
            capture: effect.captured_strings > 0,
            ko: effect.captured.single(),
        };
        self.last_placement_incursion = incursion;
        if self.rules.draws_by_repetition() && (was_here || !effect.suicide.is_empty()) {
            self.judge_repetition();
        }
        self.remember(true);
    }

    /// Whether any rule in force asks what was an incursion.
    fn asks_for_incursions(&self) -> bool {
        let tiled = match self.rules.tiles {
            TileRule::None => false,
            TileRule::Tile | TileRule::Cushion => true,
        };
        tiled
            || match self.rules.repetition {
                Repetition::Incursion | Repetition::MinimalIncursion => true,
                Repetition::None
                | Repetition::Simple
                | Repetition::PositionalSuperko
                | Repetition::SituationalSuperko
                | Repetition::Stoical
                | Repetition::HotStone => false,
            }
    }

    /// Draws the game if the stones stand as at the end of an earlier turn of the player who has just moved. The
    /// start is nobody's turn.
    #[inline(never)]
    fn judge_repetition(&mut self) {
        let this_turn = self.history.len();
        let key = self.stones_key;
        let seen = self
            .history
            .iter()
            .any(|(turn, old)| turn > 0 && (this_turn - turn).is_multiple_of(2) && old == key);
        if seen {
            self.finish(None, Reason::Repetition);
        }
    }

    /// Black − White by stones and surrounded points, without komi.
    pub(crate) fn area_score(&self) -> i32 {
        let [black, white] = self.area().map(|points| points.count() as i32);
        black - white
    }

    /// Each colour's stones and surrounded points.
    pub(crate) fn area(&self) -> [Bitboard; 2] {
        let territories = self.territories();
        [0, 1].map(|color| self.stones[color] | territories[color])
    }

    /// Whether prisoners decide the game.
    pub fn prisoners_matter(&self) -> bool {
        match self.rules.end {
            Ending::Area => false,
            Ending::PrisonerReturn => true,
        }
    }
}

/// Strings met so far while looking for legal points, by whether they have one liberty or more.
#[derive(Default)]
struct KnownStrings {
    safe: Bitboard,
    atari: Bitboard,
}

impl KnownStrings {
    /// Classifies the strings of `stones` that hold a point of `members`.
    fn classify(&mut self, members: &Bitboard, stones: &Bitboard, empty: &Bitboard) {
        let mut unknown = members.without(&(self.safe | self.atari));
        while let Some(first) = unknown.first() {
            let string = Bitboard::of(first).flood(stones);
            unknown = unknown.without(&string);
            match liberties(&string, empty).single() {
                Some(_) => self.atari |= string,
                None => self.safe |= string,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Family, Move, Position, Variant};

    /// The quick questions about one point agree with the slow ones about the whole board.
    #[test]
    fn one_point_is_judged_as_the_whole_board_is() {
        for variant in Variant::ALL {
            let rules = variant.rules(6).expect("a size that every variant has");
            if rules.family != Family::Go {
                continue;
            }
            let mut position = Position::new(rules);
            let mut state = 1_u64;
            while position.outcome().is_none() {
                let territory = position.enemy_territory();
                let legal = position.legal_points();
                for point in position.empty().iter() {
                    assert_eq!(position.is_incursion(point), territory.contains(point));
                    assert_eq!(
                        position.is_legal(Move::Place(point)).is_ok(),
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
