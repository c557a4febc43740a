//! Exponential and logarithm that are the same on every machine.
//!
//! The standard library leaves both to the platform's C library, whose last bit differs between
//! versions and processors. One bit is enough to break a tie and grow a different tree, so we
//! compute them from IEEE additions, multiplications and divisions only, with the argument
//! reductions and minimax polynomials of FDLIBM's single-precision functions. Both are within about
//! one ulp.

// ln 2 in two parts: the high one has enough trailing zeros for an exact product with an exponent.
const LN_2_HIGH: f32 = 6.931_381e-1;
const LN_2_LOW: f32 = 9.058_001e-6;

/// e to the power `x`, for `x` from −87 to 88; arguments outside are clamped.
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    // x = power · ln 2 + (high − low) with |high − low| at most ln 2 / 2.
    // Adding and subtracting 3 · 2²² rounds to a whole number without a call to the C library.
    const WHOLE: f32 = 12_582_912.0;
    let shifted = x * std::f32::consts::LOG2_E + WHOLE;
    let power = shifted - WHOLE;
    let high = x - power * LN_2_HIGH;
    let low = power * LN_2_LOW;
    let rest = high - low;
    let square = rest * rest;
    let odd = rest - square * (1.666_662_5e-1 - square * 2.766_733_3e-3);
    let fraction = 1.0 + (rest * odd / (2.0 - odd) - low + high);
    // The lowest bits of the sum are the power as an integer: unlike a conversion, this vectorises.
    let exponent = shifted.to_bits().wrapping_sub(WHOLE.to_bits()).wrapping_add(127);
    fraction * f32::from_bits(exponent << 23)
}

/// Natural logarithm of a positive normal number.
pub(crate) fn ln(x: f32) -> f32 {
    // x = 2^power · (1 + f) with 1 + f between √½ and √2.
    const SQRT_HALF: u32 = 0x3f35_04f3;
    let shifted = x.to_bits().wrapping_add(0x3f80_0000 - SQRT_HALF);
    let power = (shifted >> 23) as i32 - 127;
    let f = f32::from_bits((shifted & 0x007f_ffff) + SQRT_HALF) - 1.0;
    // ln(1 + f) = f − f²/2 + s (f²/2 + R(s²)) with s = f / (2 + f).
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (0.400_009_7 + w * 0.242_790_79);
    let odd = z * (0.666_666_6 + w * 0.284_987_87);
    let half_square = 0.5 * f * f;
    let power = power as f32;
    s * (half_square + even + odd) + power * LN_2_LOW - half_square + f + power * LN_2_HIGH
}

#[cfg(test)]
mod tests {
    use super::{exp, ln};

    fn relative_error(found: f32, exact: f64) -> f64 {
        ((f64::from(found) - exact) / exact).abs()
    }

    #[test]
    fn exp_and_ln_agree_with_double_precision() {
        for step in -8_600..8_800 {
            let x = step as f32 * 0.01;
            assert!(relative_error(exp(x), f64::from(x).exp()) < 2e-7, "exp({x})");
        }
        for step in 1..100_000 {
            let x = step as f32 * 1e-4;
            let exact = f64::from(x).ln();
            assert!((f64::from(ln(x)) - exact).abs() <= 2e-7 * exact.abs(), "ln({x})");
        }
        assert_eq!((exp(0.0), ln(1.0)), (1.0, 0.0));
    }

    #[test]
    fn the_ends_of_the_range_stay_finite() {
        assert!(exp(-1e9) > 0.0 && exp(1e9).is_finite());
        assert!(ln(f32::MIN_POSITIVE) > -88.0);
        // The largest number below one that the Gumbel noise can produce.
        assert!(ln(1.0 - f32::EPSILON / 2.0) < 0.0);
    }
}
