// SPDX-License-Identifier: MIT
#include "engine/spm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <queue>
#include <string>

#include "engine/gguf.h"
#include "engine/text_table.h"
#include "engine/word_cache.h"

namespace confab::engine {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581 stands for the space

// By the first byte, whatever follows: ill-formed text is cut somewhere and ends as bytes.
std::size_t char_size(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(size, text.size() - at);
}

// Is there a kSpace with something else before it?
bool has_inner_space(std::string_view text) {
  std::size_t i = 0;
  while (text.substr(i, kSpace.size()) == kSpace) i += kSpace.size();
  return text.find(kSpace, i) != text.npos;
}

struct Symbol {
  std::size_t begin = 0;
  std::size_t size = 0;  // 0: merged into the one before
  int prev = -1;
  int next = -1;
};

struct Merge {
  float score = 0;
  int left = 0;
  int right = 0;
  std::size_t size = 0;  // of both together, to tell whether either has changed since
};

struct ByScore {
  bool operator()(const Merge& a, const Merge& b) const {
    return a.score < b.score || (a.score == b.score && a.left > b.left);
  }
};

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
  struct Scratch {
    std::vector<Symbol> symbols;
    std::priority_queue<Merge, std::vector<Merge>, ByScore> queue;
  };

  void read_scores(const Gguf& gguf);
  void read_tokens(std::span<const std::string_view> texts);
  std::string escape(std::string_view text, bool starts_text) const;
  void encode_word(std::string_view word, Scratch& scratch, std::vector<Token>& out) const;
  void push(std::string_view word, int left, int right, Scratch& scratch) const;
  void append_symbol(std::string_view text, std::vector<Token>& out) const;

  const Vocab& vocab_;
  TextTable tokens_;  // the mergeable ones, by their text in the file
  std::vector<float> scores_;
  bool add_space_prefix_;
  bool words_are_independent_ = true;  // no token goes on over the start of a word
};

void SpmEncoder::read_scores(const Gguf& gguf) {
  const auto* scores = gguf.find_array<float>("tokenizer.ggml.scores");
  const auto n = static_cast<std::size_t>(vocab_.n_tokens());
  if (scores == nullptr || scores->size() < n) {
    gguf.fail(fmt::format("tokenizer.ggml.scores has {} entries, expected {} as in {}",
                          scores == nullptr ? 0 : scores->size(), n, "tokenizer.ggml.tokens"));
  }
  scores_.assign(scores->begin(), scores->begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(scores_[i])) {
      gguf.fail(fmt::format("tokenizer.ggml.scores[{}] is not a number", i));
    }
  }
}

void SpmEncoder::read_tokens(std::span<const std::string_view> texts) {
  for (Token token = 0; token < vocab_.n_tokens(); ++token) {
    const std::string_view text = texts[static_cast<std::size_t>(token)];
    if (!vocab_.is_mergeable(token)) continue;
    tokens_.insert(text, token);
    if (has_inner_space(text)) words_are_independent_ = false;
  }
}

std::string SpmEncoder::escape(std::string_view text, bool starts_text) const {
  std::string out;
  out.reserve(text.size() + text.size() / 2);
  if (starts_text && add_space_prefix_) out += kSpace;
  for (const char c : text) {
    if (c == ' ') {
      out += kSpace;
    } else {
      out += c;
    }
  }
  return out;
}

void SpmEncoder::encode(std::string_view text, bool starts_text, std::vector<Token>& out) const {
  const std::string escaped = escape(text, starts_text);
  const std::string_view all = escaped;
  Scratch scratch;
  WordCache cache(all.size(), out);
  const auto flush = [&](std::size_t begin, std::size_t end) {
    cache.append(all.substr(begin, end - begin),
                 [&](std::string_view word) { encode_word(word, scratch, out); });
  };
  std::size_t begin = 0;
  bool after_space = true;
  for (std::size_t i = 0; i < all.size();) {
    const std::size_t size = char_size(all, i);
    const bool space = all.substr(i, size) == kSpace;
    if (space && !after_space && words_are_independent_) {
      flush(begin, i);
      begin = i;
    }
    after_space = space;
    i += size;
  }
  if (begin < all.size()) flush(begin, all.size());
}

void SpmEncoder::push(std::string_view word, int left, int right, Scratch& scratch) const {
  if (left < 0 || right < 0) return;
  const Symbol& a = scratch.symbols[static_cast<std::size_t>(left)];
  const Symbol& b = scratch.symbols[static_cast<std::size_t>(right)];
  const std::size_t size = a.size + b.size;
  if (size > tokens_.longest()) return;
  const int token = tokens_.find(word.substr(a.begin, size));
  if (token < 0) return;
  scratch.queue.push({scores_[static_cast<std::size_t>(token)], left, right, size});
}

void SpmEncoder::encode_word(std::string_view word, Scratch& scratch,
                             std::vector<Token>& out) const {
  auto& symbols = scratch.symbols;
  symbols.clear();
  for (std::size_t i = 0; i < word.size(); i += symbols.back().size) {
    const int index = static_cast<int>(symbols.size());
    symbols.push_back({i, char_size(word, i), index - 1, index + 1});
  }
  symbols.back().next = -1;
  for (int i = 1; i < static_cast<int>(symbols.size()); ++i) push(word, i - 1, i, scratch);

  while (!scratch.queue.empty()) {
    const Merge merge = scratch.queue.top();
    scratch.queue.pop();
    Symbol& left = symbols[static_cast<std::size_t>(merge.left)];
    Symbol& right = symbols[static_cast<std::size_t>(merge.right)];
    if (left.size == 0 || right.size == 0 || left.size + right.size != merge.size) continue;
    left.size += right.size;
    left.next = right.next;
    right.size = 0;
    if (left.next >= 0) symbols[static_cast<std::size_t>(left.next)].prev = merge.left;
    push(word, left.prev, merge.left, scratch);
    push(word, merge.left, left.next, scratch);
  }
  for (int i = 0; i >= 0; i = symbols[static_cast<std::size_t>(i)].next) {
    const Symbol& symbol = symbols[static_cast<std::size_t>(i)];
    append_symbol(word.substr(symbol.begin, symbol.size), out);
  }
}

void SpmEncoder::append_symbol(std::string_view text, std::vector<Token>& out) const {
  if (const int token = tokens_.find(text); token >= 0) {
    out.push_back(token);
    return;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    Token token = vocab_.byte_token(static_cast<unsigned char>(text[i]));
    if (token < 0) token = tokens_.find(text.substr(i, 1));
    if (token < 0) token = vocab_.unk().value_or(-1);
    if (token >= 0) out.push_back(token);
  }
}

}  // namespace

std::unique_ptr<const FragmentEncoder> make_spm_encoder(const Gguf& gguf, const Vocab& vocab) {
  return std::make_unique<SpmEncoder>(gguf, vocab);
}

}  // namespace confab::engine
