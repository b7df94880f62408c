// SPDX-License-Identifier: MIT
// Vocabulary-only GGUF files for tests of the tokenizers.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/gguf.h"
#include "engine/text/unicode_class.h"
#include "engine/utf8.h"
#include "tests/engine/gguf/gguf_writer.h"
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

// Byte-level BPE where any two neighbours of some sixty bytes merge, once: so the ids of a text
// tell where its words begin. 256 bytes, the pairs, and three tokens as in tiny_vocab().
inline GgufWriter pair_vocabulary(const std::string& pre) {
  static constexpr std::string_view kCharacters =
      " aAeElLsSvtZz'.,!(/<_$09\r\n\té中カ가\u0301٣\u3000😀";
  std::string bytes;
  for (const char c : kCharacters) {
    if (bytes.find(c) == bytes.npos) bytes += c;
  }
  const TinyVocab tiny = tiny_vocab();
  const auto text_of = [&](char c) { return tiny.tokens[static_cast<unsigned char>(c)]; };
  TinyVocab vocab{{tiny.tokens.begin(), tiny.tokens.begin() + 256}, {}, {}};
  for (const char left : bytes) {
    for (const char right : bytes) {
      vocab.merges.push_back(text_of(left) + " " + text_of(right));
      vocab.tokens.push_back(text_of(left) + text_of(right));
    }
  }
  vocab.types.assign(vocab.tokens.size(), 1);
  for (const char* special : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) {
    vocab.tokens.emplace_back(special);
    vocab.types.push_back(3);
  }
  GgufWriter gguf;
  gguf.add("general.architecture", "llama");
  gguf.add("tokenizer.ggml.model", "gpt2").add("tokenizer.ggml.pre", pre);
  gguf.add_array("tokenizer.ggml.tokens", vocab.tokens);
  gguf.add_array("tokenizer.ggml.token_type", vocab.types);
  gguf.add_array("tokenizer.ggml.merges", vocab.merges);
  return gguf;
}

// Gemma 4's kind of BPE. <pad> 0, <eos> 1, <bos> 2, <unk> 3, <turn|> 4, <b> 5 (user-defined), the
// 256 bytes from 6, then what kPlainTexts lists from 262.
inline constexpr std::int32_t kPlainFirst = 262;
inline constexpr std::string_view kPlainTexts[] = {"\u2581",
                                                   "a",
                                                   "b",
                                                   "é",
                                                   "中",
                                                   "👩",
                                                   "\u200D",
                                                   "\n",
                                                   "\n\n",
                                                   "\n\n\n",
                                                   "\u2581\u2581",
                                                   "ab",
                                                   "\u2581a",
                                                   "\u2581ab",
                                                   "中中",
                                                   "👩\u200D",
                                                   "\u2581\u2581\u2581\u2581"};

inline GgufWriter plain_vocabulary() {
  std::vector<std::string> tokens{"<pad>", "<eos>", "<bos>", "<unk>", "<turn|>", "<b>"};
  std::vector<std::int32_t> types{3, 3, 3, 2, 3, 4};
  for (int byte = 0; byte < 256; ++byte) {
    const std::string_view digits = "0123456789ABCDEF";
    const auto digit = [&](int i) { return digits[static_cast<std::size_t>(i)]; };
    tokens.push_back(std::string("<0x") + digit(byte >> 4) + digit(byte & 15) + ">");
    types.push_back(6);
  }
  tokens.insert(tokens.end(), std::begin(kPlainTexts), std::end(kPlainTexts));
  types.resize(tokens.size(), 1);
  const std::vector<std::string> merges{"a b",
                                        "\u2581 \u2581",
                                        "\u2581 ab",
                                        "\u2581 a",
                                        "中 中",
                                        "👩 \u200D",
                                        "\u2581\u2581 \u2581\u2581"};
  GgufWriter gguf;
  gguf.add("general.architecture", "llama");
  gguf.add("tokenizer.ggml.model", "gemma4");
  gguf.add_array("tokenizer.ggml.tokens", tokens);
  gguf.add_array("tokenizer.ggml.token_type", types);
  gguf.add_array("tokenizer.ggml.merges", merges);
  gguf.add("tokenizer.ggml.bos_token_id", std::uint32_t{2});
  gguf.add("tokenizer.ggml.eos_token_id", std::uint32_t{1});
  gguf.add("tokenizer.ggml.unknown_token_id", std::uint32_t{3});
  gguf.add("tokenizer.ggml.add_bos_token", false);
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
