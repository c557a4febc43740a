//! Encoded positions as the bytes that a network reads.

use std::sync::OnceLock;

use engine::{Bitboard, Encoding, GLOBALS, MAX_SIZE, PLANES};
use tch::{Kind, Tensor};

use crate::{Device, Precision};

/// Positions of one board size, in the memory order of the network's input: bf16 bits with the
/// planes innermost, `[position, row, column, plane]`. One and zero are exact in bf16.
#[derive(Debug, Default, Clone)]
pub(crate) struct Input {
    pub size: usize,
    pub count: usize,
    planes: Vec<u8>,
    globals: Vec<f32>,
}

/// The two bytes of 1.0 in bf16.
const ONE: [u8; 2] = 0x3f80_u16.to_ne_bytes();

/// For each bit of a bitboard where its point's planes begin, in numbers. A table, because a leaf has
/// some three hundred bits set and finding row and column takes longer than writing a one.
fn places(size: usize) -> &'static [u16] {
    static TABLES: [OnceLock<Vec<u16>>; MAX_SIZE + 1] = [const { OnceLock::new() }; MAX_SIZE + 1];
    TABLES[size].get_or_init(|| {
        let mut next = 0;
        let place = |on_board: bool| {
            let place = next;
            next += if on_board { PLANES as u16 } else { 0 };
            place
        };
        let bits = |&word: &u64| (0..64).map(move |bit| word >> bit & 1 == 1);
        Bitboard::board(size).words().iter().flat_map(bits).map(place).collect()
    })
}

impl Input {
    pub fn new(size: usize, capacity: usize) -> Input {
        let planes = Vec::with_capacity(2 * capacity * size * size * PLANES);
        let globals = Vec::with_capacity(capacity * GLOBALS);
        Input { size, count: 0, planes, globals }
    }

    pub fn push(&mut self, encoding: &Encoding) {
        let start = self.planes.len();
        self.planes.resize(start + 2 * self.size * self.size * PLANES, 0);
        let board = &mut self.planes[start..];
        let places = places(self.size);
        for (index, plane) in encoding.planes.iter().enumerate() {
            for (places, &word) in places.chunks_exact(64).zip(plane.words()) {
                let mut rest = word;
                while rest != 0 {
                    let place = 2 * (usize::from(places[rest.trailing_zeros() as usize]) + index);
                    board[place..place + 2].copy_from_slice(&ONE);
                    rest &= rest - 1;
                }
            }
        }
        self.globals.extend_from_slice(&encoding.globals);
        self.count += 1;
    }

    pub fn append(&mut self, other: &Input) {
        debug_assert_eq!(self.size, other.size);
        self.planes.extend_from_slice(&other.planes);
        self.globals.extend_from_slice(&other.globals);
        self.count += other.count;
    }

    /// Fills up with empty boards.
    pub fn pad(&mut self, count: usize) {
        self.planes.resize(2 * count * self.size * self.size * PLANES, 0);
        self.globals.resize(count * GLOBALS, 0.0);
        self.count = count;
    }

    /// Planes `[count, PLANES, size, size]`, channels innermost, and globals `[count, GLOBALS]`.
    pub fn tensors(&self, device: Device, precision: Precision) -> (Tensor, Tensor) {
        let (count, size) = (self.count as i64, self.size as i64);
        let (device, kind) = (device.torch(), precision.kind());
        let shape = [count, size, size, PLANES as i64];
        let planes = Tensor::from_data_size(&self.planes, &shape, Kind::BFloat16);
        let globals = Tensor::from_slice(&self.globals).reshape([count, GLOBALS as i64]);
        let planes = planes.to_device(device).to_kind(kind).permute([0, 3, 1, 2]);
        (planes, globals.to_device(device).to_kind(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Position, Variant};

    #[test]
    fn every_bit_is_where_the_network_reads_it() {
        for size in [2, 9, MAX_SIZE] {
            let Ok(rules) = Variant::ALL[0].rules(size as u8) else { continue };
            let mut position = Position::new(rules);
            let mut input = Input::new(size, 1);
            for _ in 0..4 {
                let moves = position.legal_moves();
                position.play_unchecked(moves[moves.len() / 2]);
            }
            let encoding = Encoding::of(&position);
            input.push(&encoding);
            let (planes, _) = Encoding::arrays(&[encoding], size);
            for ((_, plane, row, column), &value) in planes.indexed_iter() {
                let place = 2 * ((row * size + column) * PLANES + plane);
                let bytes = [input.planes[place], input.planes[place + 1]];
                assert_eq!(bytes == ONE, value == 1.0, "{size}: plane {plane}, {row} {column}");
                assert!(bytes == ONE || bytes == [0, 0]);
            }
        }
    }
}
