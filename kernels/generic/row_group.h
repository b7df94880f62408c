// SPDX-License-Identifier: MIT
// Rows of quantised weights that are computed together, a lane each, and where the chunks of 256
// columns of theirs lie.
#pragma once

#include "kernels/generic/weight_types.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

// At most n rows from row0 on. Past the last, it is taken again.
template <class S, class Type>
struct RowGroup {
  RowGroup(const WeightRows& w, std::int64_t row0, std::int64_t n) noexcept
      : n_rows(n < S::kLanes ? n : S::kLanes), n_cols(w.n_cols) {
    for (int r = 0; r < S::kLanes; ++r) {
      const std::int64_t row = row0 + (r < n ? r : n - 1);
      rows[r] = w.data + static_cast<std::size_t>(row) * w.row_bytes;
    }
  }

  void advance(std::int64_t n_chunks) noexcept {
    const std::size_t bytes = static_cast<std::size_t>(n_chunks) * Type::chunk_bytes();
    for (const std::byte*& row : rows) row += bytes;
  }
  // Of the chunk that begins at column c.
  int n_blocks(std::int64_t c) const noexcept {
    return n_cols - c < kChunk ? static_cast<int>(n_cols - c) / 32 : kChunkBlocks;
  }

  const std::byte* rows[S::kLanes];
  std::int64_t n_rows, n_cols;
};

// Bytes to be asked for while others are worked on: `bytes` of each of n rows.
template <class S>
class RowsAhead {
 public:
  RowsAhead(const std::byte* first, std::size_t row_bytes, std::size_t bytes, int n) noexcept
      : row_(first), row_bytes_(row_bytes), bytes_(bytes), left_(n) {}

  std::int64_t n_lines() const noexcept {
    return static_cast<std::int64_t>((bytes_ + 63) / 64) * left_;
  }
  // Asks for n more lines of a cache, as far as there are any.
  void fetch(int n) noexcept {
    for (; n > 0 && left_ > 0; --n) {
      S::prefetch_far(row_ + at_);
      at_ += 64;
      if (at_ >= bytes_) {
        at_ = 0;
        row_ += row_bytes_;
        --left_;
      }
    }
  }

 private:
  const std::byte* row_;
  std::size_t row_bytes_, bytes_, at_ = 0;
  int left_;
};

// The Q8Meta of the block at column c of a token's activations.
inline const std::byte* meta_at(const std::byte* token, std::int64_t n_cols,
                                std::int64_t c) noexcept {
  return token + n_cols + c / 32 * static_cast<std::int64_t>(sizeof(Q8Meta));
}

}  // namespace confab::kernels::generic
