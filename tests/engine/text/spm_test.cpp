// SPDX-License-Identifier: MIT
#include "engine/text/spm.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "engine/error.h"
#include "tests/engine/text/tiny_vocabularies.h"

namespace confab::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kS = "\u2581";

Token byte_id(unsigned char byte) {
  return 3 + byte;
}

class Spm {
 public:
  explicit Spm(const GgufWriter& writer)
      : gguf_(writer),
        vocab_(*gguf_, TokenizerModel::spm, true),
        encoder_(make_spm_encoder(*gguf_, vocab_)) {}

  std::vector<Token> operator()(std::string_view text, bool starts_text = false) const {
    std::vector<Token> ids;
    encoder_->encode(text, starts_text, ids);
    return ids;
  }

 private:
  WrittenGguf gguf_;
  Vocab vocab_;
  std::unique_ptr<const FragmentEncoder> encoder_;
};

TEST(SpmTest, HighestScoreFirstThenLeftmost) {
  const std::vector<SpmToken> letters{{"a"}, {"b"}, {"c"}};  // 259, 260, 261
  const auto with = [&](float ab, float bc) {
    auto tokens = letters;
    tokens.push_back({"ab", ab});  // 262
    tokens.push_back({"bc", bc});  // 263
    return spm_vocabulary(tokens);
  };
  EXPECT_THAT(Spm(with(-1, -2))("abc"), ElementsAre(262, 261));
  EXPECT_THAT(Spm(with(-2, -1))("abc"), ElementsAre(259, 263));
  EXPECT_THAT(Spm(with(-1, -1))("abc"), ElementsAre(262, 261));
  EXPECT_THAT(Spm(with(-INFINITY, -1))("abab"), ElementsAre(262, 262));
}

TEST(SpmTest, SpacesAndThePrefix) {
  GgufWriter gguf = spm_vocabulary({{kS}, {"a"}, {kS + "a", 1}, {kS + kS, 2}});
  EXPECT_THAT(Spm(gguf)("a a"), ElementsAre(260, 261));
  EXPECT_THAT(Spm(gguf)("a a", true), ElementsAre(261, 261));
  EXPECT_THAT(Spm(gguf)("  a"), ElementsAre(262, 260));  // the higher score takes both spaces
  EXPECT_THAT(Spm(gguf)(kS + "a"), ElementsAre(261));    // typed as such: the same
  gguf.add("tokenizer.ggml.add_space_prefix", false);
  EXPECT_THAT(Spm(gguf)("a", true), ElementsAre(260));
}

TEST(SpmTest, WhatIsNoTokenIsWrittenAsBytes) {
  const Spm spm(spm_vocabulary({{"a"}}));
  EXPECT_THAT(spm("aé"), ElementsAre(259, byte_id(0xC3), byte_id(0xA9)));
  EXPECT_THAT(spm("\xFF\n"), ElementsAre(byte_id(0xFF), byte_id('\n')));
  EXPECT_THAT(spm(" "), ElementsAre(byte_id(0xE2), byte_id(0x96), byte_id(0x81)));
}

TEST(SpmTest, WithoutByteTokensItIsUnknown) {
  GgufWriter gguf;
  gguf.add("tokenizer.ggml.model", "llama");
  gguf.add_array("tokenizer.ggml.tokens", std::vector<std::string>{"<unk>", "a"});
  gguf.add_array("tokenizer.ggml.scores", std::vector<float>{0, 0});
  EXPECT_THAT(Spm(gguf)("ab"), ElementsAre(1, 0));
}

TEST(SpmTest, NoMergeMakesAControlUnknownOrByteToken) {
  const Spm spm(spm_vocabulary({{"<"}, {"s"}, {">"}, {"<s", 1}, {"s>", 1}, {"/"}, {"</", 1}}));
  EXPECT_THAT(spm("<s>"), ElementsAre(262, 261));
  EXPECT_THAT(spm("</s>"), ElementsAre(265, 263));
}

TEST(SpmTest, TokensAcrossWordsAreFoundWhereThereAreSome) {
  const Spm spm(spm_vocabulary({{kS}, {"a"}, {"b"}, {"a" + kS, 1}, {"a" + kS + "b", 2}}));
  EXPECT_THAT(spm("a b"), ElementsAre(263));
  EXPECT_THAT(spm("a a"), ElementsAre(262, 260));
}

// The definition, in the plainest words: merge the best neighbours until there are none.
std::vector<Token> merge_slowly(const std::vector<SpmToken>& tokens, const std::string& text) {
  std::map<std::string, std::size_t> ids;
  for (std::size_t i = 0; i < tokens.size(); ++i) ids.emplace(tokens[i].text, i);
  std::vector<std::string> parts;
  for (const char c : text) parts.push_back(c == ' ' ? kS : std::string(1, c));
  for (;;) {
    std::size_t best = parts.size();
    float best_score = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ids.find(parts[i] + parts[i + 1]);
      if (found == ids.end()) continue;
      const float score = tokens[found->second].score;
      if (best < parts.size() && score <= best_score) continue;
      best = i;
      best_score = score;
    }
    if (best == parts.size()) break;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  std::vector<Token> out;
  for (const auto& part : parts) out.push_back(kSpmFirst + static_cast<Token>(ids.at(part)));
  return out;
}

TEST(SpmTest, EqualsTheDefinitionOnRandomVocabularies) {
  std::mt19937 rng(20250611);
  for (int round = 0; round < 30; ++round) {
    std::vector<SpmToken> tokens{{"a"}, {"b"}, {kS}};
    for (int i = 0; i < 20; ++i) {
      const auto& left = tokens[rng() % tokens.size()].text;
      const std::string text = left + tokens[rng() % tokens.size()].text;
      const auto same = [&](const SpmToken& t) { return t.text == text; };
      if (std::any_of(tokens.begin(), tokens.end(), same)) continue;
      // In every second round no token goes on over the start of a word.
      if (round % 2 == 0 && text.find(kS, 1) != text.npos) continue;
      tokens.push_back({text, static_cast<float>(rng() % 8)});
    }
    const Spm spm(spm_vocabulary(tokens));
    for (int i = 0; i < 50; ++i) {
      std::string text;
      for (int n = 1 + static_cast<int>(rng() % 30); n > 0; --n) text += "ab "[rng() % 3];
      ASSERT_EQ(spm(text), merge_slowly(tokens, text)) << '"' << text << '"';
    }
  }
}

// A quadratic merge would take minutes.
TEST(SpmTest, OneWordOfAMillionLetters) {
  const Spm spm(spm_vocabulary({{"a"}, {"aa", 1}}));
  EXPECT_EQ(spm(std::string(1'000'000, 'a')).size(), 500'000U);
}

std::string error_of(const GgufWriter& writer) {
  try {
    const Spm spm(writer);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SpmTest, ScoresMayBeDoublesOrLeftOut) {
  const std::vector<SpmToken> tokens{{"a"}, {"b"}, {"c"}, {"bc", 1}, {"ab", 0.5F}};
  GgufWriter gguf = spm_vocabulary(tokens);
  const std::vector<Token> want = Spm(gguf)("abc");
  EXPECT_THAT(want, ElementsAre(259, 262));
  std::vector<double> doubles(264);
  doubles[262] = 1;
  doubles[263] = 0.5;
  gguf.remove("tokenizer.ggml.scores").add_array("tokenizer.ggml.scores", doubles);
  EXPECT_EQ(Spm(gguf)("abc"), want);
  // SentencePiece numbers its merges by their scores.
  EXPECT_EQ(Spm(gguf.remove("tokenizer.ggml.scores"))("abc"), want);
}

TEST(SpmTest, BrokenScoresAreRefused) {
  GgufWriter gguf = spm_vocabulary({{"a"}});
  gguf.remove("tokenizer.ggml.scores").add_array("tokenizer.ggml.scores", std::vector<float>(10));
  EXPECT_THAT(error_of(gguf), HasSubstr("tokenizer.ggml.scores has 10 entries, expected 260"));
  std::vector<float> scores(260);
  scores[7] = NAN;
  gguf.remove("tokenizer.ggml.scores").add_array("tokenizer.ggml.scores", scores);
  EXPECT_THAT(error_of(gguf), HasSubstr("tokenizer.ggml.scores[7] is not a number"));
}

}  // namespace
}  // namespace confab::engine
