//! Random choice by weights.

/// An index drawn with probability proportional to its weight. The `weights` must not be negative;
/// `chance`, from 0 to 1, selects the index. `None` if no weight is positive.
pub fn draw(weights: &[f32], chance: f32) -> Option<usize> {
    let mut left = chance * weights.iter().sum::<f32>();
    let drawn = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    // Rounding may leave a remainder after the last weight: then return the last index with a
    // positive weight.
    drawn.or_else(|| weights.iter().rposition(|&weight| weight > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_weight_is_never_drawn() {
        for chance in [0.0, 0.3, 0.999_999, 1.0] {
            let drawn = draw(&[0.0, 1.0, 0.0, 0.5, 0.0], chance);
            assert_eq!(drawn, Some(if chance < 0.6 { 1 } else { 3 }), "{chance}");
        }
        assert_eq!((draw(&[0.0; 3], 0.5), draw(&[], 0.5)), (None, None));
    }
}
