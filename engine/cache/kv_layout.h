// SPDX-License-Identifier: MIT
// Where keys and values are inside a block of the KV cache. For each layer with its own keys and
// values, there is K, then V, each [n_head_kv, kBlockTokens, head_dim] in the cache's type.
//
// A windowed layer reads no rows further back than its window. A block that all windowed layers
// have left behind is spent: its windowed() bytes are no longer needed.
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
// Number of blocks for so many tokens, at most INT_MAX - kBlockTokens.
constexpr int count_blocks(int n_tokens) noexcept {
  return (n_tokens + kBlockTokens - 1) / kBlockTokens;
}

// How many of a sequence's last tokens can be taken back, for example to write an answer again,
// before spent rows are missing.
inline constexpr int kWindowSlack = 1024;

// The rotations (cache_type.h) of a layer's rows: `keys` for the keys and so also for the queries,
// `values` for the values. The outputs of attention need the inverse of the latter. 0: none.
struct Rotations {
  int keys;
  int values;
};

class KvLayout {
 public:
  // type_k and type_v must be in cache_types(). Throws ModelError for any other type, and for a
  // quantised one if the head size is not a multiple of 32 (plan_context() chooses F16 then).
  KvLayout(const Hparams& hparams, kernels::Dtype type_k, kernels::Dtype type_v);

  struct Slice {  // where the keys or the values of a layer are in a block
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
  // Offset of a slice's row inside its block; `pos` is the token's position.
  static std::size_t row_offset(const Slice& slice, int head_kv, int pos) noexcept {
    return slice.offset +
           slice.row_bytes * static_cast<std::size_t>(head_kv * kBlockTokens + pos % kBlockTokens);
  }

  // Whole memory pages of a block that only windowed layers read, in order.
  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  std::span<const Range> windowed() const noexcept { return windowed_; }
  std::size_t windowed_bytes() const noexcept;
  // The first block that a token at `pos` reads in the layer with the longest window.
  int first_read(int pos) const noexcept { return std::max(0, pos - window_ + 1) / kBlockTokens; }
  // How many blocks at the start of a sequence of n_tokens are spent; 0 if no layer has a window.
  int n_spent(int n_tokens) const noexcept {
    return windowed_.empty() ? 0 : first_read(std::max(0, n_tokens - kWindowSlack));
  }
  // Most blocks that are not spent while up to n_batch tokens run, in a sequence of up to n_ctx.
  int n_unspent(int n_ctx, int n_batch) const noexcept;

  // The sizes of the parts of a block of n rows: K and V of each layer, then padding.
  std::vector<std::uint64_t> segments(int n) const;
  // Bytes of the first n rows of a block, packed; for all rows, the whole block with its padding.
  std::size_t payload_bytes(int n) const noexcept;
  // The first n rows of a block, packed. n must be less than kBlockTokens; a full block is used as
  // it is.
  std::vector<std::byte> packed_rows(const std::byte* block, int n) const;
  // Copies the first n rows of a payload with n_stored rows to their places in a block.
  void copy_rows(const std::byte* payload, int n_stored, int n, std::byte* block) const noexcept;

 private:
  // Calls f(slice, n_head_kv) for each K and V in a block, in order of their offsets.
  template <typename F>
  void for_each_slice(F f) const;
  Slice take(kernels::Dtype dtype, std::size_t row_bytes, int n_head_kv);
  void find_windowed(const Hparams& hparams);

  std::size_t block_bytes_ = 0;
  int window_ = 0;  // the longest window of any layer; 0 if there is none
  std::vector<Range> windowed_;
  std::vector<Layer> layers_;  // all layers; some share the place of an earlier one
};

}  // namespace confab::engine
