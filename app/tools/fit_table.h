// SPDX-License-Identifier: MIT
// `confab fit --table`: which sizes of models, in how many bits, fit into so much memory.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/file_type.h"
#include "kernels/dtype.h"

namespace confab::app {

// The sizes of a well-known model, from which its bytes follow without a file.
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

struct FitRow {
  std::string_view size;  // "8B"
  std::string_view name;
  std::string_view type;  // "Q4_K_M"
  std::uint64_t weights_bytes = 0;
  std::uint64_t bytes_8k = 0;  // of everything, with a context of 8192 tokens
  std::uint64_t bytes_32k = 0;
  int n_ctx = 0;                 // the longest that fits, up to the model's own limit; 0: none does
  bool from_disk = false;        // a mixture, of which all but the experts fits: n_ctx is 0 then
  double tokens_per_second = 0;  // at most, by the memory's bandwidth; 0: not known, or not so
};

// read_gbs: bytes a second that memory gives, in units of 1e9; 0: not measured.
std::vector<FitRow> fit_rows(std::uint64_t memory_bytes, double read_gbs);

// `about`: what the memory is, in a line.
void print_fit_table(const std::vector<FitRow>& rows, std::string_view about, std::ostream& out);
void print_fit_table_json(const std::vector<FitRow>& rows, std::uint64_t memory_bytes,
                          double read_gbs, std::ostream& out);

}  // namespace confab::app
