//! The vector instructions in use.

#![allow(unsafe_code)]

use std::fmt;

use crate::lane::{self, Lane};

/// A set of instructions that this machine has, with which all computations are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor(Instructions);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instructions {
    /// No vector instructions.
    Scalar,
    /// The vector instructions that every processor of this architecture has: SSE2, NEON, SIMD128.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX-512, with the products of convolutions in bf16.
    #[cfg(target_arch = "x86_64")]
    Avx512Bf16,
}

/// Work to be done with lanes of any kind. `run` must be `#[inline(always)]`, and so must
/// everything that it calls with lanes: the compiler uses a processor's instructions only inside
/// the functions at the end of this file.
pub(crate) trait Task {
    fn run<L: Lane>(self);
}

impl Processor {
    /// Everything that this machine can run in f32, fastest first.
    pub fn available() -> Vec<Processor> {
        let found = [
            #[cfg(target_arch = "x86_64")]
            is_x86_feature_detected!("avx512f").then_some(Instructions::Avx512),
            #[cfg(target_arch = "x86_64")]
            (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"))
                .then_some(Instructions::Avx2),
            #[cfg(any(
                target_arch = "x86_64",
                target_arch = "aarch64",
                target_feature = "simd128"
            ))]
            Some(Instructions::Baseline),
            Some(Instructions::Scalar),
        ];
        found.into_iter().flatten().map(Processor).collect()
    }

    /// The fastest that this machine can run in f32.
    pub fn fastest() -> Processor {
        Processor::available()[0]
    }

    /// The instructions with which convolutions round the factors of their products to bf16 and sum
    /// in f32, if this machine has them. Everything else stays f32.
    pub fn in_bf16() -> Option<Processor> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bf16") {
            return Some(Processor(Instructions::Avx512Bf16));
        }
        None
    }

    /// [`Processor::in_bf16`] if it is faster than f32 on this machine. AMD's processors take a
    /// product of pairs as fast as one of single numbers; on the Intel processor that was measured
    /// it takes so much longer that bf16 is slower than f32 without tiles.
    pub fn fastest_in_bf16() -> Option<Processor> {
        Processor::in_bf16().filter(|_| is_amd())
    }

    pub(crate) fn run(self, task: impl Task) {
        match self.0 {
            Instructions::Scalar => task.run::<lane::Scalar>(),
            #[cfg(any(
                target_arch = "x86_64",
                target_arch = "aarch64",
                target_feature = "simd128"
            ))]
            Instructions::Baseline => task.run::<lane::Baseline>(),
            // SAFETY, for all three: only `available` and `in_bf16` make these, where they have
            // found the instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { run_avx2(task) },
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { run_avx512(task) },
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512Bf16 => unsafe { run_avx512_bf16(task) },
        }
    }

    /// Whether it multiplies pairs of numbers in bf16.
    pub(crate) fn multiplies_pairs(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.0 == Instructions::Avx512Bf16;
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Numbers per lane: matrix outputs are padded to a multiple of this.
    pub fn width(self) -> usize {
        match self.0 {
            Instructions::Scalar => lane::Scalar::WIDTH,
            #[cfg(any(
                target_arch = "x86_64",
                target_arch = "aarch64",
                target_feature = "simd128"
            ))]
            Instructions::Baseline => lane::Baseline::WIDTH,
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => lane::Avx2::WIDTH,
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 | Instructions::Avx512Bf16 => lane::Avx512::WIDTH,
        }
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Instructions::Scalar => "no vectors",
            #[cfg(target_arch = "x86_64")]
            Instructions::Baseline => "SSE2",
            #[cfg(target_arch = "aarch64")]
            Instructions::Baseline => "NEON",
            #[cfg(target_feature = "simd128")]
            Instructions::Baseline => "SIMD128",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512Bf16 => "AVX-512 in bf16",
        })
    }
}

/// Whether AMD made this processor.
fn is_amd() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        let vendor = std::arch::x86_64::__cpuid(0);
        let name = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
        name.as_flattened() == b"AuthenticAMD"
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2(task: impl Task) {
    task.run::<lane::Avx2>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
fn run_avx512(task: impl Task) {
    task.run::<lane::Avx512>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bf16,avx2,fma")]
fn run_avx512_bf16(task: impl Task) {
    task.run::<lane::Avx512>();
}
