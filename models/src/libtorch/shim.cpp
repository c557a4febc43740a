// What libtorch offers only to C++: tch has no binding for these.
#include "operators.h"

#include <dlfcn.h>
// Where there is no such header, as on macOS, there is nothing to set with it.
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#include <torch/csrc/jit/codegen/onednn/interface.h>

extern "C" {

// Switches libtorch's oneDNN Graph fuser on or off for every graph compiled from now on.
// Returns 0, or -1 where this libtorch was built without oneDNN.
int hotstone_enable_onednn_fuser(int enabled) {
  try {
    torch::jit::RegisterLlgaFuseGraph::setEnabled(enabled != 0);
    return 0;
  } catch (...) {
    return -1;
  }
}

// Keeps freed memory instead of giving it back to the system: activations are as large as those
// before them, and without this a tenth of the time goes into page faults.
void hotstone_keep_memory() {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

// A copy in pinned memory, which a GPU can read while the CPU continues. tch names a device here,
// about which libtorch complains on every call.
at::Tensor *hotstone_pinned(const at::Tensor *tensor) {
  return hotstone::guarded([=] { return tensor->pin_memory(); });
}

// Loads a library for the life of the process; null, or the loader's message.
// Registration of CUDA happens in static constructors, which C++ exceptions may leave.
const char *hotstone_load_library(const char *path) {
  try {
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL) ? nullptr : dlerror();
  } catch (...) {
    return "an exception while the library was being initialised";
  }
}
}
