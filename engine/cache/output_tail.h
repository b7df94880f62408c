// SPDX-License-Identifier: MIT
// What the output read of the last tokens of a sequence: what the model's own head, which guesses
// further tokens, goes on from.
#pragma once

#include <span>
#include <vector>

namespace confab::engine {

class OutputTail {
 public:
  // So many of a run are kept, its last ones: where a draft is cut back to, it is among them.
  static constexpr int kMaxRows = 16;

  // Rows of n_embd values; 0: none are kept.
  explicit OutputTail(int n_embd);

  // The rows [n, n_embd] of the tokens from position `pos` on take the place of all before them.
  void set(int pos, std::span<const float> rows) noexcept;
  // Of a position, borrowed until the next call of the others; nullptr: it is not known.
  const float* row(int pos) const noexcept;
  // Forgets the tokens from position n on.
  void truncate(int n) noexcept;

 private:
  std::size_t n_embd_;
  std::vector<float> values_;  // [kMaxRows, n_embd]
  int pos_ = 0;                // of the first
  int n_ = 0;
};

}  // namespace confab::engine
