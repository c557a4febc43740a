//! Collections of slices of equal length, checked once so that access needs no further checks.

#![allow(unsafe_code)]

use std::marker::PhantomData;

/// `EDGE × EDGE` slices at arbitrary places.
pub(crate) struct Scattered<'a, const EDGE: usize> {
    starts: [[*const f32; EDGE]; EDGE],
    length: usize,
    numbers: PhantomData<&'a [f32]>,
}

impl<'a, const EDGE: usize> Scattered<'a, EDGE> {
    /// # Panics
    /// One of the slices is shorter than `length`.
    #[inline(always)]
    pub fn new(slices: [[&'a [f32]; EDGE]; EDGE], length: usize) -> Self {
        let mut starts = [[std::ptr::null(); EDGE]; EDGE];
        for row in 0..EDGE {
            for column in 0..EDGE {
                starts[row][column] = slices[row][column][..length].as_ptr();
            }
        }
        Scattered { starts, length, numbers: PhantomData }
    }

    #[inline(always)]
    pub fn get(&self, row: usize, column: usize) -> &'a [f32] {
        // SAFETY: `new` took this pointer from a slice that is at least this long and lives that
        // long.
        unsafe { std::slice::from_raw_parts(self.starts[row][column], self.length) }
    }
}

/// Contiguous slices of equal length.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    numbers: &'a [f32],
    count: usize,
    length: usize,
}

impl<'a> Rows<'a> {
    /// # Panics
    /// There are too few numbers.
    #[inline(always)]
    pub fn new(numbers: &'a [f32], count: usize, length: usize) -> Self {
        assert!(length.checked_mul(count).is_some_and(|needed| needed <= numbers.len()));
        Rows { numbers, count, length }
    }

    /// # Panics
    /// There are not that many rows.
    #[inline(always)]
    pub fn get(self, row: usize) -> &'a [f32] {
        assert!(row < self.count);
        // SAFETY: `new` has seen that there are numbers for all rows.
        unsafe { self.numbers.get_unchecked(row * self.length..(row + 1) * self.length) }
    }
}

/// Contiguous mutable slices of equal length.
pub(crate) struct RowsMut<'a> {
    numbers: &'a mut [f32],
    count: usize,
    length: usize,
}

impl<'a> RowsMut<'a> {
    /// # Panics
    /// There are too few numbers.
    #[inline(always)]
    pub fn new(numbers: &'a mut [f32], count: usize, length: usize) -> Self {
        assert!(length.checked_mul(count).is_some_and(|needed| needed <= numbers.len()));
        RowsMut { numbers, count, length }
    }

    pub fn all(&self) -> &[f32] {
        self.numbers
    }

    /// # Panics
    /// There are not that many rows.
    #[inline(always)]
    pub fn get(&mut self, row: usize) -> &mut [f32] {
        assert!(row < self.count);
        // SAFETY: `new` has seen that there are numbers for all rows.
        unsafe { self.numbers.get_unchecked_mut(row * self.length..(row + 1) * self.length) }
    }
}
