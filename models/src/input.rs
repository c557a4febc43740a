//! Encoded positions for a network, kept as bits until they are needed.

use engine::{Encoding, GLOBALS, PLANES, Size};
use tch::Tensor;

use crate::shim;
use crate::{Device, Precision};

/// Positions of one board size, a bit for each plane and point: a seventh of the size in bf16, in queues, caches and
/// on the way to a GPU. The thread or device that computes with them unpacks them.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub size: Size,
    pub count: usize,
    /// The words of the bitboards: `[position, plane, word]`.
    planes: Vec<u8>,
    globals: Vec<f32>,
}

/// Words of a bitboard that a board's points use.
fn words(size: Size) -> usize {
    size.board().words().iter().rposition(|&word| word != 0).map_or(0, |last| last + 1)
}

/// Bytes of one plane.
fn bytes(size: Size) -> usize {
    8 * words(size)
}

impl Input {
    pub fn new(size: Size, capacity: usize) -> Input {
        let planes = Vec::with_capacity(capacity * PLANES * bytes(size));
        Input { size, count: 0, planes, globals: Vec::with_capacity(capacity * GLOBALS) }
    }

    pub fn push(&mut self, encoding: &Encoding) {
        let words = words(self.size);
        for word in encoding.planes.iter().flat_map(|plane| &plane.words()[..words]) {
            self.planes.extend_from_slice(&word.to_le_bytes());
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
        self.planes.resize(count * PLANES * bytes(self.size), 0);
        self.globals.resize(count * GLOBALS, 0.0);
        self.count = count;
    }

    /// Planes `[count, PLANES, size, size]`, channels innermost, and globals `[count, GLOBALS]`. On a
    /// GPU they may still be in transfer: computations on the device wait for them, the caller does not.
    pub fn tensors(&self, device: Device, precision: Precision) -> (Tensor, Tensor) {
        let (count, kind) = (self.count as i64, precision.kind());
        let shape = [count, PLANES as i64, bytes(self.size) as i64];
        let globals = Tensor::from_slice(&self.globals).reshape([count, GLOBALS as i64]);
        let globals = send(&globals, device).to_kind(kind);
        let bits = send(&Tensor::from_slice(&self.planes).reshape(shape), device);
        let planes = match device {
            Device::Cpu => shim::unpack(&bits, &on_board(self.size), side(self.size), kind),
            Device::Cuda => unpacked(&bits, self.size, device).to_kind(kind),
        };
        (planes, globals)
    }
}

/// The side of a board for the operators: networks play square ones.
pub(crate) fn side(size: Size) -> i64 {
    debug_assert!(size.side().is_some());
    size.width() as i64
}

/// Which bits of a plane are points of the board.
fn on_board(size: Size) -> Tensor {
    let board = size.board();
    let bytes = board.words()[..words(size)].iter().flat_map(|word| word.to_le_bytes());
    Tensor::from_slice(&bytes.collect::<Vec<u8>>())
}

/// Unpacks bits with operations that libtorch has on every device, like `shim::unpack` on a processor.
fn unpacked(bits: &Tensor, size: Size, device: Device) -> Tensor {
    let (shifts, points) = unpacking(size, device);
    let bits = bits.unsqueeze(3).bitwise_right_shift(&shifts).bitwise_and(1).flatten(2, 3);
    let planes = PLANES as i64;
    let points = bits.index_select(2, &points).transpose(1, 2).contiguous();
    points.reshape([-1, size.height() as i64, size.width() as i64, planes]).permute([0, 3, 1, 2])
}

/// Copies to the device asynchronously, from pinned memory.
fn send(tensor: &Tensor, device: Device) -> Tensor {
    match device {
        Device::Cpu => tensor.shallow_clone(),
        Device::Cuda => {
            let to = device.torch();
            tensor.pin_memory(to).to_device_(to, tensor.kind(), true, false)
        }
    }
}

/// Constants for unpacking bytes: the shift of each bit in a byte, and each point's index among the bits.
fn unpacking(size: Size, device: Device) -> (Tensor, Tensor) {
    let shifts: Vec<u8> = (0..8).collect();
    let board = size.board();
    let bits = board.words().iter().enumerate().flat_map(|(index, &word)| {
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * index as i64 + bit)
    });
    let points: Vec<i64> = bits.collect();
    (send(&Tensor::from_slice(&shifts), device), send(&Tensor::from_slice(&points), device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{MAX_SIZE, Position, Variant};
    use tch::Kind;

    #[test]
    fn every_bit_is_where_the_network_reads_it() {
        for size in [2, 9, MAX_SIZE] {
            let size = Size::try_from(size).unwrap();
            let rules = Variant::ALL[0].rules(size).unwrap();
            let mut position = Position::new(rules);
            let mut input = Input::new(size, 3);
            let mut encodings = Vec::new();
            for _ in 0..4 {
                let moves = position.legal_moves();
                position.play_unchecked(moves[moves.len() / 2]);
                encodings.push(Encoding::of(&position));
                input.push(&encodings[encodings.len() - 1]);
            }
            input.pad(6);
            let (expected, _) = Encoding::arrays(&encodings, size);
            let expected: Vec<f32> = expected.iter().copied().collect();
            for precision in [Precision::F32, Precision::Bf16] {
                let (planes, _) = input.tensors(Device::Cpu, precision);
                assert_eq!(planes.kind(), precision.kind());
                assert_eq!(planes.stride()[1], 1, "channels are innermost");
                let found = planes.to_kind(Kind::Float).contiguous();
                let given = Vec::<f32>::try_from(found.narrow(0, 0, 4).reshape([-1])).unwrap();
                assert_eq!(given, expected, "{size}");
                assert_eq!(
                    found.narrow(0, 4, 2).sum(Kind::Float).double_value(&[]),
                    0.0,
                    "padding"
                );

                let bits = Tensor::from_slice(&input.planes).reshape([6, PLANES as i64, -1]);
                let elsewhere = unpacked(&bits, size, Device::Cpu).to_kind(Kind::Float);
                assert_eq!(elsewhere, found, "{size}, as a GPU does it");
            }
        }
    }
}
