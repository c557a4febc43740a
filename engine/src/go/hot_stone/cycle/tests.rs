//! Compares the pruned search with one that tries every sequence.

use super::*;
use crate::Repetition;
use crate::strings::without_liberty;

/// Net number of stones added at each place, for one colour or both.
type Change = [i8; 2 * 25];

/// Tries all sequences except those in which more stones are missing than a player can put back.
struct Plain {
    rules: Rules,
    start: Stones,
    changes: Vec<Change>,
}

impl Plain {
    fn board(&self) -> Bitboard {
        self.rules.size.board()
    }

    fn play(&mut self, stones: &Stones, point: Point, side: usize) -> Option<Stones> {
        let empty = self.board().without(&(stones[0] | stones[1]));
        let effect = Effect::of(point, &stones[side], &stones[1 - side], &empty);
        if effect.suicide_error(self.rules.suicide).is_some() {
            return None;
        }
        let mut after = *stones;
        after[side].insert(point);
        after[side] = after[side].without(&effect.suicide);
        after[1 - side] = after[1 - side].without(&effect.captured);
        let size = self.rules.size;
        let mut change = [0; 50];
        change[25 * side + point.index(size)] += 1;
        effect.suicide.iter().for_each(|p| change[25 * side + p.index(size)] -= 1);
        effect.captured.iter().for_each(|p| change[25 * (1 - side) + p.index(size)] -= 1);
        self.changes.push(change);
        Some(after)
    }

    fn returns(&mut self, stones: Stones, left: usize) -> bool {
        let made = self.changes.len();
        if stones == self.start {
            return made.is_multiple_of(2) && !self.holds_odd_subset();
        }
        let missing = [0, 1].map(|side| self.start[side].without(&stones[side]).count());
        if left == 0 || missing[0] > left / 2 || missing[1] > left.div_ceil(2) {
            return false;
        }
        let empty = self.board().without(&(stones[0] | stones[1]));
        empty.iter().any(|point| {
            self.play(&stones, point, made % 2).is_some_and(|after| {
                let found = self.returns(after, left - 1);
                self.changes.pop();
                found
            })
        })
    }

    fn holds_odd_subset(&self) -> bool {
        (0..1_u32 << self.changes.len()).filter(|subset| subset.count_ones() % 2 == 1).any(
            |subset| {
                let mut sum = [0; 50];
                for (_, change) in
                    self.changes.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1)
                {
                    sum.iter_mut().zip(change).for_each(|(sum, &step)| *sum += step);
                }
                sum == [0; 50]
            },
        )
    }
}

/// A random board with `weight` of eight points empty and a liberty for every string.
fn random_stones(rules: &Rules, random: &mut impl FnMut() -> u64, weight: u64) -> Stones {
    let board = rules.size.board();
    let mut stones = [Bitboard::EMPTY; 2];
    for point in board.iter() {
        if random() % 8 >= weight {
            stones[random() as usize % 2].insert(point);
        }
    }
    for side in [0, 1] {
        let empty = board.without(&(stones[0] | stones[1]));
        stones[side] = stones[side].without(&without_liberty(&stones[side], &empty));
    }
    stones
}

fn compare(size: &str, max_cycle: u8, suicide: bool, boards: usize) {
    let plain = Rules::plain_of(size.parse().unwrap());
    let rules = Rules { repetition: Repetition::HotStone, suicide, max_cycle, ..plain };
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 33
    };
    let mut ko_plays = 0;
    for board in 0..boards {
        let start = random_stones(&rules, &mut random, 1 + board as u64 % 4);
        let empty = plain.size.board().without(&(start[0] | start[1]));
        for point in empty.iter() {
            let mut plain = Plain { rules, start, changes: Vec::new() };
            let Some(after) = plain.play(&start, point, MOVER) else { continue };
            let effect = Effect::of(point, &start[MOVER], &start[OTHER], &empty);
            let expected = plain.returns(after, usize::from(max_cycle) - 1);
            let found = is_ko_play(&rules, &start, point, &effect);
            assert_eq!(found, expected, "{point} {suicide} {max_cycle} {start:?}");
            ko_plays += usize::from(found);
        }
    }
    assert!(ko_plays > 0, "no ko play met on {size}");
}

#[test]
fn no_cycle_is_pruned() {
    for suicide in [false, true] {
        compare("2", 10, suicide, 60);
        compare("3", 6, suicide, 120);
        compare("3x2", 8, suicide, 200);
        compare("4", 4, suicide, 200);
        compare("5", 2, suicide, 400);
    }
}

/// The same with longer cycles and on larger boards.
#[test]
#[ignore = "takes seconds, and minutes unoptimised"]
fn no_long_cycle_is_pruned() {
    for suicide in [false, true] {
        compare("3", 8, suicide, 150);
        compare("4x2", 8, suicide, 200);
        compare("4", 6, suicide, 300);
        compare("5", 4, suicide, 1000);
    }
}
