//! Alter Igo: every string of either colour without a liberty goes, all at once.

use super::board::Board;
use super::rules::Color;

pub struct AlterPlayed {
    pub board: Board,
    /// The placed stone was the only stone removed: its player loses.
    pub loses: bool,
}

pub fn place(board: &Board, point: usize, player: Color) -> AlterPlayed {
    let mut with_stone = board.clone();
    with_stone.points[point] = Some(player);
    let stands_without_liberty = |&stone: &usize| {
        with_stone.points[stone].is_some() && !with_stone.has_liberty(&with_stone.joined(stone))
    };
    let removed: Vec<usize> = (0..with_stone.points.len()).filter(stands_without_liberty).collect();
    let mut after = with_stone.clone();
    after.remove(&removed);
    AlterPlayed { board: after, loses: removed == [point] }
}

/// Whether `board`, just left by a placement, stands for the third time. `earlier` are the boards
/// that count: the start, and those left by earlier placements.
pub fn third_time(earlier: &[Board], board: &Board) -> bool {
    earlier.iter().filter(|&other| other == board).count() >= 2
}
