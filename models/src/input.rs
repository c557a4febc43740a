//! Encoded positions as the bytes that a network reads.

use engine::{Encoding, GLOBALS, PLANES};
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
        for (index, plane) in encoding.planes.iter().enumerate() {
            for point in plane.iter() {
                let place = 2 * (point.index(self.size) * PLANES + index);
                board[place..place + 2].copy_from_slice(&ONE);
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
