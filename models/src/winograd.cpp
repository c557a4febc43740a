// Convolutions as `winograd.h` says: a batch is taken through the three steps, sums of inputs, products,
// sums of products, a few tiles at a time.
#include "winograd.h"

namespace {

struct Convolution {
  int64_t batch, size, inputs, outputs;
  const float *x, *weights, *bias, *added;
  bool relu;
  float *result;
};

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
    Transforms<RESULTS>::output_transform(line, sums);
    UNROLL for (int row = 0; row < RESULTS; row++) half[row * EDGE + column] = sums[row];
  }
  const Lane bias = load<Lane>(it.bias + channel), zero = {};
  UNROLL for (int row = 0; row < RESULTS; row++) {
    if (tile.row + row >= it.size) break;
    Transforms<RESULTS>::output_transform(half + row * EDGE, sums);
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
  for_lanes<Lane>(it.outputs, [&](auto lane, int64_t channel) __attribute__((always_inline)) {
    transform_results<RESULTS, decltype(lane)>(it, tile, products, channel);
  });
}

template <int RESULTS, typename Lane, int ROWS> INLINE void convolve_tiles(const Convolution &it) {
  static_assert(GROUP % ROWS == 0, "a group is multiplied in whole blocks");
  constexpr int64_t PRODUCTS = (RESULTS + 2) * (RESULTS + 2);
  const int64_t side = (it.size + RESULTS - 1) / RESULTS, tiles = it.batch * side * side;
  static thread_local std::vector<float> group, products;
  group.resize(std::max<size_t>(group.size(), PRODUCTS * stride(it.inputs)));
  products.resize(std::max<size_t>(products.size(), PRODUCTS * stride(it.outputs)));
  const std::vector<float> zeros(it.inputs, 0.0f);
  const Boards boards{it.size, it.inputs, it.x};

  for (int64_t first = 0; first < tiles; first += GROUP) {
    const int64_t count = std::min(GROUP, tiles - first);
    for (int64_t tile = 0; tile < count; tile++)
      read_tile<RESULTS, Lane>(boards, Tile(it.size, RESULTS, first + tile), zeros.data(),
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
      write_tile<RESULTS, Lane>(it, Tile(it.size, RESULTS, first + tile),
                                products.data() + tile * it.outputs);
  }
}

template <typename Lane, int ROWS> INLINE void convolve_boards(int64_t results, const Convolution &it) {
  with_results(results, [&](auto found) __attribute__((always_inline)) {
    convolve_tiles<decltype(found)::value, Lane, ROWS>(it);
  });
}

// Rows and lanes are as many as the processor's registers hold.
void convolve_anywhere(int64_t results, const Convolution &it) {
  convolve_boards<Four, 4>(results, it);
}

WITH_AVX2 void convolve_avx2(int64_t results, const Convolution &it) {
  convolve_boards<Eight, 6>(results, it);
}

WITH_AVX512 void convolve_avx512(int64_t results, const Convolution &it) {
  convolve_boards<Sixteen, 12>(results, it);
}

// The sums of weights in both dimensions, [products of a tile, 9].
at::Tensor sums_of_weights(int64_t size) {
  at::Tensor sums;
  with_results(hotstone::results_of_tile(size), [&](auto found) {
    constexpr int RESULTS = decltype(found)::value;
    double *values = const_cast<double *>(&Transforms<RESULTS>::WEIGHTS[0][0]);
    sums = at::from_blob(values, {RESULTS + 2, 3}, at::kDouble);
  });
  return at::kron(sums, sums).to(at::kFloat);
}

} // namespace

namespace hotstone {

int64_t results_of_tile(int64_t size) {
  // A board that is one tile takes half of the products. Where a board is cut, larger tiles save too few to pay
  // for their sums and for weights that no longer fit into the cache: on 9×9 tiles of 5×5 were slower.
  if (size == 5 || size == 6) return size;
  const auto products = [=](int64_t results) {
    const int64_t side = (size + results - 1) / results, edge = results + 2;
    return side * side * edge * edge;
  };
  return products(3) <= products(4) ? 3 : 4;
}

int64_t products_of_tile(int64_t size) {
  const int64_t edge = results_of_tile(size) + 2;
  return edge * edge;
}

at::Tensor transformed(const at::Tensor &weights, int64_t size) {
  TORCH_CHECK(weights.dim() == 4 && weights.size(2) == 3 && weights.size(3) == 3,
              "expected weights of a 3×3 convolution, not ", weights.sizes());
  const at::Tensor by_place = weights.permute({2, 3, 1, 0}).reshape({9, -1});
  return sums_of_weights(size).matmul(by_place).reshape({-1, weights.size(1), weights.size(0)});
}

at::Tensor transformed_back(const at::Tensor &gradients, int64_t size) {
  const at::Tensor by_place = sums_of_weights(size).t().matmul(gradients.flatten(1));
  return by_place.reshape({3, 3, gradients.size(1), gradients.size(2)}).permute({3, 2, 0, 1});
}

at::Tensor convolve(const at::Tensor &boards, const at::Tensor &weights, const at::Tensor &bias,
                    const std::optional<at::Tensor> &added, bool relu) {
  const at::Tensor x = boards.contiguous(at::MemoryFormat::ChannelsLast);
  TORCH_CHECK(x.scalar_type() == at::kFloat, "activations are f32");
  const int64_t batch = x.size(0), inputs = x.size(1), size = x.size(2), outputs = bias.numel();
  at::Tensor result = at::empty({batch, outputs, size, size}, x.options(),
                                at::MemoryFormat::ChannelsLast);
  at::Tensor other;
  if (added) {
    TORCH_CHECK(added->sizes() == result.sizes() && added->scalar_type() == at::kFloat,
                "what is added has the shape of the result, f32");
    other = added->contiguous(at::MemoryFormat::ChannelsLast);
  }
  static const auto convolve_here = fastest(convolve_anywhere, convolve_avx2, convolve_avx512);
  convolve_here(results_of_tile(size),
                Convolution{batch, size, inputs, outputs, x.const_data_ptr<float>(),
                            numbers(weights, {products_of_tile(size), inputs, outputs}),
                            numbers(bias, {outputs}),
                            added ? other.const_data_ptr<float>() : nullptr, relu,
                            result.mutable_data_ptr<float>()});
  return result;
}

} // namespace hotstone

using hotstone::guarded, hotstone::operation;

TORCH_LIBRARY_FRAGMENT(hotstone, library) {
  library.def("convolve(Tensor x, Tensor weights, Tensor bias, Tensor? added, bool relu) -> Tensor",
              &hotstone::convolve);
}

extern "C" {

at::Tensor *hotstone_transformed(const at::Tensor *weights, int64_t size) {
  return guarded([=] { return hotstone::transformed(*weights, size); });
}

// `added` may be null.
at::Tensor *hotstone_convolve(const at::Tensor *x, const at::Tensor *weights, const at::Tensor *bias,
                              const at::Tensor *added, bool relu) {
  return guarded([=] {
    const auto other = added ? std::optional<at::Tensor>(*added) : std::nullopt;
    return operation<decltype(hotstone::convolve)>("hotstone::convolve").call(*x, *weights, *bias, other, relu);
  });
}
}
