// SPDX-License-Identifier: MIT
// The order of rows and columns in models that come as their authors wrote them, where GGUF files
// of the same architecture are ordered differently:
//
// - In queries and keys, the two rows of a rotated pair are half a head apart. GGUF files (llama)
// put
//   them side by side. Source: LlamaModel.permute of llama.cpp's converter.
// - In a delta net, value heads stand next to the key head that they share. GGUF files (qwen35) put
// the
//   first value head of each key head first, then the second of each. Source: the same converter,
//   _LinearAttentionVReorderBase.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/gguf/gguf.h"

namespace confab::engine {

// Follows the architecture's name and a dot. False if rotated pairs are half a head apart although
// GGUF files of the architecture have them side by side. No file contains this key.
inline constexpr std::string_view kInterleavedKey = "rope.interleaved";
// The same for value heads: false if they stand next to their key head. No file contains this key.
inline constexpr std::string_view kTiledKey = "ssm.value_heads_tiled";

// Name suffix of a tensor [2 n_embd, n_ff, n_expert] with the gates and ups of all experts of a
// layer. Each row holds a row of a gate followed by the matching row of the up (gpt-oss). GGUF
// files have two tensors instead.
inline constexpr std::string_view kGateUpPairs = "ffn_gate_up_pairs.weight";

class RowOrder {
 public:
  // tensor: a matrix or a vector.
  RowOrder(const Gguf& gguf, const GgufTensor& tensor);

  bool changes() const noexcept { return pairs_.head > 0 || rows_.head > 0; }
  bool changes_columns() const noexcept { return columns_.head > 0; }
  // The row or column of the tensor that becomes row or column i of a GGUF file.
  std::int64_t source(std::int64_t i) const noexcept;
  std::int64_t source_column(std::int64_t i) const noexcept { return columns_.source(i); }

 private:
  struct Pairs {
    std::int64_t head = 0;  // rows per head; 0: rows keep their place
    std::int64_t source(std::int64_t i) const noexcept;
  };
  struct ValueHeads {
    std::int64_t first = 0;                 // rows or columns before it keep their place
    std::int64_t head = 0;                  // rows or columns per head; 0: all keep their place
    std::int64_t n_keys = 1, n_shared = 1;  // key heads, and value heads per key head
    std::int64_t source(std::int64_t i) const noexcept;
  };
  void set_value_heads(const Gguf& gguf, const GgufTensor& tensor, std::string_view prefix);

  Pairs pairs_ = {};
  ValueHeads rows_ = {}, columns_ = {};
};

}  // namespace confab::engine
