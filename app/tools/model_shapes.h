// SPDX-License-Identifier: MIT
// The sizes of well-known models, and what follows from them without a file.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/gguf/file_type.h"
#include "kernels/dtype.h"

namespace confab::app {

struct ModelShape {
  std::string_view size;  // "8B"
  std::string_view name;  // "Llama 3.1"
  std::string_view architecture;
  int n_embd;
  int n_layer;
  int n_head;
  int n_head_kv;
  int head_dim;
  int n_ff;  // of an expert, where there are any
  int n_vocab;
  int n_ctx;
  bool tied;  // the embedding is the output too
  int n_expert = 0;
  int n_expert_used = 0;
};

// From 3B to 405B, and a mixture.
std::span<const ModelShape> model_shapes() noexcept;

std::int64_t n_parameters(const ModelShape& shape);
// Of the tensors in a file of that type.
std::uint64_t weights_bytes(const ModelShape& shape, const engine::FileType& type);
// That a token reads of them: each once, but of the embedding one row, of experts those it uses.
std::uint64_t token_weight_bytes(const ModelShape& shape, const engine::FileType& type);
// Of a KV cache for so many tokens, with what a fork may need.
std::uint64_t kv_bytes(const ModelShape& shape, int n_ctx, kernels::Dtype type);
// About what activations of a pass of 512 tokens take.
std::uint64_t scratch_bytes(const ModelShape& shape);

}  // namespace confab::app
