// SPDX-License-Identifier: MIT
// Finds the tokens that are recognised in a text before anything else is done to it: control
// tokens ("<|im_end|>"), and the user-defined ones ("<think>").
//
// The leftmost match wins, and of those that start there the longest, as for the added tokens of
// Hugging Face tokenizers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer.h"

namespace confab::engine {

class SpecialTokens {
 public:
  struct Entry {
    std::string text;
    Token id = 0;
    bool control = false;  // never matched inside a literal span
    bool rstrip = false;   // swallows the white space after it
  };
  // Part of a text: a special token, or (token < 0) bytes to be tokenised.
  struct Fragment {
    std::string_view text;
    Token token = -1;
  };

  // Texts that are empty or longer than this are left out: they keep matching linear in the text.
  static constexpr std::size_t kMaxText = 256;

  // Of two entries with the same text the first counts.
  explicit SpecialTokens(std::vector<Entry> entries);

  // Fragments in order, none empty; borrowed from `text`. `literal`: sorted, disjoint. A control
  // token that shares a byte with a literal span is not seen.
  std::vector<Fragment> split(std::string_view text, std::span<const ByteSpan> literal) const;

 private:
  // The longest entry at text[pos]; control tokens only when they end by control_end.
  const Entry* longest_at(std::string_view text, std::size_t pos,
                          std::size_t control_end) const noexcept;

  std::vector<Entry> entries_;  // sorted by text
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  std::array<Range, 256> by_first_byte_{};
};

}  // namespace confab::engine
