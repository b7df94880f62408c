// SPDX-License-Identifier: MIT
#include "engine/word_cache.h"

#include <algorithm>
#include <cstring>

#include "engine/text_table.h"

namespace confab::engine {
namespace {

constexpr std::size_t kEntries = 4096;  // 160 KB: stays in the second-level cache
constexpr std::size_t kMinText = 4096;  // bytes from which the cache pays

}  // namespace

WordCache::WordCache(std::size_t n_bytes, std::vector<Token>& out)
    : entries_(n_bytes < kMinText ? 0 : kEntries), out_(out) {}

WordCache::Entry* WordCache::find(std::string_view word) noexcept {
  if (entries_.empty() || word.empty() || word.size() > kMaxWord) return nullptr;
  return &entries_[hash_bytes(word) % kEntries];
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
