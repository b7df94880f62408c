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

// Tokens that are special by their texts, whatever types the file gives them, which are often
// wrong. Source: llama.cpp, src/llama-vocab.cpp.
struct SpecialTexts {
  std::vector<Token> control;
  // Control tokens that are shown: the markers of the harmony format (gpt-oss), which structure an
  // answer.
  std::vector<Token> markers;
  std::vector<Token> normal;  // ordinary text that looks special
  std::vector<Token> eog;     // end of generation; disjoint from `markers` and `normal`
};

// `texts` is tokenizer.ggml.tokens. Tokens for fill-in-the-middle that the file names by keys are
// not searched for by text.
SpecialTexts find_special_texts(const Gguf& gguf, std::span<const std::string_view> texts);

// Finds the tokens that are recognised in a text before anything else is done to it: control tokens
// ("<|im_end|>") and user-defined tokens ("<think>").
//
// Where tokens overlap, the longest wins, and the leftmost of equally long ones. This is the order
// in which llama.cpp takes them out of a text (src/llama-vocab.cpp, tokenizer_st_partition).
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

  // Texts that are empty or longer than this are ignored, which keeps matching linear in the text.
  static constexpr std::size_t kMaxText = 256;

  // If two entries have the same text, the first counts.
  explicit SpecialTokens(std::vector<Entry> entries);

  // Returns non-empty fragments in order, borrowed from `text`. `literal` must be sorted and
  // disjoint. A control token that shares a byte with a literal span is not recognised. Takes
  // linear time, except n log n in a stretch of overlapping tokens.
  std::vector<Fragment> split(std::string_view text, std::span<const ByteSpan> literal) const;

 private:
  struct Match {
    std::size_t begin = 0;
    std::size_t control_end = 0;  // a control token must end at or before it
    const Entry* entry = nullptr;
  };
  // The longest entry at text[pos]. Control tokens count only if they end by control_end.
  const Entry* longest_at(std::string_view text, std::size_t pos,
                          std::size_t control_end) const noexcept;
  // The longest entry at each position where one starts.
  std::vector<Match> find_all(std::string_view text, std::span<const ByteSpan> literal) const;
  // Appends the winners among overlapping `matches`, sorted by position.
  void resolve(std::string_view text, std::span<const Match> matches,
               std::vector<Match>& winners) const;
  // The end of the match, including the white space that it swallows.
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
