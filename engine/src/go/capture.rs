//! Go capture: what a placement does to the stones, and where capture and suicide allow one.

use crate::history::Change;
use crate::position::Common;
use crate::strings::liberties;
use crate::{Bitboard, Color, IllegalMove, Point};

/// What a placement would do to the stones.
#[derive(Debug, Clone)]
pub(crate) struct Effect {
    /// Opposing stones removed.
    pub(crate) captured: Bitboard,
    /// Opposing strings removed.
    pub(crate) captured_strings: usize,
    /// The player's own string, the placed stone included, if it would be left without a liberty.
    pub(crate) suicide: Bitboard,
}

/// What a stone of the player to move on the empty `point` would do.
pub(crate) fn effect(common: &Common, point: Point) -> Effect {
    let [own, opposing] = common.own_and_opposing();
    Effect::of(point, own, opposing, &common.empty())
}

impl Effect {
    /// The effect of placing a stone on `point`, one of the `empty` points, for the player whose
    /// stones are `own`.
    pub(crate) fn of(
        point: Point,
        own: &Bitboard,
        opposing: &Bitboard,
        empty: &Bitboard,
    ) -> Effect {
        let stone = Bitboard::of(point);
        let around = stone.neighbours();
        let empty = empty.without(&stone);
        // A string is known to live as soon as a flood fill reaches one of these places, usually
        // with its first stone.
        let breathing = empty.neighbours();
        let mut effect =
            Effect { captured: Bitboard::EMPTY, captured_strings: 0, suicide: Bitboard::EMPTY };
        let mut unseen = (around & *opposing).without(&breathing);
        while let Some(first) = unseen.first() {
            let string = Bitboard::of(first).flood_until(opposing, &breathing);
            unseen = unseen.without(&string);
            if !string.intersects(&breathing) {
                effect.captured |= string;
                effect.captured_strings += 1;
            }
        }
        if effect.captured_strings == 0 && !breathing.contains(point) {
            let string = stone.flood_until(&(*own | stone), &breathing);
            if !string.intersects(&breathing) {
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

    /// The change made by `player` placing on `point` with this effect.
    pub(crate) fn change(&self, player: Color, point: Point) -> Change {
        let mut removed = [self.suicide; 2];
        removed[player.opponent().index()] = self.captured;
        Change { placed: Some((player, point)), removed }
    }

    /// Whether the placement removes any stones.
    pub(crate) fn removes(&self) -> bool {
        self.captured_strings > 0 || !self.suicide.is_empty()
    }
}

/// The points where capture and the suicide rule allow a stone of the player whose stones are
/// `own`.
pub(crate) fn playable(
    own: &Bitboard,
    opposing: &Bitboard,
    empty: &Bitboard,
    suicide: bool,
) -> Bitboard {
    // A stone with an empty neighbour has a liberty; only for the others must the surrounding
    // strings be examined.
    let mut playable = *empty & empty.neighbours();
    let mut known = KnownStrings::default();
    for point in empty.without(&playable).iter() {
        let around = Bitboard::of(point).neighbours();
        let own_around = around & *own;
        if suicide && !own_around.is_empty() {
            playable.insert(point);
            continue;
        }
        known.classify(&own_around, own, empty);
        known.classify(&(around & *opposing), opposing, empty);
        if own_around.intersects(&known.safe) || (around & *opposing).intersects(&known.atari) {
            playable.insert(point);
        }
    }
    playable
}

/// The points where a placement would capture at least one string of `opposing` stones, and at
/// least two.
pub(crate) fn capturing(opposing: &Bitboard, empty: &Bitboard) -> [Bitboard; 2] {
    let [mut once, mut twice] = [Bitboard::EMPTY; 2];
    for point in opposing.strings().filter_map(|string| liberties(&string, empty).single()) {
        if once.contains(point) {
            twice.insert(point);
        }
        once.insert(point);
    }
    [once, twice]
}

/// Where `color` could place by capture and suicide alone if it were that player's turn. Like
/// [`playable`], but uses `in_atari`, the already known stones of both colours in strings with one
/// liberty.
pub(crate) fn playable_for(common: &Common, color: Color, in_atari: &Bitboard) -> Bitboard {
    let [own, opposing] = [color, color.opponent()].map(|color| &common.stones[color.index()]);
    let empty = common.empty();
    let safe = if common.rules.suicide { *own } else { own.without(in_atari) };
    let captured = *opposing & *in_atari;
    empty & (empty | safe | captured).neighbours()
}

/// Strings met so far while finding legal points, by whether they have one liberty or more.
#[derive(Default)]
struct KnownStrings {
    safe: Bitboard,
    atari: Bitboard,
}

impl KnownStrings {
    /// Classifies the strings of `stones` that contain a point of `members`.
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
