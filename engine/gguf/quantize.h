// SPDX-License-Identifier: MIT
// A model file made smaller: the same metadata and tensors, the matrices in fewer bits.
//
// The plan says which type each tensor gets: the mixes that the names of file types stand for.
// Source: the rules of llama.cpp (llama-quant.cpp), so that a file is what its name makes people
// expect.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/atomic_file.h"
#include "engine/gguf/file_type.h"
#include "engine/gguf/gguf.h"
#include "kernels/kernel_table.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

// A tensor of the new file.
struct PlannedTensor {
  std::string name;
  std::vector<std::int64_t> shape;  // innermost first
  // Of the Gguf, of one shape, whose rows it has one after another: one tensor, or the matrices of
  // one kind of all experts of a layer, which are tensors of their own in some files and folders
  // ("blk.0.ffn_up.3.weight") and one in those that programs read now ("blk.0.ffn_up_exps.weight").
  std::vector<const GgufTensor*> parts;
  kernels::Dtype dtype;
  std::int64_t column0 = 0;  // of the parts' rows, which may be longer than its own

  std::int64_t n_elements() const noexcept;
};

// In the order of the new file: tensors of no layer, then layer by layer, each by name. Throws
// ModelError when a tensor that is to change is not F32, F16, BF16 or Q8_0, or has fewer bits than
// it would get; types with side scales, which no GGUF file has, may become any other.
std::vector<PlannedTensor> plan_quantization(const Gguf& gguf, const FileType& type);

// What the mixes ask of a model besides its tensors.
struct MixTraits {
  int n_layer = 0;
  int n_expert = 0;
  bool shares_values = false;  // heads share a V, in an architecture where the mixes care
};
MixTraits mix_traits(const Gguf& gguf);

// Bytes of these tensors in a file of that type, whatever they are now: of each only its name and
// shape count, and of those that never change the type.
std::uint64_t quantized_bytes(std::span<const GgufTensor> tensors, const MixTraits& traits,
                              const FileType& type);

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
