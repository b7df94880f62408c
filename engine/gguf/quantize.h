// SPDX-License-Identifier: MIT
// Makes a model file smaller: the same metadata and tensors, with the matrices in fewer bits.
//
// The plan says which type each tensor gets; the name of a file type stands for such a mix. The
// rules are those of llama.cpp (llama-quant.cpp), so that a file is what its name leads people to
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
  // The tensors of the Gguf whose rows this one contains, one part after the other, all of one
  // shape. Either a single tensor, or the matrices of one kind of all experts of a layer: some
  // files and folders store one tensor per expert ("blk.0.ffn_up.3.weight"), while current programs
  // read one for all ("blk.0.ffn_up_exps.weight").
  std::vector<const GgufTensor*> parts;
  kernels::Dtype dtype;
  std::int64_t column0 = 0;  // first column in the parts' rows, which may be longer than its own

  std::int64_t n_elements() const noexcept;
};

// Returns the tensors in the order of the new file: first those outside the layers, then layer by
// layer, each group sorted by name. Throws ModelError if a tensor to be changed is not F32, F16,
// BF16 or Q8_0, or already has fewer bits than it would get. Types with side scales, which do not
// exist in GGUF files, may become any type.
std::vector<PlannedTensor> plan_quantization(const Gguf& gguf, const FileType& type);

// Properties of a model that the mixes depend on, besides the tensors.
struct MixTraits {
  int n_layer = 0;
  int n_expert = 0;
  bool shares_values = false;  // heads share a V, and the architecture's mixes depend on it
};
MixTraits mix_traits(const Gguf& gguf);

// The size that these tensors would have in a file of that type. Only their names and shapes
// matter, and the current type of tensors that are never changed.
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
  Gguf in;          // may have several parts; they become one file
  std::string out;  // path; the file appears when it is complete
  FileType type;
  Existing existing = Existing::replace;  // a file already there stays untouched until then
};

struct QuantizeResult {
  bool finished;  // false: go_on() returned false and nothing was left behind
  std::uint64_t bytes_in;
  std::uint64_t bytes_out;
  double bits_per_weight;  // average over the new file's tensors
};

// go_on is called on the calling thread at least once every two million weights. Throws ModelError
// if `in` cannot be quantised, if `out` is one of its files, or if `out` cannot be written.
QuantizeResult quantize_file(QuantizeOptions options, const kernels::KernelTable& table,
                             kernels::ThreadPool& pool,
                             const std::function<bool(const QuantizeProgress&)>& go_on);

}  // namespace confab::engine
