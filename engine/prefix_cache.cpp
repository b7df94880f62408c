// SPDX-License-Identifier: MIT
#include "engine/prefix_cache.h"

#include <algorithm>
#include <cassert>
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
      store_(cache.is_made_of_blocks() ? store : nullptr),
      fingerprint_(std::move(fingerprint)) {
  tokens_.reserve(static_cast<std::size_t>(cache.n_ctx()));
}

int PrefixCache::reuse(std::span<const Token> prompt) {
  assert(!prompt.empty() && prompt.size() <= static_cast<std::size_t>(n_ctx()));
  const std::span<const Token> wanted = prompt.first(prompt.size() - 1);
  const int n_common = common_prefix(tokens_, wanted);
  const bool search = worth_a_search(n_common, static_cast<int>(wanted.size()));
  truncate(n_common);
  if (search) restore(wanted);
  return static_cast<int>(tokens_.size());
}

void PrefixCache::append(std::span<const Token> tokens) noexcept {
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  assert(static_cast<int>(tokens_.size()) == cache_.n_tokens());
  if (tokens.size() > 1) cache_.checkpoint();
}

void PrefixCache::keep() {
  if (store_ == nullptr) return;
  const int n_tokens = static_cast<int>(tokens_.size());
  for (int i = n_kept_ / kBlockTokens; i * kBlockTokens < n_tokens; ++i) {
    const int end = std::min(n_tokens, (i + 1) * kBlockTokens);
    const bool worth_it = end % kBlockTokens == 0 || end % kBlockTokens >= kMinTokens;
    if (end == n_kept_ || !worth_it) break;
    store_->keep(fingerprint_, first(tokens_, end), cache_.block(i));
    n_kept_ = end;
  }
}

void PrefixCache::clear() noexcept {
  truncate(0);
}

void PrefixCache::truncate(int n) noexcept {
  n = cache_.truncate(n);
  tokens_.resize(static_cast<std::size_t>(n));
  n_kept_ = std::min(n_kept_, n);
}

// The store checks all it finds, so it is asked only where it may well know more than memory: at
// the start, after a change of conversation, or when much has been added.
bool PrefixCache::worth_a_search(int n_common, int n_wanted) const noexcept {
  if (store_ == nullptr || n_wanted - n_common < kMinTokens) return false;
  const bool goes_on = n_common == static_cast<int>(tokens_.size());
  return !goes_on || n_common == 0 || n_wanted - n_common >= kBlockTokens;
}

// Replaces the last, partly filled block only by one that holds more of what is wanted.
void PrefixCache::restore(std::span<const Token> wanted) {
  const auto blocks = store_->find(fingerprint_, wanted);
  const int n_wanted = static_cast<int>(wanted.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const StoredBlock& block = *blocks[i];
    const int index = static_cast<int>(i), begin = index * kBlockTokens;
    const int n = std::min({block.n_tokens(), kBlockTokens, n_wanted - begin});
    if (n <= 0 || block.payload().size() != cache_.block_bytes()) return;
    if (begin + n <= static_cast<int>(tokens_.size())) continue;  // memory has it
    truncate(begin);
    cache_.restore_block(index, block.payload(), n);
    append(wanted.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(n)));
    n_kept_ = begin + n;
    if (n < kBlockTokens) return;
  }
}

}  // namespace confab::engine
