// What our operators share. Those in Rust's reach are called through the dispatcher, so that
// tracing records them.
#pragma once
#include <ATen/ATen.h>
#include <torch/library.h>

#include <string>

#define INLINE inline __attribute__((always_inline))

namespace hotstone {

// What the last failure on this thread said.
inline thread_local std::string message;

// A new tensor that the caller owns, or null and a message.
template <typename Call> at::Tensor *guarded(Call call) {
  try {
    return new at::Tensor(call());
  } catch (const std::exception &error) {
    message = error.what();
    return nullptr;
  }
}

template <typename Signature> auto operation(const char *name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

inline const float *numbers(const at::Tensor &x, at::IntArrayRef shape) {
  TORCH_CHECK(x.scalar_type() == at::kFloat && x.is_contiguous() && x.sizes() == shape,
              "expected contiguous f32 of ", shape, ", not ", x.sizes());
  return x.const_data_ptr<float>();
}

} // namespace hotstone
