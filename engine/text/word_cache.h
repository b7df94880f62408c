// SPDX-License-Identifier: MIT
// Remembers where the ids of recent words are in the output of one call, since most words of a text
// repeat.
//
// The cache is direct-mapped, has a fixed size, and belongs to one call on one thread. For a short
// text it allocates nothing and treats every word as new.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer.h"

namespace confab::engine {

class WordCache {
 public:
  // For a text of n_bytes whose ids are appended to `out`, which must outlive the cache.
  WordCache(std::size_t n_bytes, std::vector<Token>& out);

  // Appends the ids of `word` to the output: copied from an earlier occurrence, or by encode(word),
  // which must append them itself.
  template <typename Encode>
  void append(std::string_view word, Encode encode) {
    Entry* entry = find(word);
    if (entry != nullptr && copy(*entry, word)) return;
    const std::size_t begin = out_.size();
    encode(word);
    if (entry != nullptr) remember(*entry, word, begin);
  }

 private:
  static constexpr std::size_t kMaxWord = 23;
  struct Entry {
    std::uint32_t n_ids = 0;
    std::uint8_t size = 0;  // 0: free
    std::array<char, kMaxWord> word{};
    std::size_t begin = 0;  // into out_
  };

  Entry* find(std::string_view word) noexcept;  // nullptr: the word is not cacheable
  bool copy(const Entry& entry, std::string_view word);
  void remember(Entry& entry, std::string_view word, std::size_t begin) noexcept;

  std::vector<Entry> entries_;
  std::vector<Token>& out_;
};

}  // namespace confab::engine
