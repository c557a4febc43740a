// 3×3 convolutions in f32 by minimal filtering (Lavin and Gray 2016, "Fast Algorithms for Convolutional
// Neural Networks", section 4; Toom and Cook's algorithm in two dimensions). A board is cut into
// tiles of 3×3 or 4×4 results, boards of 5×5 and 6×6 are one tile; these take 25, 36, 49 or 64 products
// instead of 81, 144, 225 or 324, at the cost of sums before and after them. Boards have the channels
// innermost: [batch, size, size, channels].
#pragma once
#include "operators.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#define UNROLL _Pragma("GCC unroll 8")

namespace {

#if defined(__x86_64__)
#define WITH_AVX2 __attribute__((target("avx2,fma")))
#define WITH_AVX512 __attribute__((target("avx512f,avx2,fma")))
#else
#define WITH_AVX2
#define WITH_AVX512
#endif

// Which of three functions, compiled for any processor, WITH_AVX2 and WITH_AVX512, this one runs fastest.
template <typename Function> Function fastest(Function anywhere, Function avx2, Function avx512) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2;
#endif
  return anywhere;
}

// As many numbers as fit into a register of some processor. A `Lane` below is one of these or a
// plain float, for the channels that are left over.
typedef float Four __attribute__((vector_size(16)));
typedef float Eight __attribute__((vector_size(32)));
typedef float Sixteen __attribute__((vector_size(64)));

template <typename Lane> constexpr int64_t WIDTH = sizeof(Lane) / sizeof(float);

template <typename Lane> INLINE Lane load(const float *from) {
  Lane lane;
  std::memcpy(&lane, from, sizeof lane);
  return lane;
}

template <typename Lane> INLINE void store(float *to, Lane lane) {
  std::memcpy(to, &lane, sizeof lane);
}

// The transforms in one dimension: of a tile's inputs, of a kernel's weights, and of the products; and the
// transpose of the last, which takes gradients back. Made for polynomials evaluated at 0, 1, −1, 2, (−2)
// and infinity.
template <int RESULTS> struct Transforms;

template <> struct Transforms<3> {
  template <typename Lane> static INLINE void input_transform(const Lane *x, Lane *sums) {
    const Lane odd = x[3] - x[1];
    sums[0] = odd + 2.0f * (x[0] - x[2]);
    sums[1] = odd - x[1] - x[2];
    sums[2] = x[3] - 3.0f * x[2] + 2.0f * x[1];
    sums[3] = odd;
    sums[4] = x[4] - x[2] - 2.0f * odd;
  }
  template <typename Lane> static INLINE void output_transform(const Lane *x, Lane *sums) {
    const Lane even = x[1] + x[2];
    sums[0] = x[0] + even + x[3];
    sums[1] = x[1] - x[2] + 2.0f * x[3];
    sums[2] = even + 4.0f * x[3] + x[4];
  }
  template <typename Lane> static INLINE void gradient_transform(const Lane *x, Lane *sums) {
    const Lane even = x[0] + x[2];
    sums[0] = x[0];
    sums[1] = even + x[1];
    sums[2] = even - x[1];
    sums[3] = x[0] + 2.0f * x[1] + 4.0f * x[2];
    sums[4] = x[2];
  }
  static constexpr double WEIGHTS[5][3] = {{1.0 / 2, 0.0, 0.0},
                                           {-1.0 / 2, -1.0 / 2, -1.0 / 2},
                                           {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                           {1.0 / 6, 1.0 / 3, 2.0 / 3},
                                           {0.0, 0.0, 1.0}};
};

template <> struct Transforms<4> {
  template <typename Lane> static INLINE void input_transform(const Lane *x, Lane *sums) {
    const Lane even = x[4] - 4.0f * x[2], odd = x[3] - 4.0f * x[1];
    const Lane middle = x[4] - x[2], outer = 2.0f * (x[3] - x[1]);
    sums[0] = 4.0f * x[0] - 5.0f * x[2] + x[4];
    sums[1] = even + odd;
    sums[2] = even - odd;
    sums[3] = middle + outer;
    sums[4] = middle - outer;
    sums[5] = 4.0f * x[1] - 5.0f * x[3] + x[5];
  }
  template <typename Lane> static INLINE void output_transform(const Lane *x, Lane *sums) {
    const Lane even = x[1] + x[2], odd = x[1] - x[2];
    const Lane far_even = x[3] + x[4], far_odd = x[3] - x[4];
    sums[0] = x[0] + even + far_even;
    sums[1] = odd + 2.0f * far_odd;
    sums[2] = even + 4.0f * far_even;
    sums[3] = odd + 8.0f * far_odd + x[5];
  }
  template <typename Lane> static INLINE void gradient_transform(const Lane *x, Lane *sums) {
    const Lane even = x[0] + x[2], odd = x[1] + x[3];
    const Lane far_even = x[0] + 4.0f * x[2], far_odd = 2.0f * x[1] + 8.0f * x[3];
    sums[0] = x[0];
    sums[1] = even + odd;
    sums[2] = even - odd;
    sums[3] = far_even + far_odd;
    sums[4] = far_even - far_odd;
    sums[5] = x[3];
  }
  static constexpr double WEIGHTS[6][3] = {{1.0 / 4, 0.0, 0.0},
                                           {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                           {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                           {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                           {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                           {0.0, 0.0, 1.0}};
};

// With one point more, half: all but its own sum are those of `Transforms<4>` of inputs that it has been taken out of.
template <> struct Transforms<5> {
  template <typename Lane> static INLINE void input_transform(const Lane *x, Lane *sums) {
    Lane rest[6];
    UNROLL for (int index = 0; index < 6; index++) rest[index] = x[index + 1] - 0.5f * x[index];
    Transforms<4>::input_transform(rest, sums);
    sums[6] = sums[5];
    sums[5] = 4.0f * x[1] - 5.0f * x[3] + x[5];
  }
  template <typename Lane> static INLINE void output_transform(const Lane *x, Lane *sums) {
    const Lane even = x[1] + x[2], odd = x[1] - x[2];
    const Lane far_even = x[3] + x[4], far_odd = x[3] - x[4];
    sums[0] = x[0] + even + far_even + x[5];
    sums[1] = odd + 2.0f * far_odd + 0.5f * x[5];
    sums[2] = even + 4.0f * far_even + 0.25f * x[5];
    sums[3] = odd + 8.0f * far_odd + 0.125f * x[5];
    sums[4] = even + 16.0f * far_even + 0.0625f * x[5] + x[6];
  }
  template <typename Lane> static INLINE void gradient_transform(const Lane *x, Lane *sums) {
    const Lane even = x[0] + x[2] + x[4], odd = x[1] + x[3];
    const Lane far_even = x[0] + 4.0f * x[2] + 16.0f * x[4], far_odd = 2.0f * x[1] + 8.0f * x[3];
    sums[0] = x[0];
    sums[1] = even + odd;
    sums[2] = even - odd;
    sums[3] = far_even + far_odd;
    sums[4] = far_even - far_odd;
    sums[5] = x[0] + 0.5f * x[1] + 0.25f * x[2] + 0.125f * x[3] + 0.0625f * x[4];
    sums[6] = x[4];
  }
  static constexpr double WEIGHTS[7][3] = {{-1.0 / 2, 0.0, 0.0},
                                           {-1.0 / 3, -1.0 / 3, -1.0 / 3},
                                           {1.0 / 9, -1.0 / 9, 1.0 / 9},
                                           {1.0 / 36, 1.0 / 18, 1.0 / 9},
                                           {-1.0 / 60, 1.0 / 30, -1.0 / 15},
                                           {32.0 / 45, 16.0 / 45, 8.0 / 45},
                                           {0.0, 0.0, 1.0}};
};

// With half and minus half, in the same way.
template <> struct Transforms<6> {
  template <typename Lane> static INLINE void input_transform(const Lane *x, Lane *sums) {
    Lane rest[6];
    UNROLL for (int index = 0; index < 6; index++) rest[index] = x[index + 2] - 0.25f * x[index];
    Transforms<4>::input_transform(rest, sums);
    const Lane even = 4.0f * x[2] - 5.0f * x[4] + x[6], odd = 2.0f * x[1] - 2.5f * x[3] + 0.5f * x[5];
    sums[7] = sums[5];
    sums[5] = even + odd;
    sums[6] = even - odd;
  }
  template <typename Lane> static INLINE void output_transform(const Lane *x, Lane *sums) {
    const Lane even = x[1] + x[2], odd = x[1] - x[2];
    const Lane far_even = x[3] + x[4], far_odd = x[3] - x[4];
    const Lane near_even = x[5] + x[6], near_odd = x[5] - x[6];
    sums[0] = x[0] + even + far_even + near_even;
    sums[1] = odd + 2.0f * far_odd + 0.5f * near_odd;
    sums[2] = even + 4.0f * far_even + 0.25f * near_even;
    sums[3] = odd + 8.0f * far_odd + 0.125f * near_odd;
    sums[4] = even + 16.0f * far_even + 0.0625f * near_even;
    sums[5] = odd + 32.0f * far_odd + 0.03125f * near_odd + x[7];
  }
  template <typename Lane> static INLINE void gradient_transform(const Lane *x, Lane *sums) {
    const Lane even = x[0] + x[2] + x[4], odd = x[1] + x[3] + x[5];
    const Lane far_even = x[0] + 4.0f * x[2] + 16.0f * x[4];
    const Lane far_odd = 2.0f * x[1] + 8.0f * x[3] + 32.0f * x[5];
    const Lane near_even = x[0] + 0.25f * x[2] + 0.0625f * x[4];
    const Lane near_odd = 0.5f * x[1] + 0.125f * x[3] + 0.03125f * x[5];
    sums[0] = x[0];
    sums[1] = even + odd;
    sums[2] = even - odd;
    sums[3] = far_even + far_odd;
    sums[4] = far_even - far_odd;
    sums[5] = near_even + near_odd;
    sums[6] = near_even - near_odd;
    sums[7] = x[5];
  }
  static constexpr double WEIGHTS[8][3] = {{-1.0, 0.0, 0.0},
                                           {-2.0 / 9, -2.0 / 9, -2.0 / 9},
                                           {-2.0 / 9, 2.0 / 9, -2.0 / 9},
                                           {1.0 / 90, 1.0 / 45, 2.0 / 45},
                                           {1.0 / 90, -1.0 / 45, 2.0 / 45},
                                           {32.0 / 45, 16.0 / 45, 8.0 / 45},
                                           {32.0 / 45, -16.0 / 45, 8.0 / 45},
                                           {0.0, 0.0, 1.0}};
};

// Calls with the edge of a tile's results as a constant, a type's value.
template <typename Call> INLINE void with_results(int64_t results, const Call &call) {
  switch (results) {
  case 3: return call(std::integral_constant<int, 3>());
  case 4: return call(std::integral_constant<int, 4>());
  case 5: return call(std::integral_constant<int, 5>());
  case 6: return call(std::integral_constant<int, 6>());
  default: TORCH_CHECK(false, "no tiles of ", results, " results");
  }
}

// A batch of boards, [batch, size, size, channels].
struct Boards {
  int64_t size, channels;
  const float *values;
};

// Where a tile of a batch lies.
struct Tile {
  int64_t board, row, column;

  INLINE Tile(int64_t size, int64_t results, int64_t index) {
    const int64_t side = (size + results - 1) / results;
    board = index / (side * side);
    row = index / side % side * results;
    column = index % side * results;
  }
};

// Tiles are taken so many at a time, so that what is between the three steps stays in the cache: a
// multiple of the rows that are multiplied at once.
constexpr int64_t GROUP = 24;

// Between two products a little more than a group's numbers, so that not all of them fall on the same
// few lines of a cache.
INLINE int64_t stride(int64_t channels) { return GROUP * channels + 16; }

// Calls with a lane's type and its first channel until all channels are done, the last ones in narrower lanes.
template <typename Lane, typename Call> INLINE void for_lanes(int64_t channels, const Call &call) {
  int64_t channel = 0;
  for (; channel + WIDTH<Lane> <= channels; channel += WIDTH<Lane>) call(Lane{}, channel);
  for (; channel + WIDTH<Four> <= channels; channel += WIDTH<Four>) call(Four{}, channel);
  for (; channel < channels; channel++) call(0.0f, channel);
}

template <int RESULTS, typename Lane>
INLINE void transform_inputs(const float *const *points, int64_t channel, int64_t channels,
                             float *group) {
  constexpr int EDGE = RESULTS + 2;
  Lane half[EDGE * EDGE], line[EDGE], sums[EDGE];
  UNROLL for (int column = 0; column < EDGE; column++) {
    UNROLL for (int row = 0; row < EDGE; row++)
      line[row] = load<Lane>(points[row * EDGE + column] + channel);
    Transforms<RESULTS>::input_transform(line, sums);
    UNROLL for (int row = 0; row < EDGE; row++) half[row * EDGE + column] = sums[row];
  }
  UNROLL for (int row = 0; row < EDGE; row++) {
    Transforms<RESULTS>::input_transform(half + row * EDGE, sums);
    UNROLL for (int column = 0; column < EDGE; column++)
      store(group + (row * EDGE + column) * stride(channels) + channel, sums[column]);
  }
}

// All channels of a tile's inputs into a group; `zeros` stand for what is off the board.
template <int RESULTS, typename Lane>
INLINE void read_tile(const Boards &it, const Tile &tile, const float *zeros, float *group) {
  constexpr int EDGE = RESULTS + 2;
  const float *points[EDGE * EDGE];
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++) {
      const int64_t row = tile.row + i - 1, column = tile.column + j - 1;
      const bool on_board = row >= 0 && row < it.size && column >= 0 && column < it.size;
      const int64_t point = (tile.board * it.size + row) * it.size + column;
      points[i * EDGE + j] = on_board ? it.values + point * it.channels : zeros;
    }
  for_lanes<Lane>(it.channels, [&](auto lane, int64_t channel) __attribute__((always_inline)) {
    transform_inputs<RESULTS, decltype(lane)>(points, channel, it.channels, group);
  });
}

} // namespace

namespace hotstone {

// The edge of the tiles that a board of this size is cut into.
int64_t results_of_tile(int64_t size);

// The products of a tile, (results + 2)².
int64_t products_of_tile(int64_t size);

// A kernel's weights [outputs, inputs, 3, 3] for boards of a size: [products of a tile, inputs, outputs].
at::Tensor transformed(const at::Tensor &weights, int64_t size);

// The transpose of `transformed`: what it makes of weights, as a gradient, back to weights.
at::Tensor transformed_back(const at::Tensor &gradients, int64_t size);

// relu(x · weights + bias + added); `added` and the ReLU may be left out. [batch, inputs, size, size] to
// [batch, outputs, size, size], channels innermost; weights as `transformed` makes them.
at::Tensor convolve(const at::Tensor &x, const at::Tensor &weights, const at::Tensor &bias,
                    const std::optional<at::Tensor> &added, bool relu);

} // namespace hotstone
