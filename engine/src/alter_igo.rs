//! Alter Igo: every string of either colour without a liberty leaves the board at once.

use crate::history::Change;
use crate::position::Common;
use crate::strings::without_liberty;
use crate::{Bitboard, Color, GameResult, IllegalMove, Point, Reason, zobrist};

/// How many times the same stones must occur for a draw.
const REPETITIONS: usize = 3;

/// The Alter Igo state of a position beyond stones and history.
#[derive(Debug, Clone, Default)]
pub(crate) struct AlterIgoState {
    /// Passes made by White; Black cannot pass.
    pub(crate) white_passes: u16,
}

impl AlterIgoState {
    pub(crate) fn place(&mut self, common: &mut Common, point: Point) {
        let mover = common.turn;
        common.turn = mover.opponent();
        let removed = removed_by(common, mover, point);
        common.stones_key = key_after(common, mover, point, &removed);
        common.stones[mover.index()].insert(point);
        for (stones, removed) in common.stones.iter_mut().zip(&removed) {
            *stones = stones.without(removed);
        }
        common.ever_occupied[mover.index()].insert(point);
        let key = common.stones_key;
        let may_repeat = common.history.may_hold(key);
        common.record_turn(&Change { placed: Some((mover, point)), removed });
        if removed[0] | removed[1] == Bitboard::of(point) {
            common.finish(GameResult::Won(mover.opponent()), Reason::Suicide);
        } else if may_repeat
            && common.history.iter().filter(|&(_, old)| old == key).count() >= REPETITIONS
        {
            common.finish(GameResult::Draw, Reason::Repetition);
        }
    }

    /// White passes. Only placements add an occurrence to the repetition count.
    pub(crate) fn pass(&mut self, common: &mut Common) {
        common.turn = common.turn.opponent();
        common.passes = common.passes.saturating_add(1);
        self.white_passes = self.white_passes.saturating_add(1);
        common.record_pass();
    }

    /// Why the player to move may not pass now.
    pub(crate) fn pass_error(&self, common: &Common) -> Option<IllegalMove> {
        match (common.turn, common.rules.white_passes) {
            (Color::Black | Color::White, 0) => Some(IllegalMove::NoPass),
            (Color::Black, _) => Some(IllegalMove::NoPassLeft(common.turn)),
            (Color::White, allowed) => {
                (self.white_passes >= allowed).then_some(IllegalMove::NoPassLeft(common.turn))
            }
        }
    }
}

/// The key of the stones after a placement that removes `removed`.
fn key_after(common: &Common, mover: Color, point: Point, removed: &[Bitboard; 2]) -> u128 {
    common.stones_key
        ^ zobrist::stone(mover, point)
        ^ zobrist::stones(Color::Black, &removed[0])
        ^ zobrist::stones(Color::White, &removed[1])
}

/// The stones of each colour that a stone of `mover` on `point` removes.
pub(crate) fn removed_by(common: &Common, mover: Color, point: Point) -> [Bitboard; 2] {
    let mut stones = common.stones;
    stones[mover.index()].insert(point);
    let empty = common.board().without(&(stones[0] | stones[1]));
    stones.map(|stones| without_liberty(&stones, &empty))
}

/// The empty points where the player to move would draw at once by completing the last allowed
/// repetition.
pub(crate) fn drawing_points(common: &Common) -> Bitboard {
    let mover = common.turn;
    let draws = |&point: &Point| {
        let removed = removed_by(common, mover, point);
        let key = key_after(common, mover, point, &removed);
        common.history.may_hold(key)
            && removed[0] | removed[1] != Bitboard::of(point)
            && common.history.iter().filter(|&(_, old)| old == key).count() + 1 >= REPETITIONS
    };
    // A stone on a point that its colour has never occupied gives a new position, unless it is
    // removed at once.
    let empty = common.empty();
    let suspects =
        empty.without(&empty.neighbours()) | (empty & common.ever_occupied[mover.index()]);
    suspects.iter().filter(draws).collect()
}

/// The empty points on which the player to move would lose at once.
pub(crate) fn losing_points(common: &Common) -> Bitboard {
    let empty = common.empty();
    let alone = |&point: &Point| {
        let [black, white] = removed_by(common, common.turn, point);
        black | white == Bitboard::of(point)
    };
    empty.without(&empty.neighbours()).iter().filter(alone).collect()
}
