// 3×3 convolutions in f32 by minimal filtering (Lavin and Gray 2016, "Fast Algorithms for Convolutional
// Neural Networks", section 4; Toom and Cook's algorithm in two dimensions). A board is cut into
// tiles of 3×3 or 4×4 results; each takes 25 or 36 products instead of 81 or 144, at the cost of
// sums before and after them. Boards have the channels innermost: [batch, size, size, channels].
#include "operators.h"

#include <algorithm>
#include <cstring>
#include <vector>

#define UNROLL _Pragma("GCC unroll 8")

namespace {

using hotstone::guarded, hotstone::numbers, hotstone::operation;

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

// The sums in one dimension: of a tile's inputs, of a kernel's weights, and of the products. Made for
// polynomials evaluated at 0, 1, −1, 2, (−2) and infinity.
template <int RESULTS> struct Sums;

template <> struct Sums<3> {
  template <typename Lane> static INLINE void inputs(const Lane *x, Lane *sums) {
    const Lane odd = x[3] - x[1];
    sums[0] = odd + 2.0f * (x[0] - x[2]);
    sums[1] = odd - x[1] - x[2];
    sums[2] = x[3] - 3.0f * x[2] + 2.0f * x[1];
    sums[3] = odd;
    sums[4] = x[4] - x[2] - 2.0f * odd;
  }
  template <typename Lane> static INLINE void results(const Lane *x, Lane *sums) {
    const Lane even = x[1] + x[2];
    sums[0] = x[0] + even + x[3];
    sums[1] = x[1] - x[2] + 2.0f * x[3];
    sums[2] = even + 4.0f * x[3] + x[4];
  }
  static constexpr double WEIGHTS[5][3] = {{1.0 / 2, 0.0, 0.0},
                                           {-1.0 / 2, -1.0 / 2, -1.0 / 2},
                                           {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                           {1.0 / 6, 1.0 / 3, 2.0 / 3},
                                           {0.0, 0.0, 1.0}};
};

template <> struct Sums<4> {
  template <typename Lane> static INLINE void inputs(const Lane *x, Lane *sums) {
    const Lane even = x[4] - 4.0f * x[2], odd = x[3] - 4.0f * x[1];
    const Lane middle = x[4] - x[2], outer = 2.0f * (x[3] - x[1]);
    sums[0] = 4.0f * x[0] - 5.0f * x[2] + x[4];
    sums[1] = even + odd;
    sums[2] = even - odd;
    sums[3] = middle + outer;
    sums[4] = middle - outer;
    sums[5] = 4.0f * x[1] - 5.0f * x[3] + x[5];
  }
  template <typename Lane> static INLINE void results(const Lane *x, Lane *sums) {
    const Lane even = x[1] + x[2], odd = x[1] - x[2];
    const Lane far_even = x[3] + x[4], far_odd = x[3] - x[4];
    sums[0] = x[0] + even + far_even;
    sums[1] = odd + 2.0f * far_odd;
    sums[2] = even + 4.0f * far_even;
    sums[3] = odd + 8.0f * far_odd + x[5];
  }
  static constexpr double WEIGHTS[6][3] = {{1.0 / 4, 0.0, 0.0},
                                           {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                           {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                           {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                           {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                           {0.0, 0.0, 1.0}};
};

// relu(x · weights + bias + added); `added` and the ReLU may be left out. The weights are those that
// `transformed` makes, [products of a tile, inputs, outputs].
struct Convolution {
  int64_t batch, size, inputs, outputs;
  const float *x, *weights, *bias, *added;
  bool relu;
  float *result;
};

// Where a tile of a batch lies.
struct Tile {
  int64_t board, row, column;

  INLINE Tile(const Convolution &it, int64_t results, int64_t index) {
    const int64_t side = (it.size + results - 1) / results;
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

template <int RESULTS, typename Lane>
INLINE void transform_inputs(const float *const *points, int64_t channel, int64_t inputs,
                             float *group) {
  constexpr int EDGE = RESULTS + 2;
  Lane half[EDGE * EDGE], line[EDGE], sums[EDGE];
  UNROLL for (int column = 0; column < EDGE; column++) {
    UNROLL for (int row = 0; row < EDGE; row++)
      line[row] = load<Lane>(points[row * EDGE + column] + channel);
    Sums<RESULTS>::inputs(line, sums);
    UNROLL for (int row = 0; row < EDGE; row++) half[row * EDGE + column] = sums[row];
  }
  UNROLL for (int row = 0; row < EDGE; row++) {
    Sums<RESULTS>::inputs(half + row * EDGE, sums);
    UNROLL for (int column = 0; column < EDGE; column++)
      store(group + (row * EDGE + column) * stride(inputs) + channel, sums[column]);
  }
}

// `zeros` stand for what is off the board.
template <int RESULTS, typename Lane>
INLINE void read_tile(const Convolution &it, const Tile &tile, const float *zeros, float *group) {
  constexpr int EDGE = RESULTS + 2;
  const float *points[EDGE * EDGE];
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++) {
      const int64_t row = tile.row + i - 1, column = tile.column + j - 1;
      const bool on_board = row >= 0 && row < it.size && column >= 0 && column < it.size;
      const int64_t point = (tile.board * it.size + row) * it.size + column;
      points[i * EDGE + j] = on_board ? it.x + point * it.inputs : zeros;
    }
  int64_t channel = 0;
  for (; channel + WIDTH<Lane> <= it.inputs; channel += WIDTH<Lane>)
    transform_inputs<RESULTS, Lane>(points, channel, it.inputs, group);
  for (; channel + WIDTH<Four> <= it.inputs; channel += WIDTH<Four>)
    transform_inputs<RESULTS, Four>(points, channel, it.inputs, group);
  for (; channel < it.inputs; channel++)
    transform_inputs<RESULTS, float>(points, channel, it.inputs, group);
}

// A block of a matrix product, small enough for its sums to stay in registers.
template <typename Lane, int ROWS, int LANES>
INLINE void multiply_block(const float *__restrict rows, int64_t inputs,
                           const float *__restrict weights, int64_t outputs,
                           float *__restrict result) {
  Lane sums[ROWS][LANES] = {};
  for (int64_t input = 0; input < inputs; input++) {
    Lane factors[LANES];
    UNROLL for (int lane = 0; lane < LANES; lane++)
      factors[lane] = load<Lane>(weights + input * outputs + lane * WIDTH<Lane>);
    _Pragma("GCC unroll 16") for (int row = 0; row < ROWS; row++)
      UNROLL for (int lane = 0; lane < LANES; lane++)
        sums[row][lane] += rows[row * inputs + input] * factors[lane];
  }
  _Pragma("GCC unroll 16") for (int row = 0; row < ROWS; row++)
    UNROLL for (int lane = 0; lane < LANES; lane++)
      store(result + row * outputs + lane * WIDTH<Lane>, sums[row][lane]);
}

// From the given output on, as many as are left in full blocks; returns the first that is not done.
template <typename Lane, int ROWS, int LANES>
INLINE int64_t multiply(const float *group, int64_t count, int64_t inputs, const float *weights,
                        int64_t outputs, float *products, int64_t output) {
  for (; output + LANES * WIDTH<Lane> <= outputs; output += LANES * WIDTH<Lane>)
    for (int64_t row = 0; row < count; row += ROWS)
      multiply_block<Lane, ROWS, LANES>(group + row * inputs, inputs, weights + output, outputs,
                                        products + row * outputs + output);
  return output;
}

template <int RESULTS, typename Lane>
INLINE void transform_results(const Convolution &it, const Tile &tile, const float *products,
                              int64_t channel) {
  constexpr int EDGE = RESULTS + 2;
  Lane half[RESULTS * EDGE], line[EDGE], sums[RESULTS];
  UNROLL for (int column = 0; column < EDGE; column++) {
    UNROLL for (int row = 0; row < EDGE; row++)
      line[row] = load<Lane>(products + (row * EDGE + column) * stride(it.outputs) + channel);
    Sums<RESULTS>::results(line, sums);
    UNROLL for (int row = 0; row < RESULTS; row++) half[row * EDGE + column] = sums[row];
  }
  const Lane bias = load<Lane>(it.bias + channel), zero = {};
  UNROLL for (int row = 0; row < RESULTS; row++) {
    if (tile.row + row >= it.size) break;
    Sums<RESULTS>::results(half + row * EDGE, sums);
    UNROLL for (int column = 0; column < RESULTS; column++) {
      if (tile.column + column >= it.size) break;
      const int64_t point = (tile.board * it.size + tile.row + row) * it.size + tile.column + column;
      Lane sum = sums[column] + bias;
      if (it.added) sum += load<Lane>(it.added + point * it.outputs + channel);
      // Keeps what is not a number, so that a broken network is seen to be one.
      if (it.relu) sum = sum < zero ? zero : sum;
      store(it.result + point * it.outputs + channel, sum);
    }
  }
}

template <int RESULTS, typename Lane>
INLINE void write_tile(const Convolution &it, const Tile &tile, const float *products) {
  int64_t channel = 0;
  for (; channel + WIDTH<Lane> <= it.outputs; channel += WIDTH<Lane>)
    transform_results<RESULTS, Lane>(it, tile, products, channel);
  for (; channel + WIDTH<Four> <= it.outputs; channel += WIDTH<Four>)
    transform_results<RESULTS, Four>(it, tile, products, channel);
  for (; channel < it.outputs; channel++)
    transform_results<RESULTS, float>(it, tile, products, channel);
}

template <int RESULTS, typename Lane, int ROWS> INLINE void convolve_tiles(const Convolution &it) {
  static_assert(GROUP % ROWS == 0, "a group is multiplied in whole blocks");
  constexpr int64_t PRODUCTS = (RESULTS + 2) * (RESULTS + 2);
  const int64_t side = (it.size + RESULTS - 1) / RESULTS, tiles = it.batch * side * side;
  static thread_local std::vector<float> group, products;
  group.resize(std::max<size_t>(group.size(), PRODUCTS * stride(it.inputs)));
  products.resize(std::max<size_t>(products.size(), PRODUCTS * stride(it.outputs)));
  const std::vector<float> zeros(it.inputs, 0.0f);

  for (int64_t first = 0; first < tiles; first += GROUP) {
    const int64_t count = std::min(GROUP, tiles - first);
    for (int64_t tile = 0; tile < count; tile++)
      read_tile<RESULTS, Lane>(it, Tile(it, RESULTS, first + tile), zeros.data(),
                               group.data() + tile * it.inputs);
    for (int64_t product = 0; product < PRODUCTS; product++) {
      const float *rows = group.data() + product * stride(it.inputs);
      const float *weights = it.weights + product * it.inputs * it.outputs;
      float *result = products.data() + product * stride(it.outputs);
      int64_t done = multiply<Lane, ROWS, 2>(rows, count, it.inputs, weights, it.outputs, result, 0);
      done = multiply<Lane, ROWS, 1>(rows, count, it.inputs, weights, it.outputs, result, done);
      done = multiply<Four, ROWS, 1>(rows, count, it.inputs, weights, it.outputs, result, done);
      multiply<float, ROWS, 1>(rows, count, it.inputs, weights, it.outputs, result, done);
    }
    for (int64_t tile = 0; tile < count; tile++)
      write_tile<RESULTS, Lane>(it, Tile(it, RESULTS, first + tile),
                                products.data() + tile * it.outputs);
  }
}

template <typename Lane, int ROWS> INLINE void convolve_boards(int64_t results, const Convolution &it) {
  if (results == 3)
    convolve_tiles<3, Lane, ROWS>(it);
  else
    convolve_tiles<4, Lane, ROWS>(it);
}

// Rows and lanes are as many as the processor's registers hold.
void convolve_anywhere(int64_t results, const Convolution &it) {
  convolve_boards<Four, 4>(results, it);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void convolve_avx2(int64_t results, const Convolution &it) {
  convolve_boards<Eight, 6>(results, it);
}

__attribute__((target("avx512f,avx2,fma"))) void convolve_avx512(int64_t results,
                                                                 const Convolution &it) {
  convolve_boards<Sixteen, 12>(results, it);
}

auto fastest() {
  if (__builtin_cpu_supports("avx512f")) return convolve_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return convolve_avx2;
  return convolve_anywhere;
}
#else
auto fastest() { return convolve_anywhere; }
#endif

// Tiles of as many results as need fewer products on a board of this size.
int64_t results_of_tile(int64_t size) {
  const auto products = [=](int64_t results) {
    const int64_t side = (size + results - 1) / results, edge = results + 2;
    return side * side * edge * edge;
  };
  return products(3) <= products(4) ? 3 : 4;
}

// [batch, inputs, size, size] to [batch, outputs, size, size], channels innermost.
at::Tensor convolve(const at::Tensor &boards, const at::Tensor &weights, const at::Tensor &bias,
                    const std::optional<at::Tensor> &added, bool relu) {
  const at::Tensor x = boards.contiguous(at::MemoryFormat::ChannelsLast);
  TORCH_CHECK(x.scalar_type() == at::kFloat, "activations are f32");
  const int64_t batch = x.size(0), inputs = x.size(1), size = x.size(2), outputs = bias.numel();
  const int64_t results = results_of_tile(size), products = (results + 2) * (results + 2);
  at::Tensor result = at::empty({batch, outputs, size, size}, x.options(),
                                at::MemoryFormat::ChannelsLast);
  at::Tensor other;
  if (added) {
    TORCH_CHECK(added->sizes() == result.sizes() && added->scalar_type() == at::kFloat,
                "what is added has the shape of the result, f32");
    other = added->contiguous(at::MemoryFormat::ChannelsLast);
  }
  static const auto convolve_here = fastest();
  convolve_here(results, Convolution{batch, size, inputs, outputs, x.const_data_ptr<float>(),
                                     numbers(weights, {products, inputs, outputs}),
                                     numbers(bias, {outputs}),
                                     added ? other.const_data_ptr<float>() : nullptr, relu,
                                     result.mutable_data_ptr<float>()});
  return result;
}

// A kernel's weights [outputs, inputs, 3, 3] for boards of a size, as `convolve` wants them.
at::Tensor transformed(const at::Tensor &weights, int64_t size) {
  TORCH_CHECK(weights.dim() == 4 && weights.size(2) == 3 && weights.size(3) == 3,
              "expected weights of a 3×3 convolution, not ", weights.sizes());
  const int64_t results = results_of_tile(size), edge = results + 2;
  const double *values = results == 3 ? &Sums<3>::WEIGHTS[0][0] : &Sums<4>::WEIGHTS[0][0];
  const at::Tensor sums =
      at::from_blob(const_cast<double *>(values), {edge, 3}, at::TensorOptions(at::kDouble));
  const at::Tensor both = sums.matmul(weights.to(at::kDouble)).matmul(sums.t());
  const auto shape = {edge * edge, weights.size(1), weights.size(0)};
  return both.permute({2, 3, 1, 0}).to(at::kFloat).contiguous().reshape(shape);
}

} // namespace

TORCH_LIBRARY_FRAGMENT(hotstone, library) {
  library.def("convolve(Tensor x, Tensor weights, Tensor bias, Tensor? added, bool relu) -> Tensor",
              &convolve);
}

extern "C" {

at::Tensor *hotstone_transformed(const at::Tensor *weights, int64_t size) {
  return guarded([=] { return transformed(*weights, size); });
}

// `added` may be null.
at::Tensor *hotstone_convolve(const at::Tensor *x, const at::Tensor *weights, const at::Tensor *bias,
                              const at::Tensor *added, bool relu) {
  return guarded([=] {
    const auto other = added ? std::optional<at::Tensor>(*added) : std::nullopt;
    return operation<decltype(convolve)>("hotstone::convolve").call(*x, *weights, *bias, other, relu);
  });
}
}
