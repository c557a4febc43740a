//! Encoded positions for a network, kept as bits until needed.

use engine::{Encoding, GLOBALS, PLANES, Size};
use kernels::Processor;

/// Positions of one board size, with one bit per plane and point: a seventh of the size of bf16 in
/// queues, in caches and on the way to a GPU. The thread or device that computes with them unpacks
/// them.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub size: Size,
    pub count: usize,
    /// The words of the bitboards, `[position, plane, word]`, as bytes.
    pub planes: Vec<u8>,
    /// `[position, GLOBALS]`.
    pub globals: Vec<f32>,
}

/// Number of bitboard words that cover a board's points.
fn words(size: Size) -> usize {
    size.board().words().iter().rposition(|&word| word != 0).map_or(0, |last| last + 1)
}

/// Bytes per plane.
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

    /// The planes as numbers, `[position, size, size, PLANES]`.
    pub fn unpack(&self, processor: Processor, numbers: &mut [f32]) {
        kernels::unpack(processor, &self.planes, PLANES, &on_board(self.size), numbers);
    }
}

/// The side of a board: networks play only square ones.
pub(crate) fn side(size: Size) -> usize {
    debug_assert!(size.side().is_some());
    size.width()
}

/// Which bits of a plane are points of the board.
pub(crate) fn on_board(size: Size) -> Vec<u8> {
    let board = size.board();
    board.words()[..words(size)].iter().flat_map(|word| word.to_le_bytes()).collect()
}
