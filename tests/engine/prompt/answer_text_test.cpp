// SPDX-License-Identifier: MIT
#include "engine/prompt/answer_text.h"

#include <gtest/gtest.h>

#include <array>

#include "engine/gguf/gguf.h"
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
    AnswerDelta delta;
    EXPECT_FALSE(answer.add(token, delta));
    deltas.back() = delta.text;
  }
  EXPECT_EQ(deltas, (std::vector<std::string>{"a", "", "\u00e9", "", "", "\u20ac"}));
}

TEST_F(AnswerTextTest, EndsAtAStopStringAcrossTokens) {
  AnswerText answer(*tokenizer, {"\nUser:"});
  AnswerDelta delta;
  bool stopped = false;
  for (const Token token : bytes("Yes.\nUs\nUser: no")) {
    if ((stopped = answer.add(token, delta))) break;
  }
  EXPECT_TRUE(stopped);
  EXPECT_EQ(delta.text, "Yes.\nUs");
}

TEST_F(AnswerTextTest, TheEndGivesWhatWasHeldBack) {
  AnswerText answer(*tokenizer, {"\nUser:"});
  AnswerDelta delta;
  for (const Token token : bytes("Yes\nUse\xE2\x82")) answer.add(token, delta);
  answer.finish(delta);
  EXPECT_EQ(delta.text, "Yes\nUse\uFFFD");
}

TEST_F(AnswerTextTest, APartOfACharacterBeforeAStopStringIsNotLost) {
  AnswerText answer(*tokenizer, {"END"});
  AnswerDelta delta;
  for (const Token token : bytes("a\xE2\x82"
                                 "END"))
    answer.add(token, delta);
  answer.finish(delta);
  EXPECT_EQ(delta.text, "a\uFFFD");
}

TEST_F(AnswerTextTest, ReasoningIsApartAndHasNoStopStrings) {
  AnswerText answer(*tokenizer, {"END"}, find_reasoning_format("<think>"));
  AnswerDelta delta;
  for (const Token token : bytes("<think>\nEND? \u20ac</think>\n\nYes. END")) {
    if (answer.add(token, delta)) break;
  }
  answer.finish(delta);
  EXPECT_EQ(delta.reasoning, "END? \u20ac");
  EXPECT_EQ(delta.text, "Yes. ");
}

// A marker of control tokens is seen; those that are none stay without text.
TEST_F(AnswerTextTest, MarkersOfControlTokens) {
  constexpr std::array<PartMarker, 1> kOpen = {{{"<|im_start|>", PartMarker::Begins::reasoning}}};
  const ReasoningFormat format{"test", "", kOpen, "<|im_end|>"};
  std::vector<Token> tokens = bytes("ab");
  tokens.insert(tokens.begin(), {kTinyImStart, 'x', kTinyEndOfText, 'y', kTinyImEnd});
  tokens.push_back(kTinyImStart);
  AnswerText answer(*tokenizer, {}, &format);
  AnswerDelta delta;
  for (const Token token : tokens) answer.add(token, delta);
  answer.finish(delta);
  EXPECT_EQ(delta.reasoning, "xy");
  EXPECT_EQ(delta.text, "ab");
}

TEST_F(AnswerTextTest, ControlTokensHaveNoText) {
  std::vector<Token> tokens = bytes("ab");
  tokens.insert(tokens.begin() + 1, kTinyImStart);
  EXPECT_EQ(text_of_answer(*tokenizer, tokens), "ab");
}

struct Result {
  std::string text;
  bool stopped;
  bool operator==(const Result&) const = default;
};

// Feeds `bytes` in pieces of n bytes.
Result run(std::vector<std::string> strings, std::string_view bytes, std::size_t n) {
  StopStrings stop(std::move(strings));
  Result result{"", false};
  for (std::size_t at = 0; at < bytes.size() && !result.stopped; at += n) {
    result.stopped = stop.push(bytes.substr(at, n), result.text);
  }
  stop.finish(result.text);
  return result;
}

struct Case {
  std::vector<std::string> strings;
  std::string bytes;
  Result want;
};

TEST(StopStringsTest, EndsBeforeTheFirstStringForEveryCut) {
  const Case cases[] = {
      {{}, "all of it", {"all of it", false}},
      {{""}, "empty ones never match", {"empty ones never match", false}},
      {{"User:"}, "Hello.\nUser: next", {"Hello.\n", true}},
      {{"User:"}, "User", {"User", false}},
      {{"aab"}, "aaaab", {"aa", true}},         // the start of a match inside a near match
      {{"abcd", "bc"}, "xabcd", {"xa", true}},  // "bc" is complete first
      {{"bc", "abc"}, "xabc", {"x", true}},     // of two complete ones the longest
      {{"\xE2\x82\xAC"}, "1 \xE2\x82\xAC", {"1 ", true}},
      {{"###", "\n\n"}, "a#b##c\n\nd", {"a#b##c", true}},
      {{std::string("\0", 1)}, std::string("a\0b", 3), {"a", true}},
  };
  for (const Case& c : cases) {
    for (std::size_t n = 1; n <= c.bytes.size(); ++n) {
      EXPECT_EQ(run(c.strings, c.bytes, n).text, c.want.text) << c.bytes << " by " << n;
      EXPECT_EQ(run(c.strings, c.bytes, n).stopped, c.want.stopped) << c.bytes << " by " << n;
    }
  }
}

TEST(StopStringsTest, HoldsBackOnlyWhatMayBeAStopString) {
  StopStrings stop({"\nUser:"});
  std::string text;
  EXPECT_FALSE(stop.push("one\nUs", text));
  EXPECT_EQ(text, "one");
  EXPECT_FALSE(stop.push("eful\n", text));
  EXPECT_EQ(text, "one\nUseful");
  stop.finish(text);
  EXPECT_EQ(text, "one\nUseful\n");
}

}  // namespace
}  // namespace confab::engine
