// SPDX-License-Identifier: MIT
#include "engine/cache/kv_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <utility>

#include "engine/error.h"
#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

int checked_n_ctx(int n_ctx) {
  if (n_ctx < 1) throw ModelError(fmt::format("KV cache: a context of {} tokens", n_ctx));
  return n_ctx;
}

}  // namespace

KvCache::KvCache(const Hparams& hp, std::shared_ptr<PagePool> pool, int n_ctx, int max_in_flight)
    : n_ctx_(checked_n_ctx(n_ctx)),
      pool_(std::move(pool)),
      recurrent_(hp, max_in_flight),
      outputs_(hp.has_nextn_head() ? hp.n_embd : 0) {
  const auto n_blocks = static_cast<std::size_t>(count_blocks(n_ctx));
  pages_.reserve(n_blocks);
  blocks_.reserve(n_blocks);
}

KvCache::KvCache(const Hparams& hp, int n_ctx, kernels::Dtype type_k, kernels::Dtype type_v,
                 int max_in_flight)
    : KvCache(hp, PagePool::make(KvLayout(hp, type_k, type_v), count_blocks(checked_n_ctx(n_ctx))),
              n_ctx, max_in_flight) {}

KvCache::KvCache(const KvCache& other, int n_tokens)
    : n_ctx_(other.n_ctx_),
      pool_(other.pool_),
      recurrent_(other.recurrent_, other.n_left(n_tokens)),
      outputs_(other.outputs_) {
  pages_.reserve(other.pages_.capacity());
  blocks_.reserve(other.blocks_.capacity());
  pages_ = other.pages_;
  blocks_ = other.blocks_;
  forget_from(recurrent_.n_tokens());
}

std::byte* KvCache::row(const KvLayout::Slice& slice, int head_kv, int pos) const noexcept {
  assert(pos >= 0 && static_cast<std::size_t>(pos / kBlockTokens) < pages_.size());
  return page(pos / kBlockTokens)->data + KvLayout::row_offset(slice, head_kv, pos);
}

kernels::KvRows KvCache::rows(const KvLayout::Slice& slice, int head_kv) const noexcept {
  return {slice.dtype, blocks_.data(), KvLayout::row_offset(slice, head_kv, 0), kBlockTokens,
          slice.row_bytes};
}

std::byte* KvCache::key_row(int il, int head_kv, int pos) noexcept {
  return row(layout().layer(il).k, head_kv, pos);
}
std::byte* KvCache::value_row(int il, int head_kv, int pos) noexcept {
  return row(layout().layer(il).v, head_kv, pos);
}
kernels::KvRows KvCache::keys(int il, int head_kv) const noexcept {
  return rows(layout().layer(il).k, head_kv);
}
kernels::KvRows KvCache::values(int il, int head_kv) const noexcept {
  return rows(layout().layer(il).v, head_kv);
}

void KvCache::commit(int n, bool in_flight) noexcept {
  assert(n >= 0 && n <= n_ctx_ - n_tokens());
  recurrent_.commit(n, in_flight);
}

// Leaves recurrent layers alone.
void KvCache::forget_from(int pos) noexcept {
  outputs_.truncate(pos);
  const auto n_left = static_cast<std::size_t>(count_blocks(pos));
  if (pages_.size() <= n_left) return;
  pages_.resize(n_left);
  blocks_.resize(n_left);
}

int KvCache::truncate(int n_tokens) noexcept {
  forget_from(recurrent_.truncate(n_left(n_tokens)));
  return recurrent_.n_tokens();
}

int KvCache::n_left(int n) const noexcept {
  if (layout().windowed().empty()) return n;
  n = std::min(n, n_tokens());
  for (int i = count_blocks(n); i-- > layout().first_read(n);) {
    if (!page(i)->is_whole()) n = i * kBlockTokens;
  }
  return n;
}

std::span<const std::byte> KvCache::block(int i) const noexcept {
  return {page(i)->data, block_bytes()};
}

std::vector<std::byte> KvCache::packed_rows(int i, int n) const {
  assert(n > 0 && i * kBlockTokens + n <= n_tokens());
  return layout().packed_rows(page(i)->data, n);
}

void KvCache::set_page(std::size_t i, PageRef page) {
  if (i == pages_.size()) {
    pages_.emplace_back();
    blocks_.push_back(nullptr);
  }
  blocks_[i] = page->data;
  pages_[i] = std::move(page);
}

void KvCache::make_room(int n) {
  assert(n > 0 && n <= n_ctx_ - n_tokens());
  pool_->check();
  const int last = (n_tokens() + n - 1) / kBlockTokens;
  for (int i = n_tokens() / kBlockTokens; i <= last; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool is_there = at < pages_.size();
    if (is_there && !is_mapped(i) && page(i).use_count() == 1) {
      // use_count() is a relaxed load. The fence orders another thread's use of the page, for
      // example the storage thread's reading, before this thread's writes.
      std::atomic_thread_fence(std::memory_order_acquire);
      continue;
    }
    PageRef own = pool_->take();
    const int n_rows = n_tokens() - i * kBlockTokens;
    if (n_rows > 0) layout().copy_rows(page(i)->data, kBlockTokens, n_rows, own->data);
    set_page(at, std::move(own));
  }
}

std::optional<std::size_t> KvCache::restore_block(int i, StoredBlock& stored, int n) {
  assert(recurrent_.empty());
  assert(n_tokens() == i * kBlockTokens && n >= 1);
  if (n > stored.n_stored() || stored.n_stored() > kBlockTokens || i * kBlockTokens + n > n_ctx_ ||
      stored.payload().size() != layout().payload_bytes(stored.n_stored())) {
    return std::nullopt;
  }
  make_room(n);
  Page& own = *page(i);
  const bool mapped = n == kBlockTokens && pool_->map(own, stored);
  if (!mapped) layout().copy_rows(stored.payload().data(), stored.n_stored(), n, own.data);
  commit(n);
  return mapped ? 0 : layout().payload_bytes(n);
}

std::optional<int> KvCache::first_lost(int slot) const noexcept {
  const auto lost = std::ranges::find_if(
      pages_, [slot](const PageRef& page) { return page->mapped && page->slot >= slot; });
  if (lost == pages_.end()) return std::nullopt;
  return static_cast<int>(lost - pages_.begin());
}

OutputTail::OutputTail(int n_embd)
    : n_embd_(static_cast<std::size_t>(n_embd)), values_(kMaxRows * n_embd_) {}

void OutputTail::set(int pos, std::span<const float> rows) noexcept {
  if (n_embd_ == 0) return;
  const auto n = static_cast<int>(rows.size() / n_embd_);
  n_ = std::min(n, kMaxRows);
  pos_ = pos + n - n_;
  std::ranges::copy(rows.last(static_cast<std::size_t>(n_) * n_embd_), values_.begin());
}

const float* OutputTail::row(int pos) const noexcept {
  if (pos < pos_ || pos >= pos_ + n_) return nullptr;
  return values_.data() + static_cast<std::size_t>(pos - pos_) * n_embd_;
}

void OutputTail::truncate(int n) noexcept {
  n_ = std::clamp(n - pos_, 0, n_);
}

void replace_page(PagePool& pool, Page& page, StoredBlock& stored) {
  const KvLayout& layout = pool.layout();
  if (stored.payload().size() != layout.block_bytes() || page.mapped) return;
  if (!pool.map(page, stored))
    layout.copy_rows(stored.payload().data(), kBlockTokens, kBlockTokens, page.data);
}

}  // namespace confab::engine
