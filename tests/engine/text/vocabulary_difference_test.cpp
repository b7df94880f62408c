// SPDX-License-Identifier: MIT
#include "engine/text/vocabulary_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "engine/gguf/gguf.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

struct Specials {
  std::int32_t bos = kTinyEndOfText;
  std::int32_t eos = kTinyImEnd;
};

std::unique_ptr<const Tokenizer> tokenizer(const TinyVocab& vocab, Specials specials = {}) {
  const TemporaryFolder folder;
  GgufWriter file;
  file.add("general.architecture", "llama");
  file.add("tokenizer.ggml.model", "gpt2").add("tokenizer.ggml.pre", "gpt-2");
  file.add_array("tokenizer.ggml.tokens", vocab.tokens);
  file.add_array("tokenizer.ggml.token_type", vocab.types);
  file.add_array("tokenizer.ggml.merges", vocab.merges);
  file.add("tokenizer.ggml.bos_token_id", static_cast<std::uint32_t>(specials.bos));
  file.add("tokenizer.ggml.eos_token_id", static_cast<std::uint32_t>(specials.eos));
  file.write(folder / "vocab.gguf");
  return Tokenizer::load(Gguf(folder / "vocab.gguf"));
}

std::string difference(const TinyVocab& vocab, Specials specials = {}) {
  return vocabulary_difference(*tokenizer(tiny_vocab()), *tokenizer(vocab, specials))
      .value_or("none");
}

TEST(VocabularyDifferenceTest, EqualOnesHaveNone) {
  EXPECT_EQ(difference(tiny_vocab()), "none");
}

TEST(VocabularyDifferenceTest, NamesTheFirstTokenThatIsAnother) {
  TinyVocab vocab = tiny_vocab();
  vocab.tokens[10] = byte_character(10) + "x";
  vocab.tokens[280] = "other";
  EXPECT_EQ(difference(vocab), R"(token 10 is "\x0ax", not "\x0a")");
}

TEST(VocabularyDifferenceTest, CountsWhereOneHasMore) {
  TinyVocab vocab = tiny_vocab();
  vocab.tokens.emplace_back("more");
  vocab.types.push_back(1);
  EXPECT_EQ(difference(vocab), "it has 301 tokens, not 300");
}

// Sizes of a family are filled up to different multiples.
TEST(VocabularyDifferenceTest, FillersMayDiffer) {
  constexpr std::int32_t kUnused = 5;
  TinyVocab vocab = tiny_vocab();
  for (const char* text : {"[PAD300]", "[PAD301]"}) {
    vocab.tokens.emplace_back(text);
    vocab.types.push_back(kUnused);
  }
  EXPECT_EQ(difference(vocab), "none");
  EXPECT_EQ(vocabulary_difference(*tokenizer(vocab), *tokenizer(tiny_vocab())), std::nullopt);
}

TEST(VocabularyDifferenceTest, ControlTokensAreTheSame) {
  TinyVocab vocab = tiny_vocab();
  vocab.types[261] = 3;
  EXPECT_THAT(difference(vocab), testing::MatchesRegex("token 261, \".*\", is a control token"));
  vocab = tiny_vocab();
  vocab.types[kTinyImStart] = 1;
  EXPECT_EQ(difference(vocab), "token 298, \"<|im_start|>\", is no control token");
}

TEST(VocabularyDifferenceTest, EndsAreTheSame) {
  EXPECT_EQ(difference(tiny_vocab(), {.eos = 65}), R"(token 65, "A", ends an answer)");
  EXPECT_EQ(difference(tiny_vocab(), {.bos = kTinyImStart}),
            "the token that begins a text is token 298, not token 297");
}

}  // namespace
}  // namespace confab::engine
