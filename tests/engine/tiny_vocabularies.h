// SPDX-License-Identifier: MIT
// Vocabulary-only GGUF files for tests of the tokenizers.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf.h"
#include "engine/unicode_class.h"
#include "tests/engine/gguf_writer.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {

// Byte-level BPE with the vocabulary of the tiny models, 300 tokens.
inline GgufWriter bpe_vocabulary(const std::string& pre = "gpt-2") {
  const TinyVocab vocab = tiny_vocab();
  GgufWriter gguf;
  gguf.add("tokenizer.ggml.model", "gpt2").add("tokenizer.ggml.pre", pre);
  gguf.add_array("tokenizer.ggml.tokens", vocab.tokens);
  gguf.add_array("tokenizer.ggml.token_type", vocab.types);
  gguf.add_array("tokenizer.ggml.merges", vocab.merges);
  gguf.add("tokenizer.ggml.bos_token_id", kTinyEndOfText);
  gguf.add("tokenizer.ggml.eos_token_id", kTinyImEnd);
  return gguf;
}

struct SpmToken {
  std::string text;
  float score = 0;
  std::int32_t type = 1;
};

// <unk> 0, <s> 1, </s> 2, the 256 bytes from 3, then these from 259.
inline constexpr std::int32_t kSpmFirst = 259;

inline GgufWriter spm_vocabulary(const std::vector<SpmToken>& more) {
  std::vector<SpmToken> all{{"<unk>", 0, 2}, {"<s>", 0, 3}, {"</s>", 0, 3}};
  for (int byte = 0; byte < 256; ++byte) {
    const std::string_view digits = "0123456789ABCDEF";
    const auto digit = [&](int i) { return digits[static_cast<std::size_t>(i)]; };
    all.push_back({std::string("<0x") + digit(byte >> 4) + digit(byte & 15) + ">", 0, 6});
  }
  all.insert(all.end(), more.begin(), more.end());
  std::vector<std::string> texts;
  std::vector<float> scores;
  std::vector<std::int32_t> types;
  for (const SpmToken& token : all) {
    texts.push_back(token.text);
    scores.push_back(token.score);
    types.push_back(token.type);
  }
  GgufWriter gguf;
  gguf.add("tokenizer.ggml.model", "llama").add("tokenizer.ggml.pre", "default");
  gguf.add_array("tokenizer.ggml.tokens", texts);
  gguf.add_array("tokenizer.ggml.scores", scores);
  gguf.add_array("tokenizer.ggml.token_type", types);
  return gguf;
}

// A file of its own that goes with the object; the vocabulary under test.
class WrittenGguf {
 public:
  explicit WrittenGguf(const GgufWriter& writer) {
    writer.write(folder_ / "vocab.gguf");
    gguf_.emplace(folder_ / "vocab.gguf");
  }
  const Gguf& operator*() const { return *gguf_; }

 private:
  TemporaryFolder folder_;
  std::optional<Gguf> gguf_;
};

// Of ASCII, letters, digits and marks of several scripts, spaces and emoji; n_chars characters.
inline std::string random_text(std::mt19937& rng, int n_chars) {
  static const std::u32string alphabet =
      U"aaaeeesStTdDmMlLvVrR'''    "
      U"\t\n\r\n!?.,~`$+/_-#@09125ßÀéЖж中国はカ가नि\u0301\u00A0\u3000\u2028"
      U"٣Ⅷ½😀👩\u200D💻\uFFFD\u00AD𝒳\U000E0100";
  std::string text;
  for (int i = 0; i < n_chars; ++i) append_utf8(text, alphabet[rng() % alphabet.size()]);
  return text;
}

inline std::string random_bytes(std::mt19937& rng, int n) {
  std::string bytes;
  for (int i = 0; i < n; ++i) bytes += static_cast<char>(rng() % 4 == 0 ? rng() : 'a' + rng() % 4);
  return bytes;
}

}  // namespace confab::engine
