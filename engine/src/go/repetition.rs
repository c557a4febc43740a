//! Repeated positions: superko and draws.

use super::candidates::Candidates;
use super::capture::{Effect, effect};
use crate::position::Common;
use crate::{Bitboard, Point, zobrist};

/// The key of the stones after a placement with this effect.
pub(super) fn key_after(common: &Common, point: Point, effect: &Effect) -> u128 {
    let mover = common.turn;
    common.stones_key
        ^ zobrist::stone(mover, point)
        ^ zobrist::stones(mover.opponent(), &effect.captured)
        ^ zobrist::stones(mover, &effect.suicide)
}

/// The candidates whose placement superko forbids.
#[inline(never)]
pub(super) fn repeating(common: &Common, candidates: Candidates<'_>) -> Bitboard {
    let suspects = || suspects(common, candidates.points());
    candidates.filter(common, suspects, |point, effect| repeats(common, point, effect))
}

/// The points among `points` whose placement might recreate an earlier position.
fn suspects(common: &Common, points: Bitboard) -> Bitboard {
    // A placement leaves a stone on its point, so the board can repeat only where one stood before,
    // unless the placed stone is removed at once by suicide.
    let mut suspects = points & common.ever_occupied[common.turn.index()];
    if common.rules.suicide {
        suspects |= points.without(&common.empty().neighbours());
    }
    suspects
}

/// Whether a placement would recreate a position that superko forbids.
fn repeats(common: &Common, point: Point, effect: &Effect) -> bool {
    if effect.suicide.is_empty() && !common.ever_occupied[common.turn.index()].contains(point) {
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

/// The `legal` points where the player to move would draw the game at once.
pub(crate) fn drawing_points(common: &Common, legal: Bitboard) -> Bitboard {
    if !common.rules.draws_by_repetition() {
        return Bitboard::EMPTY;
    }
    let draws = |&point: &Point| {
        let key = key_after(common, point, &effect(common, point));
        common.history.may_hold(key) && has_occurred(common, key)
    };
    suspects(common, legal).iter().filter(draws).collect()
}

/// Whether stones with this key stood at the end of an earlier turn of the player to move. The
/// start does not count.
pub(super) fn has_occurred(common: &Common, key: u128) -> bool {
    let this_turn = common.history.len();
    let own = |turn: usize| turn > 0 && (this_turn - turn).is_multiple_of(2);
    common.history.iter().any(|(turn, old)| own(turn) && old == key)
}
