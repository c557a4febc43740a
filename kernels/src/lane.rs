//! Vectors of f32, as wide as a register of the processor. The only unsafe code of this crate.

#![allow(unsafe_code)]

use std::ops::{Add, Sub};

/// A few numbers that are computed with at once. Code that is generic over lanes has to be inlined into
/// [`Processor::run`], where the compiler may use the instructions of each.
pub(crate) trait Lane: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// Numbers in a lane.
    const WIDTH: usize;
    /// Rows of a matrix product whose sums fit into the registers, with two lanes of each.
    const ROWS: usize;

    fn splat(value: f32) -> Self;

    /// The first numbers of a slice.
    ///
    /// # Panics
    /// There are fewer than [`Lane::WIDTH`]; so does [`Lane::store`].
    fn load(from: &[f32]) -> Self;

    fn store(self, to: &mut [f32]);

    /// `self + a · b`, rounded once where the processor can.
    fn add_product(self, a: Self, b: Self) -> Self;

    /// The larger ones; `other` where one of the two is not a number.
    fn max(self, other: Self) -> Self;

    /// Zero instead of what is negative. Keeps what is not a number, so that a broken network is seen to be one.
    #[inline(always)]
    fn relu(self) -> Self {
        Self::splat(0.0).max(self)
    }

    /// `self + factor · other`.
    #[inline(always)]
    fn plus(self, factor: f32, other: Self) -> Self {
        self.add_product(Self::splat(factor), other)
    }

    /// As many numbers as there are, if they do not fill a lane; zeros after them.
    #[inline(always)]
    fn load_some(from: &[f32]) -> Self {
        if from.len() >= Self::WIDTH {
            return Self::load(from);
        }
        let mut whole = [0.0; WIDEST];
        whole[..from.len()].copy_from_slice(from);
        Self::load(&whole)
    }

    /// As many numbers as there is place for.
    #[inline(always)]
    fn store_some(self, to: &mut [f32]) {
        if to.len() >= Self::WIDTH {
            return self.store(to);
        }
        let mut whole = [0.0; WIDEST];
        self.store(&mut whole);
        to.copy_from_slice(&whole[..to.len()]);
    }

    /// The sum of its numbers.
    #[inline(always)]
    fn sum(self) -> f32 {
        let mut whole = [0.0; WIDEST];
        self.store(&mut whole);
        let mut width = Self::WIDTH;
        while width > 1 {
            width /= 2;
            for index in 0..width {
                whole[index] += whole[index + width];
            }
        }
        whole[0]
    }
}

/// Where lanes begin that hold all channels: the last one ends with them, and has some in common with the one before. Of
/// fewer channels than a lane has, there is one lane, which they do not fill.
#[inline(always)]
pub(crate) fn lanes(channels: usize, width: usize) -> impl Iterator<Item = usize> {
    let last = channels.saturating_sub(width);
    (0..channels).step_by(width).map(move |channel| channel.min(last))
}

/// The widest lane of all.
pub(crate) const WIDEST: usize = 16;

macro_rules! lane {
    (
        $(#[$attribute:meta])*
        $name:ident($register:ty) is $width:literal wide, products have $rows:literal rows;
        load $load:path; store $store:path; splat $splat:path; add $add:path; sub $sub:path;
        add_product |$sum:ident, $a:ident, $b:ident| $add_product:expr;
        max |$one:ident, $other:ident| $max:expr;
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name($register);

        // SAFETY, for each block below, which not all targets need: only `Processor::run` names this type, after it has made sure that the
        // processor has the instructions; and what is read or written is a slice of at least a lane's width.
        #[allow(unused_unsafe)]
        impl Lane for $name {
            const WIDTH: usize = $width;
            const ROWS: usize = $rows;

            #[inline(always)]
            fn splat(value: f32) -> Self {
                Self(unsafe { $splat(value) })
            }

            #[inline(always)]
            fn load(from: &[f32]) -> Self {
                let from = &from[..$width];
                Self(unsafe { $load(from.as_ptr().cast()) })
            }

            #[inline(always)]
            fn store(self, to: &mut [f32]) {
                let to = &mut to[..$width];
                unsafe { $store(to.as_mut_ptr().cast(), self.0) }
            }

            #[inline(always)]
            fn add_product(self, a: Self, b: Self) -> Self {
                let ($sum, $a, $b) = (self.0, a.0, b.0);
                Self(unsafe { $add_product })
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                let ($one, $other) = (self.0, other.0);
                Self(unsafe { $max })
            }
        }

        #[allow(unused_unsafe)]
        impl Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(unsafe { $add(self.0, other.0) })
            }
        }

        #[allow(unused_unsafe)]
        impl Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(unsafe { $sub(self.0, other.0) })
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    lane! {
        Sse(__m128) is 4 wide, products have 4 rows;
        load _mm_loadu_ps; store _mm_storeu_ps; splat _mm_set1_ps; add _mm_add_ps; sub _mm_sub_ps;
        add_product |sum, a, b| _mm_add_ps(sum, _mm_mul_ps(a, b));
        max |one, other| _mm_max_ps(one, other);
    }

    lane! {
        Avx2(__m256) is 8 wide, products have 6 rows;
        load _mm256_loadu_ps; store _mm256_storeu_ps; splat _mm256_set1_ps;
        add _mm256_add_ps; sub _mm256_sub_ps;
        add_product |sum, a, b| _mm256_fmadd_ps(a, b, sum);
        max |one, other| _mm256_max_ps(one, other);
    }

    lane! {
        Avx512(__m512) is 16 wide, products have 12 rows;
        load _mm512_loadu_ps; store _mm512_storeu_ps; splat _mm512_set1_ps;
        add _mm512_add_ps; sub _mm512_sub_ps;
        add_product |sum, a, b| _mm512_fmadd_ps(a, b, sum);
        max |one, other| _mm512_max_ps(one, other);
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512, Sse as Baseline};

#[cfg(target_arch = "aarch64")]
mod neon {
    use super::*;
    use std::arch::aarch64::*;

    lane! {
        Neon(float32x4_t) is 4 wide, products have 8 rows;
        load vld1q_f32; store vst1q_f32; splat vdupq_n_f32; add vaddq_f32; sub vsubq_f32;
        add_product |sum, a, b| vfmaq_f32(sum, a, b);
        max |one, other| vmaxq_f32(one, other);
    }
}

#[cfg(target_arch = "aarch64")]
pub(crate) use neon::Neon as Baseline;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use super::*;
    use std::arch::wasm32::*;

    lane! {
        Simd128(v128) is 4 wide, products have 4 rows;
        load v128_load; store v128_store; splat f32x4_splat; add f32x4_add; sub f32x4_sub;
        add_product |sum, a, b| f32x4_add(sum, f32x4_mul(a, b));
        max |one, other| f32x4_pmax(other, one);
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use wasm::Simd128 as Baseline;

/// A number alone, where nothing wider is known.
#[derive(Clone, Copy)]
pub(crate) struct Scalar(f32);

impl Lane for Scalar {
    const WIDTH: usize = 1;
    const ROWS: usize = 4;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self(value)
    }

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        Self(from[0])
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        to[0] = self.0;
    }

    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        Self(self.0 + a.0 * b.0)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self.0 > other.0 { self } else { other }
    }
}

impl Add for Scalar {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Scalar {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}
