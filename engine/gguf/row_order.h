// SPDX-License-Identifier: MIT
// The order of the rows that queries and keys are made by, where a model has them as its authors
// do: a rotated pair is half a head apart. GGUF files of such architectures (llama) have the two
// side by side. Source: LlamaModel.permute of llama.cpp's converter.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/gguf/gguf.h"

namespace confab::engine {

// After the architecture's name and a dot: false in a model whose pairs are half a head apart,
// though those of its architecture are neighbours in GGUF files. It stands in no file.
inline constexpr std::string_view kInterleavedKey = "rope.interleaved";

class RowOrder {
 public:
  // Of this tensor, a matrix or a bias.
  RowOrder(const Gguf& gguf, const GgufTensor& tensor);

  bool changes() const noexcept { return head_rows_ > 0; }
  // The row that has to be row i of a GGUF file.
  std::int64_t source(std::int64_t i) const noexcept;

 private:
  std::int64_t head_rows_ = 0;  // of a head; 0: rows stay where they are
};

}  // namespace confab::engine
