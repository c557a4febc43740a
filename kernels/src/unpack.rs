//! Unpacking of boards stored as bits.

use crate::lane::Lane;
use crate::processor::{Processor, Task};

/// Unpacks bit planes, bytes `[batch, planes, length]`, into numbers 0 and 1, `[batch, points,
/// planes]`. The bits of `on_board`, which has `length` bytes, a multiple of 4, say which bits are
/// points. The lowest bit of a byte comes first.
///
/// # Panics
/// The lengths do not match.
pub fn unpack(
    processor: Processor,
    bits: &[u8],
    planes: usize,
    on_board: &[u8],
    result: &mut [f32],
) {
    let points: usize = on_board.iter().map(|byte| byte.count_ones() as usize).sum();
    let length = planes * on_board.len();
    assert!(on_board.len().is_multiple_of(4) && bits.len().is_multiple_of(length), "whole boards");
    assert_eq!(result.len(), bits.len() / length * points * planes, "results");
    processor.run(Unpack { bits, planes, on_board, result });
}

struct Unpack<'a> {
    bits: &'a [u8],
    planes: usize,
    on_board: &'a [u8],
    result: &'a mut [f32],
}

impl Task for Unpack<'_> {
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Unpack { bits, planes, on_board, result } = self;
        let mut column = vec![0; planes];
        let mut results = result.chunks_exact_mut(planes);
        for board in bits.chunks_exact(planes * on_board.len()) {
            for (place, points) in on_board.chunks_exact(4).enumerate() {
                for (word, plane) in column.iter_mut().zip(board.chunks_exact(on_board.len())) {
                    *word = self::word(&plane[4 * place..]);
                }
                let points = word(points);
                for bit in (0..32).filter(|bit| points >> bit & 1 == 1) {
                    let Some(result) = results.next() else { return };
                    for (number, word) in result.iter_mut().zip(&column) {
                        *number = (word >> bit & 1) as f32;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
