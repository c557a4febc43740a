// Convolutions that learn: `convolution.rs` computes them and their gradients.
#include "operators.h"

#include <torch/csrc/autograd/custom_function.h>

namespace {

// As in `convolution.rs`: boards have the channels innermost.
struct Operands {
  size_t batch, size, inputs, outputs;
  const float *x, *gradients, *weights, *bias;
};

struct Functions {
  void (*forward)(const Operands &, float *);
  void (*input_gradient)(const Operands &, float *);
  void (*weight_gradients)(const Operands &, float *);
};

at::Tensor channels_innermost(const at::Tensor &x) {
  TORCH_CHECK(x.dim() == 4 && x.scalar_type() == at::kFloat && x.size(2) == x.size(3),
              "expected square boards of f32, not ", x.sizes());
  return x.contiguous(at::MemoryFormat::ChannelsLast);
}

Operands operands(const at::Tensor &x, const at::Tensor &weights) {
  const int64_t inputs = x.size(1), outputs = weights.size(0);
  const auto size = [](int64_t length) { return static_cast<size_t>(length); };
  return {size(x.size(0)), size(x.size(2)),          size(inputs), size(outputs),
          x.const_data_ptr<float>(), nullptr, hotstone::numbers(weights, {outputs, inputs, 3, 3}), nullptr};
}

struct Convolution : torch::autograd::Function<Convolution> {
  static at::Tensor forward(torch::autograd::AutogradContext *context, const at::Tensor &boards,
                            const at::Tensor &kernels, const at::Tensor &bias, int64_t functions) {
    const at::Tensor x = channels_innermost(boards), weights = kernels.contiguous();
    context->save_for_backward({x, weights});
    context->saved_data["functions"] = functions;
    Operands it = operands(x, weights);
    const at::Tensor biases = bias.contiguous();
    it.bias = hotstone::numbers(biases, {weights.size(0)});
    const at::Tensor result = at::empty({x.size(0), weights.size(0), x.size(2), x.size(3)},
                                        x.options(), at::MemoryFormat::ChannelsLast);
    reinterpret_cast<const Functions *>(functions)->forward(it, result.mutable_data_ptr<float>());
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext *context,
                                                 torch::autograd::variable_list found) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weights = saved[1];
    const auto *functions =
        reinterpret_cast<const Functions *>(context->saved_data["functions"].toInt());
    const at::Tensor gradients = channels_innermost(found[0]);
    Operands it = operands(x, weights);
    it.gradients = gradients.const_data_ptr<float>();
    at::Tensor inputs;
    if (context->needs_input_grad(0)) {
      inputs = at::empty_like(x);
      functions->input_gradient(it, inputs.mutable_data_ptr<float>());
    }
    const at::Tensor of_weights = at::empty_like(weights);
    functions->weight_gradients(it, of_weights.mutable_data_ptr<float>());
    return {inputs, of_weights, gradients.sum({0, 2, 3}), at::Tensor()};
  }
};

} // namespace

extern "C" at::Tensor *hotstone_convolution(const at::Tensor *x, const at::Tensor *weights,
                                            const at::Tensor *bias, const Functions *functions) {
  return hotstone::guarded([=] {
    return Convolution::apply(*x, *weights, *bias, reinterpret_cast<int64_t>(functions));
  });
}
