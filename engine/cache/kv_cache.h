// SPDX-License-Identifier: MIT
// Keys and values of the tokens seen so far, and what recurrent layers remember of them: what makes
// decoding a token cost one token.
//
// Layout: one reserved range of blocks of kBlockTokens positions; in a block, for each layer that
// has keys and values of its own, K then V, each [n_head_kv, kBlockTokens, head_dim] in the cache's
// own type. A block is what a store keeps; it starts at a multiple of 64 KiB, so that a file can be
// mapped over it. Memory is reserved once, for n_ctx rounded up to whole blocks, and backed by
// pages only where tokens have been written. Invariant: positions [0, n_tokens()) are valid in
// every layer; the rest is garbage. A block that is mapped from a file was full, and is read only;
// where positions are to be written, memory is our own: make_room().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/cache/block_store.h"
#include "engine/cache/recurrent_state.h"
#include "engine/platform/fault_guard.h"
#include "engine/platform/mapped_range.h"
#include "kernels/dtype.h"
#include "kernels/kernel_table.h"

namespace confab::engine {

struct Hparams;

inline constexpr int kBlockTokens = 256;

// The rotations (cache_type.h) that the rows of a layer must have, those of keys and with them its
// queries, and those of values, the reverse of which the outputs of attention need; 0: none.
struct Rotations {
  int keys;
  int values;
};

class KvCache {
 public:
  // type_k, type_v: of cache_types(). Throws ModelError for any other type, for a quantised one
  // when the head is no multiple of 32 (plan_context() chooses F16 then), and when the range cannot
  // be reserved.
  KvCache(const Hparams& hparams, int n_ctx, kernels::Dtype type_k, kernels::Dtype type_v);
  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;

  int n_ctx() const noexcept { return n_ctx_; }
  int n_tokens() const noexcept { return n_tokens_; }
  std::size_t block_bytes() const noexcept { return block_bytes_; }

  // Where the row of position `pos` of one layer and KV head is written.
  std::byte* key_row(int il, int head_kv, int pos) noexcept;
  std::byte* value_row(int il, int head_kv, int pos) noexcept;
  // All rows of one layer and KV head, for attention.
  kernels::KvRows keys(int il, int head_kv) const noexcept;
  kernels::KvRows values(int il, int head_kv) const noexcept;
  Rotations rotations(int il) const noexcept { return layer(il).rotations; }

  void commit(int n) noexcept;  // the next n positions are now valid in all layers
  // Forgets later positions. Returns how many are left: with recurrent layers, which cannot forget,
  // those up to the last checkpoint, unless n_tokens are all there are.
  int truncate(int n_tokens) noexcept;
  // Its checkpoints are the points that truncate() can go back to.
  RecurrentState& recurrent() noexcept { return recurrent_; }

  // Makes the next n positions memory that can be written. Throws ModelError when the system has
  // none: then the block that was to have it, and those after it, are lost for good.
  void make_room(int n);

  // Block i, borrowed; its rows are valid below n_tokens().
  std::span<const std::byte> block(int i) const noexcept;
  bool is_mapped(int i) const noexcept { return mapped_[static_cast<std::size_t>(i)]; }
  // The first n rows of block i, of each layer's K and V in turn, with nothing between them. All
  // kBlockTokens of them are block(i).
  std::vector<std::byte> packed_rows(int i, int n) const;
  // The sizes of the parts of a block of n rows: each layer's K and V, and what fills it up.
  std::vector<std::uint64_t> segments(int n) const;

  // Takes over the first n of a stored block's rows as block i, which must be the next one
  // (n_tokens() == i * kBlockTokens), and commits them: maps a whole block that is all wanted,
  // copies others. Returns the bytes that were copied; nullopt when the payload has another size
  // than a block of its rows: nothing has changed then.
  std::optional<std::size_t> restore_block(int i, StoredBlock& stored, int n);
  // Maps a stored copy of block i, which must be full, in place of the memory that it has. Throws
  // as make_room() does, when it can neither be mapped nor get memory again.
  void replace_block(int i, StoredBlock& stored);
  // The first block lost since the last call, because a file under it was truncated or could not be
  // read: it and those after it have to be computed again. To be asked after each forward pass; the
  // logits of a pass that met one are void.
  std::optional<int> take_lost_block() noexcept { return guard_.take_lost(); }
  // From now on blocks are copied, not mapped.
  void stop_mapping() noexcept { may_map_ = false; }

  friend std::size_t kv_block_bytes(const Hparams& hparams, kernels::Dtype type_k,
                                    kernels::Dtype type_v);

 private:
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
  // Where each layer is in a block, and the bytes of the block.
  static std::vector<Layer> lay_out(const Hparams& hparams, kernels::Dtype type_k,
                                    kernels::Dtype type_v, std::size_t& n_bytes);
  const Layer& layer(int il) const noexcept;
  std::byte* row(const Slice& slice, int head_kv, int pos) const noexcept;
  kernels::KvRows rows(const Slice& slice, int head_kv) const noexcept;
  std::size_t payload_bytes(int n_rows) const noexcept;
  // Calls f(slice, n_head_kv) for each K and V that a block has, in the order of their places.
  template <typename F>
  void for_each_slice(F f) const;
  void copy_rows(int i, const std::byte* from, int n_stored, int n) noexcept;
  void make_private(int i, int n_rows);
  [[noreturn]] void fail_without_memory() const;
  int n_blocks() const noexcept { return static_cast<int>(range_.size() / block_bytes_); }
  bool map_block(int i, StoredBlock& stored);

  int n_ctx_;
  int n_tokens_ = 0;
  std::size_t block_bytes_ = 0;
  std::vector<Layer> layers_;  // of all layers; some may be where an earlier one is
  RecurrentState recurrent_;
  platform::MappedRange range_;
  std::vector<bool> mapped_;  // of each block: from a file
  platform::FaultGuard guard_;
  bool may_map_ = true;
};

// The bytes of a block of such a cache. Throws as the constructor of KvCache does.
std::size_t kv_block_bytes(const Hparams& hparams, kernels::Dtype type_k, kernels::Dtype type_v);

// Whether blocks are all there is to remember, so that stored ones can be restored.
inline bool is_made_of_blocks(KvCache& cache) noexcept {
  return cache.recurrent().empty();
}

}  // namespace confab::engine
