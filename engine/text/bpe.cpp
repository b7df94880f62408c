// SPDX-License-Identifier: MIT
#include "engine/text/bpe.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/text/bpe_merges.h"
#include "engine/text/spaced_words.h"
#include "engine/text/unicode_class.h"
#include "engine/text/word_cache.h"

namespace confab::engine {
namespace {

// Longer words are merged in parts, so that positions in a word fit an int. No text has such.
constexpr std::size_t kMaxWord = std::size_t{1} << 30;

class BpeEncoder final : public FragmentEncoder {
 public:
  BpeEncoder(const Gguf& gguf, const Vocab& vocab, const PreTokenizer& pre)
      : vocab_(vocab), pre_(pre), merges_(gguf, vocab, pre.plain_text) {}

  void encode(std::string_view text, bool /*starts_text*/, std::vector<Token>& out) const override {
    const std::optional<std::string> repaired = repair_utf8(text);
    if (repaired) text = *repaired;
    std::string unescaped;
    if (pre_.plain_text) {  // where U+2581 and the space are the same
      append_unescaped(text, unescaped);
      text = unescaped;
    }
    std::vector<std::string_view> words;
    pre_tokenize(pre_, text, words);
    MergeScratch scratch;
    WordCache cache(text.size(), out);
    const auto use = [&](std::string_view word) {
      for (; word.size() > kMaxWord; word.remove_prefix(kMaxWord)) {
        encode_word(word.substr(0, kMaxWord), scratch, out);
      }
      cache.append(word, [&](std::string_view w) { encode_word(w, scratch, out); });
    };
    for (const std::string_view word : words) {
      if (pre_.plain_text) {
        for_each_word(word, merges_.borders(), use);
      } else {
        use(word);
      }
    }
  }

 private:
  void encode_word(std::string_view word, MergeScratch& scratch, std::vector<Token>& out) const {
    if (pre_.ignore_merges || (pre_.gemma4 && word[0] == '\n')) {
      if (const Token token = merges_.find_token(word); token >= 0) {
        out.push_back(token);
        return;
      }
    }
    merges_.merge(word, scratch);
    const auto& symbols = scratch.symbols;
    for (int i = 0; i >= 0;) {
      const auto& symbol = symbols[static_cast<std::size_t>(i)];
      if (symbol.id < vocab_.n_tokens()) {
        out.push_back(symbol.id);
      } else {
        append_bytes_of(word.substr(symbol.begin, scratch.size_of(symbol, word.size())), out);
      }
      i = symbol.next;
    }
  }

  // For a symbol that is no token; bytes that are none either become the unknown token, or are
  // left out when the vocabulary has none.
  void append_bytes_of(std::string_view symbol, std::vector<Token>& out) const {
    for (std::size_t i = 0; i < symbol.size(); ++i) {
      Token token = pre_.plain_text ? -1 : merges_.find_token(symbol.substr(i, 1));
      if (token < 0) token = vocab_.byte_token(static_cast<unsigned char>(symbol[i]));
      if (token < 0) token = vocab_.unk().value_or(-1);
      if (token >= 0) out.push_back(token);
    }
  }

  const Vocab& vocab_;
  const PreTokenizer& pre_;
  BpeMerges merges_;
};

}  // namespace

const PreTokenizer& pre_tokenizer_of(const Gguf& gguf) {
  auto name = gguf.find_string("tokenizer.ggml.pre");
  if (gguf.find_string("tokenizer.ggml.model") == "gemma4") name = "gemma4";
  const PreTokenizer* rule = find_pre_tokenizer(name);
  if (rule == nullptr) {
    gguf.fail(fmt::format("unknown pre-tokenizer \"{}\" (tokenizer.ggml.pre), known: {}",
                          printable(*name), known_pre_tokenizers()));
  }
  return *rule;
}

std::unique_ptr<const FragmentEncoder> make_bpe_encoder(const Gguf& gguf, const Vocab& vocab,
                                                        const PreTokenizer& pre) {
  return std::make_unique<BpeEncoder>(gguf, vocab, pre);
}

}  // namespace confab::engine
