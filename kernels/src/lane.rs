//! Vectors of f32 as wide as a processor register. All unsafe code of this crate is here, in
//! `processor` and in `views`.

#![allow(unsafe_code)]

use std::ops::{Add, Sub};

/// A few numbers that are computed with at once. Code that is generic over lanes must be inlined
/// into [`Processor::run`], where the compiler may use each processor's instructions.
pub(crate) trait Lane: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// Numbers in a lane.
    const WIDTH: usize;
    /// Rows of a matrix product whose sums fit into the registers, with two lanes for each.
    const ROWS: usize;
    /// The lane that multiplies pairs of bf16 numbers, made by [`Lane::paired`] and
    /// [`Lane::store_pairs`], and sums the products. Where the processor has no such instructions
    /// it is the same lane, and is never used.
    type Pairs: Lane;

    fn splat(value: f32) -> Self;

    /// Loads the first numbers of a slice.
    ///
    /// # Panics
    /// The slice has fewer than [`Lane::WIDTH`] numbers. [`Lane::store`] panics likewise.
    fn load(from: &[f32]) -> Self;

    fn store(self, to: &mut [f32]);

    /// `self + a · b`, rounded once where the processor can.
    fn add_product(self, a: Self, b: Self) -> Self;

    /// The larger numbers of the two lanes; `other` where one of the two is NaN.
    fn max(self, other: Self) -> Self;

    /// Pairs the numbers of both lanes, rounded to bf16.
    #[inline(always)]
    fn paired(self, second: Self) -> Self {
        let (mut first, mut other) = ([0.0; WIDEST], [0.0; WIDEST]);
        self.store(&mut first);
        second.store(&mut other);
        for index in 0..Self::WIDTH {
            first[index] = pair(first[index], other[index]);
        }
        Self::load(&first)
    }

    /// Stores the numbers rounded to bf16, with two neighbours in the place of one f32.
    #[inline(always)]
    fn store_pairs(self, to: &mut [f32]) {
        let mut numbers = [0.0; WIDEST];
        self.store(&mut numbers);
        for index in 0..Self::WIDTH / 2 {
            to[index] = pair(numbers[2 * index], numbers[2 * index + 1]);
        }
    }

    /// Replaces negative numbers by zero but keeps NaN, so that a broken network is noticed.
    #[inline(always)]
    fn relu(self) -> Self {
        Self::splat(0.0).max(self)
    }

    /// `self + factor · other`.
    #[inline(always)]
    fn add_scaled(self, factor: f32, other: Self) -> Self {
        self.add_product(Self::splat(factor), other)
    }

    /// Loads fewer numbers than fill a lane, followed by zeros; or a full lane.
    #[inline(always)]
    fn load_partial(from: &[f32]) -> Self {
        if from.len() >= Self::WIDTH {
            return Self::load(from);
        }
        let mut whole = [0.0; WIDEST];
        whole[..from.len()].copy_from_slice(from);
        Self::load(&whole)
    }

    /// Stores as many numbers as fit.
    #[inline(always)]
    fn store_partial(self, to: &mut [f32]) {
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

/// The offsets of lanes that cover all channels: the last lane ends with them and overlaps the one
/// before. If there are fewer channels than a lane has, there is one partly filled lane.
#[inline(always)]
pub(crate) fn lanes(channels: usize, width: usize) -> impl Iterator<Item = usize> {
    let last = channels.saturating_sub(width);
    (0..channels).step_by(width).map(move |channel| channel.min(last))
}

/// The width of the widest lane.
pub(crate) const WIDEST: usize = 16;

/// Two numbers, rounded to bf16, in the place of one: the first is in the lower half of the bits.
#[inline]
pub(crate) fn pair(first: f32, second: f32) -> f32 {
    let rounded = |number: f32| {
        let bits = number.to_bits();
        let to_even = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
        if number.is_nan() { bits >> 16 | 1 } else { to_even }
    };
    f32::from_bits(rounded(second) << 16 | rounded(first))
}

/// The named lane of pairs, or by default the lane itself.
macro_rules! pairs {
    ($own:ident) => {
        Self
    };
    ($own:ident $pairs:ident) => {
        $pairs
    };
}

macro_rules! lane {
    (
        $(#[$attribute:meta])*
        $name:ident($register:ty) is $width:literal wide, products have $rows:literal rows;
        load $load:path; store $store:path; splat $splat:path; add $add:path; sub $sub:path;
        add_product |$sum:ident, $a:ident, $b:ident| $add_product:expr;
        max |$one:ident, $other:ident| $max:expr;
        $(
            pairs are $pairs:ident;
            paired |$first:ident, $second:ident| $paired:expr;
            store_pairs |$place:ident, $numbers:ident| $store_pairs:expr;
        )?
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name($register);

        // SAFETY, for each block below, which not all targets need: only `Processor::run` names
        // this type, after it has made sure that the processor has the instructions; and what is
        // read or written is a slice of at least a lane's width.
        #[allow(unused_unsafe)]
        impl Lane for $name {
            const WIDTH: usize = $width;
            const ROWS: usize = $rows;
            type Pairs = pairs!($name $($pairs)?);

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

            $(
                #[inline(always)]
                fn paired(self, second: Self) -> Self {
                    let ($first, $second) = (self.0, second.0);
                    Self(unsafe { $paired })
                }

                #[inline(always)]
                fn store_pairs(self, to: &mut [f32]) {
                    let ($place, $numbers) = (to[..$width / 2].as_mut_ptr(), self.0);
                    unsafe { $store_pairs }
                }
            )?
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
    use std::mem::transmute;

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
        pairs are Avx512Pairs;
        paired |first, second| _mm512_castsi512_ps(_mm512_or_si512(
            _mm512_cvtepu16_epi32(transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(first))),
            _mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(
                transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(second))
            ))
        ));
        store_pairs |place, numbers| _mm256_storeu_si256(
            place.cast(), transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(numbers))
        );
    }

    lane! {
        /// Sums are single numbers, factors are pairs: two products at once.
        Avx512Pairs(__m512) is 16 wide, products have 12 rows;
        load _mm512_loadu_ps; store _mm512_storeu_ps; splat _mm512_set1_ps;
        add _mm512_add_ps; sub _mm512_sub_ps;
        add_product |sum, a, b| _mm512_dpbf16_ps(
            sum, transmute::<__m512, __m512bh>(a), transmute::<__m512, __m512bh>(b)
        );
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

/// A single number, for processors where nothing wider is known.
#[derive(Clone, Copy)]
pub(crate) struct Scalar(f32);

impl Lane for Scalar {
    const WIDTH: usize = 1;
    const ROWS: usize = 4;
    type Pairs = Self;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processor::{Processor, Task};

    /// Checks that lanes pair numbers in the same way as [`pair`].
    struct Pairs;

    impl Task for Pairs {
        #[inline(always)]
        fn run<L: Lane>(self) {
            let numbers: Vec<f32> = (0..2 * WIDEST)
                .map(|index| match index {
                    3 => f32::NAN,
                    7 => f32::NEG_INFINITY,
                    // Halfway between two bf16 numbers.
                    11 => f32::from_bits(0x3f80_8000),
                    13 => f32::from_bits(0x3f81_8000),
                    _ => (index as f32 - 9.3).powi(5) / 7.0,
                })
                .collect();
            let (first, second) = (L::load(&numbers), L::load(&numbers[L::WIDTH..]));
            let (mut across, mut along) = ([0.0; WIDEST], [0.0; WIDEST]);
            first.paired(second).store(&mut across);
            first.store_pairs(&mut along);
            let same = |found: f32, one: f32, other: f32| {
                let halves = |pairs: f32| {
                    let bits = pairs.to_bits();
                    [bits << 16, bits & 0xffff_0000].map(f32::from_bits)
                };
                let expected = halves(pair(one, other));
                for (found, expected) in halves(found).into_iter().zip(expected) {
                    assert!(found == expected || found.is_nan() && expected.is_nan());
                }
            };
            for index in 0..L::WIDTH {
                same(across[index], numbers[index], numbers[L::WIDTH + index]);
            }
            for index in 0..L::WIDTH / 2 {
                same(along[index], numbers[2 * index], numbers[2 * index + 1]);
            }
        }
    }

    #[test]
    fn pairs_are_rounded_to_the_nearest() {
        assert_eq!(pair(1.0, -2.0).to_bits(), 0xc000_3f80);
        assert_eq!(pair(f32::from_bits(0x3f80_8000), 0.0).to_bits(), 0x3f80, "to the even one");
        assert_eq!(pair(f32::from_bits(0x3f81_8000), 0.0).to_bits(), 0x3f82, "to the even one");
        // The widest lane is asked for pairs only where the processor multiplies them.
        let narrow = Processor::available().into_iter().filter(|it| it.width() < WIDEST);
        narrow.chain(Processor::in_bf16()).for_each(|processor| processor.run(Pairs));
    }
}
