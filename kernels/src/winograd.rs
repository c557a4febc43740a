//! The transforms of minimal filtering in one dimension (Lavin and Gray 2016, "Fast Algorithms for
//! Convolutional Neural Networks", section 4; the Toom–Cook algorithm), for polynomials evaluated
//! at as many of the points 0, 1, −1, 2, −2, ½, −½ and infinity as there are products.

use crate::lane::Lane;

/// Filtering with three weights that takes `EDGE` products for `RESULTS` results, where `EDGE` =
/// `RESULTS` + 2.
pub(crate) trait Filter<const RESULTS: usize, const EDGE: usize> {
    /// Transforms the inputs of a tile.
    fn transform_inputs<L: Lane>(x: [L; EDGE]) -> [L; EDGE];

    /// Transforms the products into results.
    fn transform_products<L: Lane>(x: [L; EDGE]) -> [L; RESULTS];

    /// The transpose of [`Filter::transform_products`], which propagates gradients back.
    fn transform_gradients<L: Lane>(x: [L; RESULTS]) -> [L; EDGE];

    /// The matrix of the weight transform.
    const WEIGHTS: [[f64; 3]; EDGE];

    /// Transforms the weights.
    #[inline(always)]
    fn transform_weights<L: Lane>(x: [L; 3]) -> [L; EDGE] {
        let mut sums = [L::splat(0.0); EDGE];
        for index in 0..EDGE {
            for place in 0..3 {
                sums[index] = sums[index].add_scaled(Self::WEIGHTS[index][place] as f32, x[place]);
            }
        }
        sums
    }

    /// The transpose of [`Filter::transform_weights`].
    #[inline(always)]
    fn transform_weights_transposed<L: Lane>(x: [L; EDGE]) -> [L; 3] {
        let mut sums = [L::splat(0.0); 3];
        for index in 0..EDGE {
            for place in 0..3 {
                sums[place] = sums[place].add_scaled(Self::WEIGHTS[index][place] as f32, x[index]);
            }
        }
        sums
    }
}

pub(crate) struct Three;
pub(crate) struct Four;
pub(crate) struct Five;
pub(crate) struct Six;

impl Filter<3, 5> for Three {
    #[inline(always)]
    fn transform_inputs<L: Lane>(x: [L; 5]) -> [L; 5] {
        let odd = x[3] - x[1];
        [
            odd.add_scaled(2.0, x[0] - x[2]),
            odd - x[1] - x[2],
            x[3].add_scaled(-3.0, x[2]).add_scaled(2.0, x[1]),
            odd,
            (x[4] - x[2]).add_scaled(-2.0, odd),
        ]
    }

    #[inline(always)]
    fn transform_products<L: Lane>(x: [L; 5]) -> [L; 3] {
        let even = x[1] + x[2];
        [x[0] + even + x[3], (x[1] - x[2]).add_scaled(2.0, x[3]), even.add_scaled(4.0, x[3]) + x[4]]
    }

    #[inline(always)]
    fn transform_gradients<L: Lane>(x: [L; 3]) -> [L; 5] {
        let even = x[0] + x[2];
        [x[0], even + x[1], even - x[1], x[0].add_scaled(2.0, x[1]).add_scaled(4.0, x[2]), x[2]]
    }

    const WEIGHTS: [[f64; 3]; 5] = [
        [1.0 / 2.0, 0.0, 0.0],
        [-1.0 / 2.0, -1.0 / 2.0, -1.0 / 2.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
        [0.0, 0.0, 1.0],
    ];
}

impl Filter<4, 6> for Four {
    #[inline(always)]
    fn transform_inputs<L: Lane>(x: [L; 6]) -> [L; 6] {
        let (even, odd) = (x[4].add_scaled(-4.0, x[2]), x[3].add_scaled(-4.0, x[1]));
        let (middle, outer) = (x[4] - x[2], x[3] - x[1]);
        [
            x[4].add_scaled(-5.0, x[2]).add_scaled(4.0, x[0]),
            even + odd,
            even - odd,
            middle.add_scaled(2.0, outer),
            middle.add_scaled(-2.0, outer),
            x[5].add_scaled(-5.0, x[3]).add_scaled(4.0, x[1]),
        ]
    }

    #[inline(always)]
    fn transform_products<L: Lane>(x: [L; 6]) -> [L; 4] {
        let (even, odd) = (x[1] + x[2], x[1] - x[2]);
        let (far_even, far_odd) = (x[3] + x[4], x[3] - x[4]);
        [
            x[0] + even + far_even,
            odd.add_scaled(2.0, far_odd),
            even.add_scaled(4.0, far_even),
            odd.add_scaled(8.0, far_odd) + x[5],
        ]
    }

    #[inline(always)]
    fn transform_gradients<L: Lane>(x: [L; 4]) -> [L; 6] {
        let (even, odd) = (x[0] + x[2], x[1] + x[3]);
        let (far_even, far_odd) = (x[0].add_scaled(4.0, x[2]), x[1].add_scaled(4.0, x[3]));
        let (far, far_below) =
            (far_even.add_scaled(2.0, far_odd), far_even.add_scaled(-2.0, far_odd));
        [x[0], even + odd, even - odd, far, far_below, x[3]]
    }

    const WEIGHTS: [[f64; 3]; 6] = [
        [1.0 / 4.0, 0.0, 0.0],
        [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
        [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
        [0.0, 0.0, 1.0],
    ];
}

/// One more point, ½: all sums except its own are those of [`Four`] for inputs from which it has
/// been factored out.
impl Filter<5, 7> for Five {
    #[inline(always)]
    fn transform_inputs<L: Lane>(x: [L; 7]) -> [L; 7] {
        let mut rest = [x[0]; 6];
        for index in 0..6 {
            rest[index] = x[index + 1].add_scaled(-0.5, x[index]);
        }
        let [a, b, c, d, e, last] = Four::transform_inputs(rest);
        [a, b, c, d, e, x[5].add_scaled(-5.0, x[3]).add_scaled(4.0, x[1]), last]
    }

    #[inline(always)]
    fn transform_products<L: Lane>(x: [L; 7]) -> [L; 5] {
        let (even, odd) = (x[1] + x[2], x[1] - x[2]);
        let (far_even, far_odd) = (x[3] + x[4], x[3] - x[4]);
        [
            x[0] + even + far_even + x[5],
            odd.add_scaled(2.0, far_odd).add_scaled(0.5, x[5]),
            even.add_scaled(4.0, far_even).add_scaled(0.25, x[5]),
            odd.add_scaled(8.0, far_odd).add_scaled(0.125, x[5]),
            even.add_scaled(16.0, far_even).add_scaled(0.0625, x[5]) + x[6],
        ]
    }

    #[inline(always)]
    fn transform_gradients<L: Lane>(x: [L; 5]) -> [L; 7] {
        let (even, odd) = (x[0] + x[2] + x[4], x[1] + x[3]);
        let far_even = x[0].add_scaled(4.0, x[2]).add_scaled(16.0, x[4]);
        let far_odd = x[1].add_scaled(4.0, x[3]);
        let (far, far_below) =
            (far_even.add_scaled(2.0, far_odd), far_even.add_scaled(-2.0, far_odd));
        let near = x[0]
            .add_scaled(0.5, x[1])
            .add_scaled(0.25, x[2])
            .add_scaled(0.125, x[3])
            .add_scaled(0.0625, x[4]);
        [x[0], even + odd, even - odd, far, far_below, near, x[4]]
    }

    const WEIGHTS: [[f64; 3]; 7] = [
        [-1.0 / 2.0, 0.0, 0.0],
        [-1.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0],
        [1.0 / 9.0, -1.0 / 9.0, 1.0 / 9.0],
        [1.0 / 36.0, 1.0 / 18.0, 1.0 / 9.0],
        [-1.0 / 60.0, 1.0 / 30.0, -1.0 / 15.0],
        [32.0 / 45.0, 16.0 / 45.0, 8.0 / 45.0],
        [0.0, 0.0, 1.0],
    ];
}

/// Two more points, ½ and −½, in the same way.
impl Filter<6, 8> for Six {
    #[inline(always)]
    fn transform_inputs<L: Lane>(x: [L; 8]) -> [L; 8] {
        let mut rest = [x[0]; 6];
        for index in 0..6 {
            rest[index] = x[index + 2].add_scaled(-0.25, x[index]);
        }
        let [a, b, c, d, e, last] = Four::transform_inputs(rest);
        let even = x[6].add_scaled(-5.0, x[4]).add_scaled(4.0, x[2]);
        let odd = x[5].add_scaled(-5.0, x[3]).add_scaled(4.0, x[1]);
        [a, b, c, d, e, even.add_scaled(0.5, odd), even.add_scaled(-0.5, odd), last]
    }

    #[inline(always)]
    fn transform_products<L: Lane>(x: [L; 8]) -> [L; 6] {
        let (even, odd) = (x[1] + x[2], x[1] - x[2]);
        let (far_even, far_odd) = (x[3] + x[4], x[3] - x[4]);
        let (near_even, near_odd) = (x[5] + x[6], x[5] - x[6]);
        [
            x[0] + even + far_even + near_even,
            odd.add_scaled(2.0, far_odd).add_scaled(0.5, near_odd),
            even.add_scaled(4.0, far_even).add_scaled(0.25, near_even),
            odd.add_scaled(8.0, far_odd).add_scaled(0.125, near_odd),
            even.add_scaled(16.0, far_even).add_scaled(0.0625, near_even),
            odd.add_scaled(32.0, far_odd).add_scaled(0.03125, near_odd) + x[7],
        ]
    }

    #[inline(always)]
    fn transform_gradients<L: Lane>(x: [L; 6]) -> [L; 8] {
        let (even, odd) = (x[0] + x[2] + x[4], x[1] + x[3] + x[5]);
        let far_even = x[0].add_scaled(4.0, x[2]).add_scaled(16.0, x[4]);
        let far_odd = x[1].add_scaled(4.0, x[3]).add_scaled(16.0, x[5]);
        let near_even = x[0].add_scaled(0.25, x[2]).add_scaled(0.0625, x[4]);
        let near_odd = x[1].add_scaled(0.25, x[3]).add_scaled(0.0625, x[5]);
        [
            x[0],
            even + odd,
            even - odd,
            far_even.add_scaled(2.0, far_odd),
            far_even.add_scaled(-2.0, far_odd),
            near_even.add_scaled(0.5, near_odd),
            near_even.add_scaled(-0.5, near_odd),
            x[5],
        ]
    }

    const WEIGHTS: [[f64; 3]; 8] = [
        [-1.0, 0.0, 0.0],
        [-2.0 / 9.0, -2.0 / 9.0, -2.0 / 9.0],
        [-2.0 / 9.0, 2.0 / 9.0, -2.0 / 9.0],
        [1.0 / 90.0, 1.0 / 45.0, 2.0 / 45.0],
        [1.0 / 90.0, -1.0 / 45.0, 2.0 / 45.0],
        [32.0 / 45.0, 16.0 / 45.0, 8.0 / 45.0],
        [32.0 / 45.0, -16.0 / 45.0, 8.0 / 45.0],
        [0.0, 0.0, 1.0],
    ];
}
