// SPDX-License-Identifier: MIT
#include "engine/text/word_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/text/text_table.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxEntries = 16384;  // 640 KB, so it stays in the second-level cache
constexpr std::size_t kMinText = 4096;      // bytes from which the cache pays off

// The number of entries is a power of two. It grows with the text, so that a short text does not
// pay for a large table.
std::size_t entries_for(std::size_t n_bytes) {
  return n_bytes < kMinText ? 0 : std::min(kMaxEntries, std::bit_floor(n_bytes / 4));
}

}  // namespace

WordCache::WordCache(std::size_t n_bytes, std::vector<Token>& out)
    : entries_(entries_for(n_bytes)), out_(out) {}

WordCache::Entry* WordCache::find(std::string_view word) noexcept {
  if (entries_.empty() || word.empty() || word.size() > kMaxWord) return nullptr;
  return &entries_[hash_bytes(word) & (entries_.size() - 1)];
}

bool WordCache::copy(const Entry& entry, std::string_view word) {
  if (entry.size != word.size()) return false;
  if (std::memcmp(entry.word.data(), word.data(), word.size()) != 0) return false;
  const std::size_t at = out_.size();
  out_.resize(at + entry.n_ids);
  std::copy_n(&out_[entry.begin], entry.n_ids, out_.data() + at);
  return true;
}

void WordCache::remember(Entry& entry, std::string_view word, std::size_t begin) noexcept {
  entry.n_ids = static_cast<std::uint32_t>(out_.size() - begin);
  entry.size = static_cast<std::uint8_t>(entry.n_ids == 0 ? 0 : word.size());
  std::copy(word.begin(), word.end(), entry.word.begin());
  entry.begin = begin;
}

}  // namespace confab::engine
