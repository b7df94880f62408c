// SPDX-License-Identifier: MIT
// The order of rows, and columns, where a model has them as its authors do, and GGUF files of its
// architecture do not:
//
// - of queries and keys a rotated pair is half a head apart; files (llama) have the two side by
//   side. Source: LlamaModel.permute of llama.cpp's converter.
// - value heads of a delta net stand by the key head that they share; files (qwen35) have the first
//   value head of each key head, then the second. Source: there, _LinearAttentionVReorderBase.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/gguf/gguf.h"

namespace confab::engine {

// After the architecture's name and a dot: false in a model whose pairs are half a head apart,
// though those of its architecture are neighbours in GGUF files. It stands in no file.
inline constexpr std::string_view kInterleavedKey = "rope.interleaved";
// The same for value heads: false where they stand by their key head. It stands in no file.
inline constexpr std::string_view kTiledKey = "ssm.value_heads_tiled";

// The end of the name of all gates and ups of a layer's experts, [2 n_embd, n_ff, n_expert], where
// each row of a gate has that of the up behind it (gpt-oss); in GGUF files these are two tensors.
inline constexpr std::string_view kGateUpPairs = "ffn_gate_up_pairs.weight";

class RowOrder {
 public:
  // Of this tensor, a matrix or a vector.
  RowOrder(const Gguf& gguf, const GgufTensor& tensor);

  bool changes() const noexcept { return pairs_.head > 0 || rows_.head > 0; }
  bool changes_columns() const noexcept { return columns_.head > 0; }
  // The row, or column, that has to be row or column i of a GGUF file.
  std::int64_t source(std::int64_t i) const noexcept;
  std::int64_t source_column(std::int64_t i) const noexcept { return columns_.source(i); }

 private:
  struct Pairs {
    std::int64_t head = 0;  // rows of a head; 0: they stay where they are
    std::int64_t source(std::int64_t i) const noexcept;
  };
  struct ValueHeads {
    std::int64_t first = 0;                 // what is before them stays where it is
    std::int64_t head = 0;                  // rows or columns of one; 0: all stay where they are
    std::int64_t n_keys = 1, n_shared = 1;  // key heads, and value heads that share one
    std::int64_t source(std::int64_t i) const noexcept;
  };
  void set_value_heads(const Gguf& gguf, const GgufTensor& tensor, std::string_view prefix);

  Pairs pairs_ = {};
  ValueHeads rows_ = {}, columns_ = {};
};

}  // namespace confab::engine
