// SPDX-License-Identifier: MIT
#include "engine/text/spm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/gguf/gguf.h"
#include "engine/text/spaced_words.h"
#include "engine/text/symbol_merger.h"
#include "engine/text/text_table.h"
#include "engine/text/unicode_class.h"
#include "engine/text/word_cache.h"

namespace confab::engine {
namespace {

// Longer words are merged in parts, so that positions in a word fit an int. Real texts have no such
// words.
constexpr std::size_t kMaxWord = std::size_t{1} << 30;
constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581, stands for the space

// Looks only at the first byte. Ill-formed text is cut somewhere and ends up as bytes.
std::size_t char_size(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(size, text.size() - at);
}

// Maps scores to integers that sort highest score first. -0 equals 0. Not for NaN.
std::uint32_t rank_of(float score) {
  constexpr std::uint32_t kSign = 0x80000000U;
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);
  return (bits & kSign) != 0 ? bits : ~(bits | kSign);
}

class SpmEncoder final : public FragmentEncoder {
 public:
  SpmEncoder(const Gguf& gguf, const Vocab& vocab)
      : vocab_(vocab),
        tokens_(static_cast<std::size_t>(vocab.n_tokens())),
        add_space_prefix_(gguf.find_bool("tokenizer.ggml.add_space_prefix").value_or(true)) {
    read_scores(gguf);
    read_tokens(*gguf.find_array<std::string_view>("tokenizer.ggml.tokens"));
  }

  void encode(std::string_view text, bool starts_text, std::vector<Token>& out) const override;

 private:
  void read_scores(const Gguf& gguf);
  template <typename Number>
  void read_scores(const Gguf& gguf, const std::vector<Number>& scores);
  void read_tokens(std::span<const std::string_view> texts);
  // Encodes one word, or the whole text as one. after_prefix: it follows the added space.
  void encode_word(std::string_view word, bool after_prefix, MergeScratch& scratch,
                   std::vector<Token>& out) const;
  void merge(std::string_view word, MergeScratch& scratch) const;
  void append_symbol(std::string_view text, int token, std::vector<Token>& out) const;

  const Vocab& vocab_;
  TextTable tokens_;                  // mergeable tokens, by their text in the file
  std::vector<std::uint32_t> ranks_;  // rank_of() each score
  bool add_space_prefix_;
  WordBorders borders_;
};

void SpmEncoder::read_scores(const Gguf& gguf) {
  const auto n = static_cast<std::size_t>(vocab_.n_tokens());
  ranks_.reserve(n);
  const GgufValue* value = gguf.find("tokenizer.ggml.scores");
  const auto* array = value == nullptr ? nullptr : std::get_if<GgufArray>(value);
  const auto* doubles = array == nullptr ? nullptr : std::get_if<std::vector<double>>(array);
  if (value == nullptr) {  // SentencePiece then numbers its merges in order of score
    for (std::size_t i = 0; i < n; ++i) ranks_.push_back(static_cast<std::uint32_t>(i));
  } else if (doubles != nullptr) {
    read_scores(gguf, *doubles);
  } else {
    read_scores(gguf, *gguf.find_array<float>("tokenizer.ggml.scores"));
  }
}

template <typename Number>
void SpmEncoder::read_scores(const Gguf& gguf, const std::vector<Number>& scores) {
  const auto n = static_cast<std::size_t>(vocab_.n_tokens());
  if (scores.size() < n) {
    gguf.fail(fmt::format("tokenizer.ggml.scores has {} entries, expected {} as in {}",
                          scores.size(), n, "tokenizer.ggml.tokens"));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(scores[i]))
      gguf.fail(fmt::format("tokenizer.ggml.scores[{}] is not a number", i));
    ranks_.push_back(rank_of(static_cast<float>(scores[i])));
  }
}

void SpmEncoder::read_tokens(std::span<const std::string_view> texts) {
  for (Token token = 0; token < vocab_.n_tokens(); ++token) {
    const std::string_view text = texts[static_cast<std::size_t>(token)];
    if (!vocab_.is_mergeable(token)) continue;
    tokens_.insert(text, token);
    borders_.add(text, kSpace);
  }
}

void SpmEncoder::encode(std::string_view text, bool starts_text, std::vector<Token>& out) const {
  if (text.empty()) return;
  bool after_prefix = starts_text && add_space_prefix_;
  MergeScratch scratch;
  WordCache cache(text.size(), out);
  const auto use = [&](std::string_view word) {
    if (after_prefix) {
      encode_word(word, true, scratch, out);
      after_prefix = false;
      return;
    }
    cache.append(word, [&](std::string_view w) { encode_word(w, false, scratch, out); });
  };
  // In ill-formed text a space may be consumed as the tail of a character, so it is not a safe
  // border.
  if (repair_utf8(text)) {
    use(text);
  } else {
    for_each_word(text, borders_, use);
  }
}

void SpmEncoder::encode_word(std::string_view word, bool after_prefix, MergeScratch& scratch,
                             std::vector<Token>& out) const {
  std::string& escaped = scratch.text;
  escaped.clear();
  if (after_prefix) escaped += kSpace;
  for (const char c : word) {
    if (c == ' ') {
      escaped += kSpace;
    } else {
      escaped += c;
    }
  }
  for (std::string_view rest = escaped; !rest.empty();) {
    const std::string_view part = rest.substr(0, kMaxWord);
    merge(part, scratch);
    for (int i = 0; i >= 0;) {
      const Symbol& symbol = scratch.symbols[static_cast<std::size_t>(i)];
      append_symbol(part.substr(symbol.begin, scratch.size_of(symbol, part.size())), symbol.id,
                    out);
      i = symbol.next;
    }
    rest.remove_prefix(part.size());
  }
}

void SpmEncoder::merge(std::string_view word, MergeScratch& scratch) const {
  auto& symbols = scratch.symbols;
  symbols.clear();
  for (std::size_t begin = 0; begin < word.size();) {
    const int i = static_cast<int>(symbols.size());
    const std::size_t size = char_size(word, begin);
    symbols.push_back({tokens_.find(word.substr(begin, size)),
                       i - 1,
                       i + 1,
                       static_cast<std::uint32_t>(begin),
                       {}});
    begin += size;
  }
  symbols.back().next = -1;
  merge_symbols(scratch, [&](const Symbol& left, const Symbol& right) {
    const std::size_t size = right.begin - left.begin + scratch.size_of(right, word.size());
    if (size > tokens_.longest()) return PairMerge();
    const int token = tokens_.find(word.substr(left.begin, size));
    return token < 0 ? PairMerge() : PairMerge{ranks_[static_cast<std::size_t>(token)], token};
  });
}

// Appends the symbol's token or, if it has none, its bytes.
void SpmEncoder::append_symbol(std::string_view text, int token, std::vector<Token>& out) const {
  if (token >= 0) {
    out.push_back(token);
    return;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    Token byte = vocab_.byte_token(static_cast<unsigned char>(text[i]));
    if (byte < 0) byte = tokens_.find(text.substr(i, 1));
    if (byte < 0) byte = vocab_.unk().value_or(-1);
    if (byte >= 0) out.push_back(byte);
  }
}

}  // namespace

std::unique_ptr<const FragmentEncoder> make_spm_encoder(const Gguf& gguf, const Vocab& vocab) {
  return std::make_unique<SpmEncoder>(gguf, vocab);
}

}  // namespace confab::engine
