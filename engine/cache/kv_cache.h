// SPDX-License-Identifier: MIT
// Keys and values of the tokens of one sequence, and what recurrent layers remember of them: what
// makes decoding a token cost one token.
//
// The rows are in blocks of kBlockTokens positions (kv_layout.h), each in a page of a pool that
// sequences share. A fork holds the same pages. Invariant: positions [0, n_tokens()) are valid in
// every layer; the rest is garbage. Where positions are to be written, a page that is mapped from a
// file, or held by others as well, is copied first: make_room(). In layers with a window, the rows
// of blocks that are spent (kv_layout.h) may be gone: no later token reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/cache/block_store.h"
#include "engine/cache/page_pool.h"
#include "engine/cache/recurrent_state.h"
#include "kernels/dtype.h"
#include "kernels/kernel_table.h"

namespace confab::engine {

struct Hparams;

// What the output read of the last tokens of a sequence: what the model's own head, which guesses
// further tokens, goes on from.
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

class KvCache {
 public:
  // Of at most n_ctx tokens, none yet; max_in_flight as RecurrentState has it.
  KvCache(const Hparams& hparams, std::shared_ptr<PagePool> pool, int n_ctx, int max_in_flight = 0);
  // The same with a pool of its own. Throws as KvLayout and PagePool do.
  KvCache(const Hparams& hparams, int n_ctx, kernels::Dtype type_k, kernels::Dtype type_v,
          int max_in_flight = 0);
  // One that begins with the first n_tokens of another, or as many of them as truncate() would
  // leave.
  KvCache(const KvCache& other, int n_tokens);
  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;

  int n_ctx() const noexcept { return n_ctx_; }
  int n_tokens() const noexcept { return recurrent_.n_tokens(); }
  const KvLayout& layout() const noexcept { return pool_->layout(); }
  std::size_t block_bytes() const noexcept { return layout().block_bytes(); }

  // Where the row of position `pos`, for which there is room, of one layer and KV head is written.
  std::byte* key_row(int il, int head_kv, int pos) noexcept;
  std::byte* value_row(int il, int head_kv, int pos) noexcept;
  // All rows of one layer and KV head, for attention.
  kernels::KvRows keys(int il, int head_kv) const noexcept;
  kernels::KvRows values(int il, int head_kv) const noexcept;
  Rotations rotations(int il) const noexcept { return layout().layer(il).rotations; }

  // The next n positions are now valid in all layers. in_flight: those of recurrent layers can be
  // forgotten one by one until the next run; recurrent().may_stay_in_flight(n) says whether.
  void commit(int n, bool in_flight = false) noexcept;
  // Forgets later positions. Returns how many are left: fewer where recurrent layers cannot forget
  // these alone, as RecurrentState::truncate(), or rows are gone, as n_left().
  int truncate(int n_tokens) noexcept;
  // Of the first n positions, as many as the next one has all rows of that it reads: fewer than n
  // where these are of a page that is spent.
  int n_left(int n) const noexcept;
  // Its checkpoints are the points that truncate() can go back to.
  RecurrentState& recurrent() noexcept { return recurrent_; }
  // Kept where the model has a head of its own that guesses further tokens.
  OutputTail& outputs() noexcept { return outputs_; }

  // Makes the next n positions memory that can be written. Throws OutOfPages, and ModelError when
  // the system has no memory; what there was is as it was.
  void make_room(int n);

  // Block i, borrowed; its rows are valid below n_tokens().
  std::span<const std::byte> block(int i) const noexcept;
  const PageRef& page(int i) const noexcept { return pages_[static_cast<std::size_t>(i)]; }
  bool is_mapped(int i) const noexcept { return page(i)->mapped; }
  // The first n rows of block i, of each layer's K and V in turn, with nothing between them. All
  // kBlockTokens of them are block(i).
  std::vector<std::byte> packed_rows(int i, int n) const;

  // Takes over the first n of a stored block's rows as block i, which must be the next one
  // (n_tokens() == i * kBlockTokens), and commits them: maps a whole block that is all wanted,
  // copies others. Returns the bytes that were copied; nullopt when the payload has another size
  // than a block of its rows: nothing has changed then. Throws as make_room() does.
  std::optional<std::size_t> restore_block(int i, StoredBlock& stored, int n);
  // Of what the pool lost from this slot on, the first block that may be one of these; it and those
  // after it have to be computed again.
  std::optional<int> first_lost(int slot) const noexcept;
  PagePool& pool() noexcept { return *pool_; }

 private:
  kernels::KvRows rows(const KvLayout::Slice& slice, int head_kv) const noexcept;
  std::byte* row(const KvLayout::Slice& slice, int head_kv, int pos) const noexcept;
  void set_page(std::size_t i, PageRef page);
  void forget_from(int pos) noexcept;

  int n_ctx_;
  std::shared_ptr<PagePool> pool_;
  RecurrentState recurrent_;  // counts the tokens
  OutputTail outputs_;
  std::vector<PageRef> pages_;
  std::vector<const std::byte*> blocks_;  // where they are; its memory stays where it is
};

// Maps a stored copy of a page in place of the memory that it has, if nobody has done so yet.
void replace_page(PagePool& pool, Page& page, StoredBlock& stored);

}  // namespace confab::engine
