//! Encoded positions as tensors.

use engine::{GLOBALS, PLANES, Size};
use kernels::Processor;
use tch::Tensor;

use crate::input::{Input, on_board, side};
use crate::libtorch::shim;
use crate::{Device, Precision};

impl Input {
    /// Planes `[count, PLANES, size, size]`, channels innermost, and globals `[count, GLOBALS]`. On
    /// a GPU they may still be in transfer: computations on the device wait for them, the caller
    /// does not.
    pub fn tensors(&self, device: Device, precision: Precision) -> (Tensor, Tensor) {
        let (count, kind) = (self.count as i64, precision.kind());
        let globals = Tensor::from_slice(&self.globals).reshape([count, GLOBALS as i64]);
        let globals = send(&globals, device).to_kind(kind);
        let planes = match (device, precision) {
            (Device::Cpu, Precision::F32) => self.numbers(),
            (Device::Cpu, Precision::Bf16) => {
                let on_board = Tensor::from_slice(&on_board(self.size));
                shim::unpack(&self.bits(), &on_board, side(self.size) as i64)
            }
            (Device::Cuda, _) => {
                unpacked(&send(&self.bits(), device), self.size, device).to_kind(kind)
            }
        };
        (planes, globals)
    }

    /// Pads with empty boards.
    pub fn pad(&mut self, count: usize) {
        let each = on_board(self.size).len();
        self.planes.resize(count * PLANES * each, 0);
        self.globals.resize(count * GLOBALS, 0.0);
        self.count = count;
    }

    /// The planes as bytes, `[count, PLANES, bytes]`.
    fn bits(&self) -> Tensor {
        Tensor::from_slice(&self.planes).reshape([self.count as i64, PLANES as i64, -1])
    }

    /// The planes as f32, unpacked on the CPU.
    fn numbers(&self) -> Tensor {
        let (side, planes) = (side(self.size), PLANES);
        let mut numbers = vec![0.0; self.count * side * side * planes];
        self.unpack(Processor::fastest(), &mut numbers);
        let shape = [self.count, side, side, planes].map(|length| length as i64);
        Tensor::from_slice(&numbers).reshape(shape).permute([0, 3, 1, 2])
    }
}

/// Unpacks bits with operations that libtorch has on every device, like `shim::unpack` on a CPU.
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
            shim::pinned(tensor).to_device_(to, tensor.kind(), true, false)
        }
    }
}

/// Constants for unpacking bytes: the shift of each bit within a byte, and each point's index among
/// the bits.
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
    use engine::{Encoding, MAX_SIZE, Position, Variant};
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

                let elsewhere = unpacked(&input.bits(), size, Device::Cpu).to_kind(Kind::Float);
                assert_eq!(elsewhere, found, "{size}, as a GPU does it");
            }
        }
    }
}
