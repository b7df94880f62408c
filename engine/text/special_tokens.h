// SPDX-License-Identifier: MIT
// Which tokens of a vocabulary are special, and where they stand in a text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer.h"

namespace confab::engine {

// Tokens that are special by their texts, whatever the file says of their types: many files say it
// wrongly. Source: llama.cpp, src/llama-vocab.cpp.
struct SpecialTexts {
  std::vector<Token> control;
  // Control tokens that are shown: the markers of the harmony format (gpt-oss), which an answer is
  // made of.
  std::vector<Token> markers;
  std::vector<Token> normal;  // text like any other, though it looks special
  std::vector<Token> eog;     // end of generation; none of `markers` and `normal`
};

// `texts`: tokenizer.ggml.tokens. Tokens for fill-in-the-middle that the file names by its keys are
// not looked for by text.
SpecialTexts find_special_texts(const Gguf& gguf, std::span<const std::string_view> texts);

// Finds the tokens that are recognised in a text before anything else is done to it: control
// tokens ("<|im_end|>"), and the user-defined ones ("<think>").
//
// Where tokens overlap the longest wins, and of equally long ones the leftmost: llama.cpp takes
// them out of a text in this order (src/llama-vocab.cpp, tokenizer_st_partition).
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
  // token that shares a byte with a literal span is not seen. Linear in the text, but n log n in a
  // stretch of tokens that overlap.
  std::vector<Fragment> split(std::string_view text, std::span<const ByteSpan> literal) const;

 private:
  struct Match {
    std::size_t begin = 0;
    std::size_t control_end = 0;  // a control token must end by it
    const Entry* entry = nullptr;
  };
  // The longest entry at text[pos]; control tokens only when they end by control_end.
  const Entry* longest_at(std::string_view text, std::size_t pos,
                          std::size_t control_end) const noexcept;
  // The longest entry at every position where one starts.
  std::vector<Match> find_all(std::string_view text, std::span<const ByteSpan> literal) const;
  // Those of the overlapping `matches` that win, by position.
  void resolve(std::string_view text, std::span<const Match> matches,
               std::vector<Match>& winners) const;
  // Where the match ends, with the white space that it swallows.
  static std::size_t end_of(std::string_view text, const Match& match);
  static std::vector<Fragment> fragments_of(std::string_view text, std::span<const Match> winners);

  std::vector<Entry> entries_;  // sorted by text
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  std::array<Range, 256> by_first_byte_{};
};

}  // namespace confab::engine
