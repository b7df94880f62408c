// SPDX-License-Identifier: MIT
#include "engine/cache/paged_sequence.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace confab::engine {

PagedSequence::PagedSequence(PagedSequences& all)
    : all_(all), cache(all.hparams_, all.pool_, all.n_ctx_, all.max_in_flight_) {
  tokens_.reserve(static_cast<std::size_t>(cache.n_ctx()));
  all_.sequences_.push_back(this);
}

PagedSequence::PagedSequence(const PagedSequence& other, int n)
    : all_(other.all_), cache(other.cache, n) {
  tokens_.reserve(static_cast<std::size_t>(cache.n_ctx()));
  tokens_.assign(other.tokens_.begin(), other.tokens_.begin() + cache.n_tokens());
  all_.sequences_.push_back(this);
}

PagedSequence::~PagedSequence() {
  std::erase(all_.sequences_, this);
}

std::unique_ptr<Sequence> PagedSequence::fork(int n) const {
  return std::make_unique<PagedSequence>(*this, n);
}

BlockPayload PagedSequence::block(int i) const {
  return {.bytes = cache.block(i),
          .segments = cache.layout().segments(kBlockTokens),
          .owner = cache.page(i)};
}

std::vector<std::byte> PagedSequence::packed_rows(int i, int n) const {
  return cache.packed_rows(i, n);
}

std::vector<std::uint64_t> PagedSequence::segments(int n) const {
  return cache.layout().segments(n);
}

void PagedSequence::append(std::span<const Token> tokens) {
  const int n_before = n_tokens();
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  const KvLayout& layout = cache.layout();
  if (layout.n_spent(n_before) != layout.n_spent(n_tokens())) all_.may_be_spent_ = true;
}

std::optional<std::size_t> PagedSequence::restore_state(StoredBlock& stored,
                                                        std::span<const Token> tokens) {
  const int n = static_cast<int>(tokens.size());
  const auto copied = cache.restore_block(cache.n_tokens() / kBlockTokens, stored, n);
  all_.may_be_spent_ = true;
  all_.release_spent();
  return copied;
}

// The store may hold the page too. It does not count as one of the holders here, so the page is not
// spent yet.
bool PagedSequences::is_spent(int i, const PageRef& page) const noexcept {
  long n_holds = 0;
  for (const PagedSequence* sequence : sequences_) {
    const KvCache& cache = sequence->cache;
    const bool done = i < cache.layout().n_spent(cache.n_tokens());
    n_holds += done && cache.page(i) == page ? 1 : 0;
  }
  if (n_holds != page.use_count()) return false;
  std::atomic_thread_fence(std::memory_order_acquire);  // as in KvCache::make_room()
  return true;
}

void PagedSequences::release_spent() noexcept {
  if (!std::exchange(may_be_spent_, false)) return;
  for (const PagedSequence* sequence : sequences_) {
    const KvCache& cache = sequence->cache;
    for (int i = 0; i < cache.layout().n_spent(cache.n_tokens()); ++i) {
      const PageRef& page = cache.page(i);
      if (!page->spent && is_spent(i, page)) pool_->spend(*page);
    }
  }
}

bool PagedSequences::drop_lost() noexcept {
  constexpr int kMaxLosses = 3;  // files that keep getting lost are no longer mapped
  const std::optional<int> slot = pool_->take_lost();
  if (!slot) return false;
  if (++n_losses_ >= kMaxLosses) pool_->stop_mapping();
  for (PagedSequence* sequence : sequences_) {
    const std::optional<int> block = sequence->cache.first_lost(*slot);
    const int n_sure = block ? *block * kBlockTokens : sequence->n_tokens();
    sequence->truncate(std::min(n_sure, sequence->n_tokens()));
  }
  return true;
}

void PagedSequences::replace(const WrittenBlock& written) {
  const auto page = std::static_pointer_cast<const Page>(written.owner);
  if (page.use_count() <= 2) return;  // only this function and `written` hold it
  replace_page(*pool_, const_cast<Page&>(*page), *written.block);
}

}  // namespace confab::engine
