// SPDX-License-Identifier: MIT
// Keys and values of the tokens of one sequence, and the state of recurrent layers. Because of it,
// decoding a token costs one token and not the whole text.
//
// Rows are kept in blocks of kBlockTokens positions (kv_layout.h), each in a page of a pool that
// sequences share. A fork holds the same pages. Invariant: positions [0, n_tokens()) are valid in
// every layer; the rest is garbage. Before positions are written, make_room() copies pages that are
// mapped from a file or held by others as well. In windowed layers, the rows of spent blocks
// (kv_layout.h) may be gone; no later token reads them.
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

// The inputs of the output layer for the last tokens of a sequence. The model's own head, which
// guesses further tokens, continues from them.
class OutputTail {
 public:
  // Only the last rows of a run are kept. A draft is never cut back further than these.
  static constexpr int kMaxRows = 16;

  // Rows have n_embd values; 0: nothing is kept.
  explicit OutputTail(int n_embd);

  // Replaces all rows with these, [n, n_embd], of the tokens from position `pos` on.
  void set(int pos, std::span<const float> rows) noexcept;
  // The row of a position, or nullptr if it is not known. Borrowed until the next set() or
  // truncate().
  const float* row(int pos) const noexcept;
  // Forgets the tokens from position n on.
  void truncate(int n) noexcept;

 private:
  std::size_t n_embd_;
  std::vector<float> values_;  // [kMaxRows, n_embd]
  int pos_ = 0;                // position of the first row
  int n_ = 0;
};

class KvCache {
 public:
  // An empty cache for at most n_ctx tokens. max_in_flight has the same meaning as in
  // RecurrentState.
  KvCache(const Hparams& hparams, std::shared_ptr<PagePool> pool, int n_ctx, int max_in_flight = 0);
  // The same with its own pool. Throws what KvLayout and PagePool throw.
  KvCache(const Hparams& hparams, int n_ctx, kernels::Dtype type_k, kernels::Dtype type_v,
          int max_in_flight = 0);
  // A cache that begins with the first n_tokens of another, or as many as truncate() would leave.
  KvCache(const KvCache& other, int n_tokens);
  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;

  int n_ctx() const noexcept { return n_ctx_; }
  int n_tokens() const noexcept { return recurrent_.n_tokens(); }
  const KvLayout& layout() const noexcept { return pool_->layout(); }
  std::size_t block_bytes() const noexcept { return layout().block_bytes(); }

  // Where to write the row of position `pos` in one layer and KV head. There must be room for it.
  std::byte* key_row(int il, int head_kv, int pos) noexcept;
  std::byte* value_row(int il, int head_kv, int pos) noexcept;
  // All rows of one layer and KV head, for attention.
  kernels::KvRows keys(int il, int head_kv) const noexcept;
  kernels::KvRows values(int il, int head_kv) const noexcept;
  Rotations rotations(int il) const noexcept { return layout().layer(il).rotations; }

  // Makes the next n positions valid in all layers. With in_flight, recurrent layers can forget
  // them one by one until the next run; recurrent().may_stay_in_flight(n) reports whether that is
  // possible.
  void commit(int n, bool in_flight = false) noexcept;
  // Forgets later positions. Returns how many are left: fewer than requested if recurrent layers
  // cannot go back exactly that far (RecurrentState::truncate()) or rows are gone (n_left()).
  int truncate(int n_tokens) noexcept;
  // How many of the first n positions the next token could continue from. Fewer than n if it would
  // read rows of a spent page.
  int n_left(int n) const noexcept;
  // truncate() can go back to its checkpoints.
  RecurrentState& recurrent() noexcept { return recurrent_; }
  // Kept if the model has its own head that guesses further tokens.
  OutputTail& outputs() noexcept { return outputs_; }

  // Makes the next n positions writable. Throws OutOfPages, and ModelError if the system has no
  // memory; existing positions are then unchanged.
  void make_room(int n);

  // Block i, borrowed. Its rows are valid below n_tokens().
  std::span<const std::byte> block(int i) const noexcept;
  const PageRef& page(int i) const noexcept { return pages_[static_cast<std::size_t>(i)]; }
  bool is_mapped(int i) const noexcept { return page(i)->mapped; }
  // The first n rows of block i: K and V of each layer in turn, with nothing in between. For n =
  // kBlockTokens the same as block(i).
  std::vector<std::byte> packed_rows(int i, int n) const;

  // Takes the first n rows of a stored block as block i and commits them. The block must be the
  // next one: n_tokens() == i * kBlockTokens. A whole block that is wanted entirely is mapped,
  // others are copied. Returns the bytes copied. Returns nullopt, and changes nothing, if the
  // payload is not as large as a block of its rows. Throws as make_room() does.
  std::optional<std::size_t> restore_block(int i, StoredBlock& stored, int n);
  // The pool has lost pages from this slot on: returns the first block that may be one of them.
  // That block and those after it must be computed again.
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
  std::vector<const std::byte*> blocks_;  // their data pointers; the array is never reallocated
};

// Maps a stored copy over a page's memory, if that has not been done yet.
void replace_page(PagePool& pool, Page& page, StoredBlock& stored);

}  // namespace confab::engine
