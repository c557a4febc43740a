// The operations before and between the convolutions of the forward pass for playing, each in one
// pass over memory. libtorch takes a dozen small operations for each of them, and on a CPU with AMX
// those cost as much as the convolutions. They are registered as operators where they are part of a
// traced network.
//
// Activations are bf16 with the channels innermost; everything else, and all sums, are f32. Playing
// in f32 uses `kernels` instead.
#include "operators.h"

#include <algorithm>
#include <cstring>
#include <vector>

// One machine code for each kind of processor, chosen when the program is loaded.
#if defined(__x86_64__) && defined(__linux__)
#define FOR_EVERY_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EVERY_PROCESSOR
#endif

namespace {

using hotstone::guarded, hotstone::numbers, hotstone::operation;

using Activation = at::BFloat16;

// Propagates NaN, so that a broken network shows.
INLINE float relu(float x) { return x < 0.0f ? 0.0f : x; }

// sums += vector · matrix, the matrix having a row for each element of the vector.
INLINE void add_product(const float *vector, int64_t rows, const float *matrix, int64_t columns,
                        float *sums) {
  for (int64_t row = 0; row < rows; row++) {
    const float factor = vector[row];
    for (int64_t column = 0; column < columns; column++)
      sums[column] += factor * matrix[row * columns + column];
  }
}

struct Unpack {
  int64_t batch, planes, bytes;
  const uint8_t *on_board;
};

// Planes of bits to numbers, [points, planes], by integers as wide as those.
FOR_EVERY_PROCESSOR void unpack_boards(const Unpack &it, const uint8_t *bits, uint16_t *__restrict result) {
  using Bits = uint16_t;
  constexpr Bits ONE = 0x3f80; // The bits of 1.0.
  constexpr int64_t WIDTH = sizeof(Bits);
  std::vector<Bits> column(it.planes);
  for (int64_t board = 0; board < it.batch; board++, bits += it.planes * it.bytes) {
    for (int64_t byte = 0; byte < it.bytes; byte += WIDTH) {
      Bits points;
      std::memcpy(&points, it.on_board + byte, WIDTH);
      for (int64_t plane = 0; plane < it.planes; plane++)
        std::memcpy(&column[plane], bits + plane * it.bytes + byte, WIDTH);
      for (int bit = 0; bit < 8 * WIDTH; bit++) {
        if (points >> bit & 1) {
          for (int64_t plane = 0; plane < it.planes; plane++)
            result[plane] = static_cast<Bits>(column[plane] >> bit & 1) * ONE;
          result += it.planes;
        }
      }
    }
  }
}

// KataGo's pooling of one board, [points, channels] in rows `stride` apart: mean, mean scaled with
// the side of the board, maximum.
INLINE void pool_board(const Activation *__restrict x, int64_t points, int64_t channels,
                       int64_t stride, float scale, float *__restrict pooled) {
  float *mean = pooled, *scaled = pooled + channels, *maximum = pooled + 2 * channels;
  std::fill(pooled, pooled + 3 * channels, 0.0f);
  for (int64_t point = 0; point < points; point++) {
    for (int64_t channel = 0; channel < channels; channel++) {
      const float value = relu(static_cast<float>(x[point * stride + channel]));
      mean[channel] += value;
      maximum[channel] = std::max(maximum[channel], value);
    }
  }
  for (int64_t channel = 0; channel < channels; channel++) {
    mean[channel] /= static_cast<float>(points);
    scaled[channel] = mean[channel] * scale;
  }
}

struct Lift {
  int64_t batch, points, channels, inputs;
  const float *vectors, *matrix;
};

FOR_EVERY_PROCESSOR void lift_boards(const Lift &it, const Activation *__restrict x,
                        Activation *__restrict result) {
  std::vector<float> sums(it.channels);
  for (int64_t board = 0; board < it.batch; board++) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    add_product(it.vectors + board * it.inputs, it.inputs, it.matrix, it.channels, sums.data());
    const float *added = sums.data();
    for (int64_t point = 0; point < it.points; point++, x += it.channels, result += it.channels)
      for (int64_t channel = 0; channel < it.channels; channel++)
        result[channel] = Activation(relu(static_cast<float>(x[channel]) + added[channel]));
  }
}

struct Pool {
  int64_t batch, points, channels;
  float scale;
  float *result;
};

FOR_EVERY_PROCESSOR void pool_boards(const Pool &it, const Activation *x) {
  for (int64_t board = 0; board < it.batch; board++)
    pool_board(x + board * it.points * it.channels, it.points, it.channels, it.channels, it.scale,
               it.result + board * 3 * it.channels);
}

// As in architecture.rs. Loops of known length keep their sums in registers: twice as fast.
constexpr int64_t HEAD_CHANNELS = 32, HIDDEN = 64, CONTEXT = HEAD_CHANNELS + HIDDEN;
// Of the hidden layer: the pass; win, draw, loss and the margin, which follow the policy.
constexpr int64_t LAST = 5, AFTER_POLICY = LAST - 1;

struct Heads {
  int64_t batch, points;
  float scale;
  const float *context, *context_bias, *moves, *moves_bias, *last, *last_bias;
  float *result;
};

// Logits of places and of starred places; the pass stands between them.
INLINE void policy_head(const Heads &it, const Activation *__restrict x, const float *added,
                        float *__restrict result) {
  float moves[2 * HEAD_CHANNELS];
  std::copy(it.moves, it.moves + 2 * HEAD_CHANNELS, moves);
  for (int64_t point = 0; point < it.points; point++, x += 2 * HEAD_CHANNELS) {
    float place = 0.0f, starred = 0.0f;
#pragma omp simd reduction(+ : place, starred)
    for (int64_t channel = 0; channel < HEAD_CHANNELS; channel++) {
      const float value = relu(static_cast<float>(x[channel]) + added[channel]);
      place += value * moves[channel];
      starred += value * moves[HEAD_CHANNELS + channel];
    }
    result[point] = place + it.moves_bias[0];
    result[it.points + 1 + point] = starred + it.moves_bias[1];
  }
}

FOR_EVERY_PROCESSOR void all_heads(const Heads &it, const Activation *features) {
  const int64_t places = 2 * it.points + 1;
  for (int64_t board = 0; board < it.batch; board++) {
    const Activation *x = features + board * it.points * 2 * HEAD_CHANNELS;
    float *result = it.result + board * (places + AFTER_POLICY);
    float pooled[3 * HEAD_CHANNELS], context[CONTEXT], outputs[LAST];
    pool_board(x + HEAD_CHANNELS, it.points, HEAD_CHANNELS, 2 * HEAD_CHANNELS, it.scale, pooled);
    std::copy(it.context_bias, it.context_bias + CONTEXT, context);
    add_product(pooled, 3 * HEAD_CHANNELS, it.context, CONTEXT, context);
    policy_head(it, x, context, result);

    float *hidden = context + HEAD_CHANNELS;
    std::transform(hidden, hidden + HIDDEN, hidden, relu);
    std::copy(it.last_bias, it.last_bias + LAST, outputs);
    add_product(hidden, HIDDEN, it.last, LAST, outputs);
    result[it.points] = outputs[0];
    std::copy(outputs + 1, outputs + LAST, result + places);
  }
}

const Activation *activations(const at::Tensor &x) {
  TORCH_CHECK(x.scalar_type() == at::kBFloat16, "activations are bf16, not ", x.scalar_type());
  return x.const_data_ptr<Activation>();
}

// Bytes [batch, planes, bytes] to bf16 [batch, planes, size, size] with the channels innermost.
at::Tensor unpack(const at::Tensor &bits, const at::Tensor &on_board, int64_t size) {
  TORCH_CHECK(bits.scalar_type() == at::kByte && bits.is_contiguous() && bits.dim() == 3 &&
                  on_board.scalar_type() == at::kByte && on_board.is_contiguous() &&
                  on_board.numel() == bits.size(2) && bits.size(2) % 8 == 0,
              "expected words of bits, not ", bits.sizes());
  const int64_t batch = bits.size(0), planes = bits.size(1), bytes = bits.size(2);
  const Unpack it{batch, planes, bytes, on_board.const_data_ptr<uint8_t>()};
  int64_t points = 0;
  for (int64_t byte = 0; byte < bytes; byte++)
    points += __builtin_popcount(it.on_board[byte]);
  TORCH_CHECK(points == size * size, points, " points cannot be a board of side ", size);
  at::Tensor result = at::empty({batch, planes, size, size}, bits.options().dtype(at::kBFloat16),
                                at::MemoryFormat::ChannelsLast);
  unpack_boards(it, bits.const_data_ptr<uint8_t>(), static_cast<uint16_t *>(result.mutable_data_ptr()));
  return result;
}

float scale_of(int64_t size) { return static_cast<float>(size - 9) / 10.0f; }

// [batch, channels, size, size] to f32 [batch, 3 · channels].
at::Tensor pool(const at::Tensor &boards) {
  const at::Tensor x = boards.contiguous(at::MemoryFormat::ChannelsLast);
  const int64_t batch = x.size(0), channels = x.size(1), size = x.size(2);
  at::Tensor result = at::empty({batch, 3 * channels}, x.options().dtype(at::kFloat));
  const Pool it{batch, size * size, channels, scale_of(size), result.mutable_data_ptr<float>()};
  pool_boards(it, activations(x));
  return result;
}

// relu(x + vectors · matrix), the product being the same for all points of a board: x is
// [batch, channels, size, size], vectors [batch, inputs], matrix [inputs, channels].
at::Tensor lift(const at::Tensor &boards, const at::Tensor &vectors, const at::Tensor &matrix) {
  const at::Tensor x = boards.contiguous(at::MemoryFormat::ChannelsLast);
  const int64_t batch = x.size(0), channels = x.size(1), points = x.size(2) * x.size(3);
  const int64_t inputs = vectors.size(1);
  at::Tensor result = at::empty_like(x, at::MemoryFormat::ChannelsLast);
  const at::Tensor exact = vectors.to(at::kFloat).contiguous();
  const Lift it{batch, points, channels, inputs, numbers(exact, {batch, inputs}),
                numbers(matrix, {inputs, channels})};
  lift_boards(it, activations(x), result.mutable_data_ptr<Activation>());
  return result;
}

// All outputs, f32 [batch, points + 1 + points + 4], from what the heads read from the trunk,
// [batch · points, 2 · channels]: the policy's features, followed by those to be pooled. `context`
// maps the pooled ones to what is added to the policy's features, followed by the hidden layer;
// `moves` are the rows of placements and of starred placements; `last` maps the hidden layer to
// pass, win, draw, loss and margin.
at::Tensor heads(const at::Tensor &features, int64_t size, const at::Tensor &context,
                 const at::Tensor &context_bias, const at::Tensor &moves,
                 const at::Tensor &moves_bias, const at::Tensor &last,
                 const at::Tensor &last_bias) {
  const at::Tensor x = features.contiguous();
  const int64_t points = size * size, batch = x.numel() / (points * 2 * HEAD_CHANNELS);
  TORCH_CHECK(x.size(-1) == 2 * HEAD_CHANNELS, "expected ", 2 * HEAD_CHANNELS, " features");
  at::Tensor result = at::empty({batch, 2 * points + LAST}, x.options().dtype(at::kFloat));
  const Heads it{batch,
                 points,
                 scale_of(size),
                 numbers(context, {3 * HEAD_CHANNELS, CONTEXT}),
                 numbers(context_bias, {CONTEXT}),
                 numbers(moves, {2, HEAD_CHANNELS}),
                 numbers(moves_bias, {2}),
                 numbers(last, {HIDDEN, LAST}),
                 numbers(last_bias, {LAST}),
                 result.mutable_data_ptr<float>()};
  all_heads(it, activations(x));
  return result;
}

} // namespace

TORCH_LIBRARY(hotstone, library) {
  library.def("pool(Tensor x) -> Tensor", &pool);
  library.def("lift(Tensor x, Tensor vectors, Tensor matrix) -> Tensor", &lift);
  library.def("heads(Tensor features, int size, Tensor context, Tensor context_bias, Tensor moves, "
              "Tensor moves_bias, Tensor last, Tensor last_bias) -> Tensor",
              &heads);
}

extern "C" {

const char *hotstone_message() { return hotstone::message.c_str(); }

at::Tensor *hotstone_unpack(const at::Tensor *bits, const at::Tensor *on_board, int64_t size) {
  return guarded([=] { return unpack(*bits, *on_board, size); });
}

at::Tensor *hotstone_pool(const at::Tensor *x) {
  return guarded([=] { return operation<decltype(pool)>("hotstone::pool").call(*x); });
}

at::Tensor *hotstone_lift(const at::Tensor *x, const at::Tensor *vectors, const at::Tensor *matrix) {
  return guarded(
      [=] { return operation<decltype(lift)>("hotstone::lift").call(*x, *vectors, *matrix); });
}

// The seven tensors of `heads`, in its order.
at::Tensor *hotstone_heads(const at::Tensor *const *tensors, int64_t size) {
  return guarded([=] {
    return operation<decltype(heads)>("hotstone::heads")
        .call(*tensors[0], size, *tensors[1], *tensors[2], *tensors[3], *tensors[4], *tensors[5],
              *tensors[6]);
  });
}
}
