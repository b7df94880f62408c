// SPDX-License-Identifier: MIT
// Where keys and values are in a block of the KV cache: for each layer that has keys and values of
// its own, K then V, each [n_head_kv, kBlockTokens, head_dim] in the cache's own type.
//
// A layer with a window reads no row that is farther back. A block that all of them have left
// behind is spent: its windowed() bytes are needed no more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/dtype.h"

namespace confab::engine {

struct Hparams;

inline constexpr int kBlockTokens = 256;
// That so many tokens, at most INT_MAX - kBlockTokens, take.
constexpr int count_blocks(int n_tokens) noexcept {
  return (n_tokens + kBlockTokens - 1) / kBlockTokens;
}

// So many of a sequence's last tokens may be taken back, for an answer that is written again, say,
// before rows are missing that were spent.
inline constexpr int kWindowSlack = 1024;

// The rotations (cache_type.h) that the rows of a layer must have, those of keys and with them its
// queries, and those of values, the reverse of which the outputs of attention need; 0: none.
struct Rotations {
  int keys;
  int values;
};

class KvLayout {
 public:
  // type_k, type_v: of cache_types(). Throws ModelError for any other type, and for a quantised one
  // when the head is no multiple of 32 (plan_context() chooses F16 then).
  KvLayout(const Hparams& hparams, kernels::Dtype type_k, kernels::Dtype type_v);

  struct Slice {  // the keys or the values of a layer: where they are in a block
    kernels::Dtype dtype;
    std::size_t row_bytes;
    std::size_t offset;  // of head 0
  };
  struct Layer {
    int n_head_kv;
    Slice k;
    Slice v;
    Rotations rotations;
  };
  const Layer& layer(int il) const noexcept;
  // A multiple of 64 KiB, so that a file can be mapped over a block.
  std::size_t block_bytes() const noexcept { return block_bytes_; }
  // Where a row of a slice is in its block; pos is that of the token.
  static std::size_t row_offset(const Slice& slice, int head_kv, int pos) noexcept {
    return slice.offset +
           slice.row_bytes * static_cast<std::size_t>(head_kv * kBlockTokens + pos % kBlockTokens);
  }

  // What only layers with a window read of a block: whole pages of memory, in their order.
  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  std::span<const Range> windowed() const noexcept { return windowed_; }
  std::size_t windowed_bytes() const noexcept;
  // The first block that a token at `pos` reads in layers with a window, in the longest of these.
  int first_read(int pos) const noexcept { return std::max(0, pos - window_ + 1) / kBlockTokens; }
  // The blocks of a sequence of n_tokens that are spent, the first ones; 0: no layer has a window.
  int n_spent(int n_tokens) const noexcept {
    return windowed_.empty() ? 0 : first_read(std::max(0, n_tokens - kWindowSlack));
  }
  // The others while n_batch tokens are run, at most, of a sequence of up to n_ctx.
  int n_unspent(int n_ctx, int n_batch) const noexcept;

  // The sizes of the parts of a block of n rows: each layer's K and V, and what fills it up.
  std::vector<std::uint64_t> segments(int n) const;
  // The bytes of the first n rows of a block, with nothing between them; of all of them, those of
  // the block.
  std::size_t payload_bytes(int n) const noexcept;
  // These rows of a block, brought together; n below kBlockTokens, or the block is they.
  std::vector<std::byte> packed_rows(const std::byte* block, int n) const;
  // The first n rows of a payload of n_stored, to where they are in a block.
  void copy_rows(const std::byte* payload, int n_stored, int n, std::byte* block) const noexcept;

 private:
  // Calls f(slice, n_head_kv) for each K and V that a block has, in the order of their places.
  template <typename F>
  void for_each_slice(F f) const;
  Slice take(kernels::Dtype dtype, std::size_t row_bytes, int n_head_kv);
  void find_windowed(const Hparams& hparams);

  std::size_t block_bytes_ = 0;
  int window_ = 0;  // the longest of a layer; 0: none has any
  std::vector<Range> windowed_;
  std::vector<Layer> layers_;  // of all layers; some may be where an earlier one is
};

}  // namespace confab::engine
