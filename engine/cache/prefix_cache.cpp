// SPDX-License-Identifier: MIT
#include "engine/cache/prefix_cache.h"

#include <algorithm>
#include <cassert>
#include <exception>
#include <memory>
#include <utility>

namespace confab::engine {
namespace {

int common_prefix(std::span<const Token> a, std::span<const Token> b) noexcept {
  const std::size_t n = std::min(a.size(), b.size());
  const auto end = a.begin() + static_cast<std::ptrdiff_t>(n);
  return static_cast<int>(std::mismatch(a.begin(), end, b.begin()).first - a.begin());
}

std::span<const Token> first(std::span<const Token> tokens, int n) noexcept {
  return tokens.first(static_cast<std::size_t>(n));
}

}  // namespace

PrefixCache::PrefixCache(KvCache& cache, BlockStore* store, std::string fingerprint)
    : cache_(cache),
      store_(is_made_of_blocks(cache) ? store : nullptr),
      fingerprint_(std::move(fingerprint)) {
  tokens_.reserve(static_cast<std::size_t>(cache.n_ctx()));
}

PrefixCache::~PrefixCache() {
  if (store_ != nullptr) store_->settle();
}

void PrefixCache::set_origin(std::int64_t origin) {
  if (store_ != nullptr) store_->set_origin(origin);
}

int PrefixCache::reuse(std::span<const Token> prompt) {
  assert(!prompt.empty() && prompt.size() <= static_cast<std::size_t>(n_ctx()));
  map_written();
  const std::span<const Token> wanted = prompt.first(prompt.size() - 1);
  const int n_common = common_prefix(tokens_, wanted);
  const bool search = worth_a_search(n_common, static_cast<int>(wanted.size()));
  truncate(n_common);
  if (search) restore(wanted);
  return static_cast<int>(tokens_.size());
}

void PrefixCache::append(std::span<const Token> tokens) {
  const std::size_t n_before = tokens_.size();
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  assert(static_cast<int>(tokens_.size()) == cache_.n_tokens());
  if (tokens.size() > 1) cache_.recurrent().checkpoint(cache_.n_tokens());
  if (n_before / kBlockTokens != tokens_.size() / kBlockTokens) keep_blocks();
}

// A block that is mapped came from the store.
void PrefixCache::keep_blocks() {
  if (!has_store() || secret_) return;
  const int n_full = static_cast<int>(tokens_.size()) / kBlockTokens;
  const std::vector<std::uint64_t> segments = cache_.segments(kBlockTokens);
  for (int i = n_kept_ / kBlockTokens; i < n_full; ++i) {
    n_kept_ = (i + 1) * kBlockTokens;
    if (cache_.is_mapped(i)) continue;
    store_->keep_block(fingerprint_, first(tokens_, n_kept_), {cache_.block(i), segments});
  }
  map_written();
}

void PrefixCache::keep() noexcept {
  try {
    keep_blocks();
    keep_tail();
  } catch (const std::exception&) {  // the invariant holds: map_written() has seen to it
  }
}

void PrefixCache::keep_tail() {
  const int n_tokens = static_cast<int>(tokens_.size()), n_tail = n_tokens % kBlockTokens;
  if (!has_store() || secret_ || n_kept_ >= n_tokens || n_tail < kMinTokens) return;
  n_kept_ = n_tokens;
  store_->keep_tail(fingerprint_, tokens_, cache_.packed_rows(n_tokens / kBlockTokens, n_tail),
                    cache_.segments(n_tail));
}

// Between two forward passes nobody reads the memory that is replaced. A block that has neither a
// file nor memory afterwards is forgotten.
void PrefixCache::map_written() {
  if (store_ == nullptr) return;
  for (const WrittenBlock& written : store_->take_written()) {
    if ((written.index + 1) * kBlockTokens > static_cast<int>(tokens_.size())) continue;
    try {
      cache_.replace_block(written.index, *written.block);
    } catch (...) {
      truncate(cache_.n_tokens());
      throw;
    }
  }
}

void PrefixCache::append_first(int n_right, std::span<const Token> tokens) {
  assert(n_right <= static_cast<int>(tokens.size()));
  cache_.truncate(static_cast<int>(tokens_.size()) + n_right);
  append(tokens.first(static_cast<std::size_t>(n_right)));
}

std::optional<std::vector<Token>> PrefixCache::drop_lost() {
  constexpr int kMaxLosses = 3;
  const std::optional<int> lost = cache_.take_lost_block();
  if (!lost) return std::nullopt;
  if (++n_losses_ >= kMaxLosses) cache_.stop_mapping();
  const int n_left = std::min(*lost * kBlockTokens, static_cast<int>(tokens_.size()));
  std::vector<Token> again(tokens_.begin() + n_left, tokens_.end());
  truncate(n_left);
  return again;
}

void PrefixCache::clear() noexcept {
  truncate(0);
}

void PrefixCache::discard() {
  if (has_store()) store_->discard(fingerprint_, tokens_);
  clear();
}

// Rows of a block that is going to be written to must not be read by the store any more.
void PrefixCache::truncate(int n) {
  n = cache_.truncate(n);
  tokens_.resize(static_cast<std::size_t>(n));
  if (store_ != nullptr && n_kept_ / kBlockTokens > n / kBlockTokens) {
    store_->release(n / kBlockTokens);
  }
  n_kept_ = std::min(n_kept_, n);
}

// The store checks all it finds, so it is asked only where it may well know more than memory: at
// the start, after a change of conversation, or when much has been added.
bool PrefixCache::worth_a_search(int n_common, int n_wanted) const noexcept {
  if (!has_store() || n_wanted - n_common < kMinTokens) return false;
  const bool goes_on = n_common == static_cast<int>(tokens_.size());
  return !goes_on || n_common == 0 || n_wanted - n_common >= kBlockTokens;
}

// Replaces the last, partly filled block only by one that holds more of what is wanted.
void PrefixCache::restore(std::span<const Token> wanted) {
  const auto blocks = store_->find(fingerprint_, wanted);
  const int n_wanted = static_cast<int>(wanted.size());
  BlockUse use{.n_wanted = n_wanted};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    StoredBlock& block = *blocks[i];
    const int index = static_cast<int>(i), begin = index * kBlockTokens;
    const int n = std::min({block.n_tokens(), kBlockTokens, n_wanted - begin});
    if (n <= 0) break;
    if (begin + n <= static_cast<int>(tokens_.size())) continue;  // memory has it
    truncate(begin);
    const auto copied = cache_.restore_block(index, block, n);
    if (!copied) break;
    (*copied == 0 ? use.bytes_mapped : use.bytes_copied) +=
        *copied == 0 ? cache_.block_bytes() : *copied;
    const auto more = wanted.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(n));
    tokens_.insert(tokens_.end(), more.begin(), more.end());
    n_kept_ = begin + n;
    use.n_found = n_kept_;
    if (n < kBlockTokens) break;
  }
  store_->record(use);
}

}  // namespace confab::engine
