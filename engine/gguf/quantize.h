// SPDX-License-Identifier: MIT
// A model file made smaller: the same metadata and tensors, the matrices in fewer bits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/gguf/atomic_file.h"
#include "engine/gguf/file_type.h"
#include "engine/gguf/gguf.h"
#include "kernels/kernel_table.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

struct QuantizeProgress {
  std::string_view tensor;
  int n_done;  // tensors
  int n_tensors;
  std::uint64_t bytes_done;  // of the new file's tensors
  std::uint64_t bytes;
};

struct QuantizeOptions {
  Gguf in;          // of one or more files, which become one
  std::string out;  // appears when it is complete
  FileType type;
  Existing existing = Existing::replace;  // until then, a file of that name stays as it was
};

struct QuantizeResult {
  bool finished;  // false: go_on() said no, and nothing was left behind
  std::uint64_t bytes_in;
  std::uint64_t bytes_out;
  double bits_per_weight;  // of the new file's tensors
};

// go_on is asked on the calling thread, at least for every two million weights. Throws ModelError
// when `in` cannot be quantised, a file of it is `out` itself, or `out` cannot be written.
QuantizeResult quantize_file(QuantizeOptions options, const kernels::KernelTable& table,
                             kernels::ThreadPool& pool,
                             const std::function<bool(const QuantizeProgress&)>& go_on);

}  // namespace confab::engine
