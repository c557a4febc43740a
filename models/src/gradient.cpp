// Convolutions that learn: those of `winograd.h` with their gradients. The gradient of the inputs is a
// convolution with the kernel turned round; that of the weights is a sum over tiles of products of
// the same sums of inputs with sums of the results' gradients.
#include "winograd.h"

#include <torch/csrc/autograd/custom_function.h>

namespace {

template <int RESULTS, typename Lane>
INLINE void transform_gradients(const Boards &it, const Tile &tile, int64_t channel, float *group) {
  constexpr int EDGE = RESULTS + 2;
  Lane half[EDGE * RESULTS], line[RESULTS], sums[EDGE];
  UNROLL for (int column = 0; column < RESULTS; column++) {
    UNROLL for (int row = 0; row < RESULTS; row++) {
      const bool on_board = tile.row + row < it.size && tile.column + column < it.size;
      const int64_t point = (tile.board * it.size + tile.row + row) * it.size + tile.column + column;
      line[row] = on_board ? load<Lane>(it.values + point * it.channels + channel) : Lane{};
    }
    Transforms<RESULTS>::gradient_transform(line, sums);
    UNROLL for (int row = 0; row < EDGE; row++) half[row * RESULTS + column] = sums[row];
  }
  UNROLL for (int row = 0; row < EDGE; row++) {
    Transforms<RESULTS>::gradient_transform(half + row * RESULTS, sums);
    UNROLL for (int column = 0; column < EDGE; column++)
      store(group + (row * EDGE + column) * stride(it.channels) + channel, sums[column]);
  }
}

// All channels of the gradients of a tile's results into a group.
template <int RESULTS, typename Lane>
INLINE void read_gradients(const Boards &it, const Tile &tile, float *group) {
  for_lanes<Lane>(it.channels, [&](auto lane, int64_t channel) __attribute__((always_inline)) {
    transform_gradients<RESULTS, decltype(lane)>(it, tile, channel, group);
  });
}

// One product of a group's tiles: inputs [count, inputs], gradients [count, outputs], their product is
// added to sums [inputs, outputs].
struct Product {
  int64_t count, inputs, outputs;
  const float *x, *gradients;
  float *sums;
};

template <typename Lane, int ROWS, int LANES>
INLINE void add_block(const Product &it, int64_t input, int64_t output) {
  float *place = it.sums + input * it.outputs + output;
  Lane sums[ROWS][LANES];
  UNROLL for (int row = 0; row < ROWS; row++)
    UNROLL for (int lane = 0; lane < LANES; lane++)
      sums[row][lane] = load<Lane>(place + row * it.outputs + lane * WIDTH<Lane>);
  for (int64_t tile = 0; tile < it.count; tile++) {
    Lane factors[LANES];
    UNROLL for (int lane = 0; lane < LANES; lane++)
      factors[lane] = load<Lane>(it.gradients + tile * it.outputs + output + lane * WIDTH<Lane>);
    UNROLL for (int row = 0; row < ROWS; row++)
      UNROLL for (int lane = 0; lane < LANES; lane++)
        sums[row][lane] += it.x[tile * it.inputs + input + row] * factors[lane];
  }
  UNROLL for (int row = 0; row < ROWS; row++)
    UNROLL for (int lane = 0; lane < LANES; lane++)
      store(place + row * it.outputs + lane * WIDTH<Lane>, sums[row][lane]);
}

// From the given output on, as many as are left in full blocks; returns the first that is not done.
template <typename Lane, int ROWS, int LANES>
INLINE int64_t add_columns(const Product &it, int64_t output) {
  for (; output + LANES * WIDTH<Lane> <= it.outputs; output += LANES * WIDTH<Lane>) {
    int64_t input = 0;
    for (; input + ROWS <= it.inputs; input += ROWS)
      add_block<Lane, ROWS, LANES>(it, input, output);
    for (; input < it.inputs; input++) add_block<Lane, 1, LANES>(it, input, output);
  }
  return output;
}

struct WeightGradient {
  int64_t batch;
  Boards x, gradients;
  // [products of a tile, inputs, outputs], to which is added.
  float *sums;
};

template <int RESULTS, typename Lane, int ROWS> INLINE void add_tiles(const WeightGradient &it) {
  constexpr int64_t PRODUCTS = (RESULTS + 2) * (RESULTS + 2);
  const int64_t side = (it.x.size + RESULTS - 1) / RESULTS, tiles = it.batch * side * side;
  const int64_t inputs = it.x.channels, outputs = it.gradients.channels;
  static thread_local std::vector<float> x, gradients;
  x.resize(std::max<size_t>(x.size(), PRODUCTS * stride(inputs)));
  gradients.resize(std::max<size_t>(gradients.size(), PRODUCTS * stride(outputs)));
  const std::vector<float> zeros(inputs, 0.0f);

  for (int64_t first = 0; first < tiles; first += GROUP) {
    const int64_t count = std::min(GROUP, tiles - first);
    for (int64_t index = 0; index < count; index++) {
      const Tile tile(it.x.size, RESULTS, first + index);
      read_tile<RESULTS, Lane>(it.x, tile, zeros.data(), x.data() + index * inputs);
      read_gradients<RESULTS, Lane>(it.gradients, tile, gradients.data() + index * outputs);
    }
    for (int64_t index = 0; index < PRODUCTS; index++) {
      const Product product{count,
                            inputs,
                            outputs,
                            x.data() + index * stride(inputs),
                            gradients.data() + index * stride(outputs),
                            it.sums + index * inputs * outputs};
      int64_t done = add_columns<Lane, ROWS, 2>(product, 0);
      done = add_columns<Lane, ROWS, 1>(product, done);
      done = add_columns<Four, ROWS, 1>(product, done);
      add_columns<float, ROWS, 1>(product, done);
    }
  }
}

template <typename Lane, int ROWS> INLINE void add_boards(int64_t results, const WeightGradient &it) {
  with_results(results, [&](auto found) __attribute__((always_inline)) {
    add_tiles<decltype(found)::value, Lane, ROWS>(it);
  });
}

void add_anywhere(int64_t results, const WeightGradient &it) { add_boards<Four, 4>(results, it); }

WITH_AVX2 void add_avx2(int64_t results, const WeightGradient &it) {
  add_boards<Eight, 4>(results, it);
}

WITH_AVX512 void add_avx512(int64_t results, const WeightGradient &it) {
  add_boards<Sixteen, 8>(results, it);
}

// [outputs, inputs, 3, 3] of x [batch, inputs, size, size] and the gradients of its results, both with
// the channels innermost.
at::Tensor weight_gradient(const at::Tensor &x, const at::Tensor &gradients) {
  const int64_t batch = x.size(0), inputs = x.size(1), size = x.size(2);
  const int64_t outputs = gradients.size(1), products = hotstone::products_of_tile(size);
  const at::Tensor sums = at::zeros({products, inputs, outputs}, x.options());
  static const auto add_here = fastest(add_anywhere, add_avx2, add_avx512);
  add_here(hotstone::results_of_tile(size),
           WeightGradient{batch,
                          {size, inputs, x.const_data_ptr<float>()},
                          {size, outputs, gradients.const_data_ptr<float>()},
                          sums.mutable_data_ptr<float>()});
  return hotstone::transformed_back(sums, size);
}

struct Convolution : torch::autograd::Function<Convolution> {
  static at::Tensor forward(torch::autograd::AutogradContext *context, const at::Tensor &boards,
                            const at::Tensor &weights, const at::Tensor &bias) {
    const at::Tensor x = boards.contiguous(at::MemoryFormat::ChannelsLast);
    context->save_for_backward({x, weights});
    const at::Tensor transformed = hotstone::transformed(weights, x.size(2));
    return hotstone::convolve(x, transformed, bias, std::nullopt, false);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext *context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weights = saved[1];
    const at::Tensor results = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    at::Tensor inputs;
    if (context->needs_input_grad(0)) {
      const at::Tensor turned = weights.flip({2, 3}).transpose(0, 1);
      const at::Tensor transformed = hotstone::transformed(turned, x.size(2));
      const at::Tensor no_bias = at::zeros({weights.size(1)}, x.options());
      inputs = hotstone::convolve(results, transformed, no_bias, std::nullopt, false);
    }
    return {inputs, weight_gradient(x, results), results.sum({0, 2, 3})};
  }
};

} // namespace

// x [batch, inputs, size, size], weights [outputs, inputs, 3, 3], bias [outputs], f32.
extern "C" at::Tensor *hotstone_convolution(const at::Tensor *x, const at::Tensor *weights,
                                            const at::Tensor *bias) {
  return hotstone::guarded([=] { return Convolution::apply(*x, *weights, *bias); });
}
