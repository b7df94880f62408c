// SPDX-License-Identifier: MIT
#include "engine/answer_text.h"

#include <gtest/gtest.h>

#include "engine/gguf.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

class AnswerTextTest : public testing::Test {
 protected:
  // One token a byte, so that characters and stop strings are cut everywhere.
  static std::vector<Token> bytes(std::string_view text) {
    std::vector<Token> tokens;
    for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
  }

  const TinyModelFile file;
  const std::unique_ptr<const Tokenizer> tokenizer = Tokenizer::load(Gguf(file.path()));
};

TEST_F(AnswerTextTest, GivesWholeCharactersAsTheyAreComplete) {
  AnswerText answer(*tokenizer, {});
  std::vector<std::string> deltas;
  for (const Token token : bytes("a\u00e9\u20ac")) {
    deltas.emplace_back();
    EXPECT_FALSE(answer.add(token, deltas.back()));
  }
  EXPECT_EQ(deltas, (std::vector<std::string>{"a", "", "\u00e9", "", "", "\u20ac"}));
}

TEST_F(AnswerTextTest, EndsAtAStopStringAcrossTokens) {
  AnswerText answer(*tokenizer, {"\nUser:"});
  std::string text;
  bool stopped = false;
  for (const Token token : bytes("Yes.\nUs\nUser: no")) {
    if ((stopped = answer.add(token, text))) break;
  }
  EXPECT_TRUE(stopped);
  EXPECT_EQ(text, "Yes.\nUs");
}

TEST_F(AnswerTextTest, TheEndGivesWhatWasHeldBack) {
  AnswerText answer(*tokenizer, {"\nUser:"});
  std::string text;
  for (const Token token : bytes("Yes\nUse\xE2\x82")) answer.add(token, text);
  answer.finish(text);
  EXPECT_EQ(text, "Yes\nUse\uFFFD");
}

TEST_F(AnswerTextTest, APartOfACharacterBeforeAStopStringIsNotLost) {
  AnswerText answer(*tokenizer, {"END"});
  std::string text;
  for (const Token token : bytes("a\xE2\x82"
                                 "END"))
    answer.add(token, text);
  answer.finish(text);
  EXPECT_EQ(text, "a\uFFFD");
}

TEST_F(AnswerTextTest, ControlTokensHaveNoText) {
  std::vector<Token> tokens = bytes("ab");
  tokens.insert(tokens.begin() + 1, kTinyImStart);
  EXPECT_EQ(text_of_answer(*tokenizer, tokens), "ab");
}

}  // namespace
}  // namespace confab::engine
