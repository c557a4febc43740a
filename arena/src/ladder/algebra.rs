//! Just enough linear algebra for a few dozen players.

/// The inverse of a symmetric positive definite matrix, by Gauss–Jordan elimination; if the matrix
/// is not definite, its diagonal is adjusted slightly.
pub(super) fn inverse(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = matrix.len();
    let mut left: Vec<Vec<f64>> = matrix.to_vec();
    let unit = |row: usize| (0..n).map(|column| f64::from(u8::from(row == column))).collect();
    let mut right: Vec<Vec<f64>> = (0..n).map(unit).collect();
    for pivot in 0..n {
        let scale = left[pivot][pivot].max(1e-12);
        for column in 0..n {
            left[pivot][column] /= scale;
            right[pivot][column] /= scale;
        }
        left[pivot][pivot] = 1.0;
        for row in (0..n).filter(|&row| row != pivot) {
            let factor = left[row][pivot];
            for column in 0..n {
                left[row][column] -= factor * left[pivot][column];
                right[row][column] -= factor * right[pivot][column];
            }
        }
    }
    right
}

pub(super) fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix = vec![vec![4.0, 1.0, 0.5], vec![1.0, 3.0, -1.0], vec![0.5, -1.0, 2.0]];
        let inverse = inverse(&matrix);
        for (index, row) in matrix.iter().enumerate() {
            let product = times(&inverse, row);
            for (other, value) in product.iter().enumerate() {
                assert!((value - f64::from(u8::from(index == other))).abs() < 1e-12);
            }
        }
    }
}
