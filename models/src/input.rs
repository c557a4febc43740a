//! Encoded positions as the bytes that a network reads.

use std::sync::OnceLock;

use engine::{Bitboard, Encoding, GLOBALS, MAX_SIZE, PLANES};
use tch::{Kind, Tensor};

use crate::{Device, Precision};

/// How planes are written down on their way to the network.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Two bytes of bf16 for each plane and point, in the memory order of the network's input:
    /// `[position, row, column, plane]`. What a processor reads as it is.
    #[default]
    Expanded,
    /// A bit for each plane and point: the words of the bitboards, `[position, plane, word]`. A
    /// seventh of the bytes on the way to a GPU, which takes them apart faster than it is fed.
    Packed,
}

impl Form {
    /// What a device is fed with.
    pub fn of(device: Device) -> Form {
        match device {
            Device::Cpu => Form::Expanded,
            Device::Cuda => Form::Packed,
        }
    }
}

/// Positions of one board size on their way to the network. One and zero are exact in bf16.
#[derive(Debug, Default, Clone)]
pub(crate) struct Input {
    pub size: usize,
    pub count: usize,
    form: Form,
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

/// Words of a bitboard that points of a board can be in.
fn words(size: usize) -> usize {
    Bitboard::board(size).words().iter().rposition(|&word| word != 0).map_or(0, |last| last + 1)
}

impl Input {
    pub fn new(size: usize, capacity: usize, form: Form) -> Input {
        let mut input = Input { size, count: 0, form, ..Input::default() };
        input.planes.reserve_exact(capacity * input.bytes());
        input.globals.reserve_exact(capacity * GLOBALS);
        input
    }

    /// Bytes of one position's planes.
    fn bytes(&self) -> usize {
        match self.form {
            Form::Expanded => 2 * self.size * self.size * PLANES,
            Form::Packed => 8 * words(self.size) * PLANES,
        }
    }

    pub fn push(&mut self, encoding: &Encoding) {
        match self.form {
            Form::Expanded => self.expand(encoding),
            Form::Packed => {
                let words = words(self.size);
                let used = encoding.planes.iter().flat_map(|plane| &plane.words()[..words]);
                self.planes.extend(used.flat_map(|word| word.to_le_bytes()));
            }
        }
        self.globals.extend_from_slice(&encoding.globals);
        self.count += 1;
    }

    fn expand(&mut self, encoding: &Encoding) {
        let start = self.planes.len();
        self.planes.resize(start + self.bytes(), 0);
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
    }

    pub fn append(&mut self, other: &Input) {
        debug_assert_eq!((self.size, self.form), (other.size, other.form));
        self.planes.extend_from_slice(&other.planes);
        self.globals.extend_from_slice(&other.globals);
        self.count += other.count;
    }

    /// Fills up with empty boards.
    pub fn pad(&mut self, count: usize) {
        self.planes.resize(count * self.bytes(), 0);
        self.globals.resize(count * GLOBALS, 0.0);
        self.count = count;
    }

    /// Planes `[count, PLANES, size, size]`, channels innermost, and globals `[count, GLOBALS]`. On a
    /// GPU they may still be on their way: whatever is computed from them waits there, not here.
    pub fn tensors(&self, device: Device, precision: Precision) -> (Tensor, Tensor) {
        let (count, kind) = (self.count as i64, precision.kind());
        let globals = Tensor::from_slice(&self.globals).reshape([count, GLOBALS as i64]);
        let globals = send(&globals, device).to_kind(kind);
        (self.planes(device).to_kind(kind).permute([0, 3, 1, 2]), globals)
    }

    /// `[count, size, size, PLANES]`
    fn planes(&self, device: Device) -> Tensor {
        let (count, size, planes) = (self.count as i64, self.size as i64, PLANES as i64);
        match self.form {
            Form::Expanded => {
                let shape = [count, size, size, planes];
                send(&Tensor::from_data_size(&self.planes, &shape, Kind::BFloat16), device)
            }
            Form::Packed => {
                let bits =
                    send(&Tensor::from_slice(&self.planes).reshape([count, planes, -1, 1]), device);
                let (shifts, points) = unpacking(self.size, device);
                let bits =
                    bits.bitwise_right_shift(&shifts).bitwise_and(1).reshape([count, planes, -1]);
                let on_board = bits.index_select(2, &points).transpose(1, 2).contiguous();
                on_board.reshape([count, size, size, planes])
            }
        }
    }
}

/// Copies to the device without waiting for it: from memory that the device reads by itself.
fn send(tensor: &Tensor, device: Device) -> Tensor {
    match device {
        Device::Cpu => tensor.shallow_clone(),
        Device::Cuda => {
            let to = device.torch();
            tensor.pin_memory(to).to_device_(to, tensor.kind(), true, false)
        }
    }
}

/// What takes bytes apart: the shift of each bit in a byte, and each point's place among the bits.
fn unpacking(size: usize, device: Device) -> (Tensor, Tensor) {
    let shifts: Vec<u8> = (0..8).collect();
    let board = Bitboard::board(size);
    let bits = board.words().iter().enumerate().flat_map(|(index, &word)| {
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * index as i64 + bit)
    });
    let points: Vec<i64> = bits.collect();
    (send(&Tensor::from_slice(&shifts), device), send(&Tensor::from_slice(&points), device))
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
            let mut input = Input::new(size, 1, Form::Expanded);
            let mut packed = Input::new(size, 1, Form::Packed);
            for _ in 0..4 {
                let moves = position.legal_moves();
                position.play_unchecked(moves[moves.len() / 2]);
            }
            let encoding = Encoding::of(&position);
            input.push(&encoding);
            packed.push(&encoding);
            packed.pad(2);
            let (unpacked, _) = packed.tensors(Device::Cpu, Precision::F32);
            let (planes, _) = Encoding::arrays(&[encoding], size);
            for ((_, plane, row, column), &value) in planes.indexed_iter() {
                let place = 2 * ((row * size + column) * PLANES + plane);
                let bytes = [input.planes[place], input.planes[place + 1]];
                assert_eq!(bytes == ONE, value == 1.0, "{size}: plane {plane}, {row} {column}");
                assert!(bytes == ONE || bytes == [0, 0]);
                let place = [0, plane as i64, row as i64, column as i64];
                assert_eq!(unpacked.double_value(&place), f64::from(value));
            }
            assert_eq!(unpacked.size()[0], 2);
            assert_eq!(unpacked.get(1).sum(Kind::Float).double_value(&[]), 0.0, "padding");
        }
    }
}
