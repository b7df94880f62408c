// SPDX-License-Identifier: MIT
// An answer held to its shape: its text is, what comes before it is free.
#include "engine/run/answer_shape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/gguf/gguf.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

const ConstraintSpec kDigits{ConstraintSpec::Kind::gbnf, "root ::= \"n=\" [0-9]{2,4} \";\""};

class AnswerShapeTest : public testing::Test {
 protected:
  explicit AnswerShapeTest(const ReasoningFormat* of = nullptr)
      : format(of), text(*tokenizer, {}, of, of != nullptr), shape(begin(kDigits)) {}

  AnswerShape begin(const ConstraintSpec& spec) {
    return {constraints.begin(spec), *tokenizer, format};
  }
  void add(std::string_view bytes) {
    for (const char c : bytes) {
      const Token token = static_cast<unsigned char>(c);
      AnswerDelta delta;
      EXPECT_TRUE(shape.permits(token, text)) << c;
      shape.before_adding(text);
      text.add(token, delta);
      shape.added(token, text);
    }
  }
  bool permits(char c) { return shape.permits(static_cast<unsigned char>(c), text); }
  std::string written(const std::vector<Token>& tokens) { return tokenizer->decode(tokens, true); }

  const TinyModelFile file;
  const std::unique_ptr<const Tokenizer> tokenizer = Tokenizer::load(Gguf(file.path()));
  Constraints constraints{*tokenizer};
  const ReasoningFormat* format;
  AnswerText text;
  AnswerShape shape;
};

class ReasoningShapeTest : public AnswerShapeTest {
 protected:
  ReasoningShapeTest() : AnswerShapeTest(find_reasoning_format("<think> </think>")) {}
};

TEST_F(AnswerShapeTest, OnlyWhatFitsIsPermitted) {
  EXPECT_TRUE(permits('n'));
  EXPECT_FALSE(permits('m'));
  EXPECT_FALSE(shape.permits(kTinyImEnd, text)) << "too early";
  EXPECT_FALSE(shape.permits(kTinyImStart, text));
  add("n=12;");
  EXPECT_TRUE(shape.permits(kTinyImEnd, text));
  EXPECT_FALSE(permits('1'));
  EXPECT_TRUE(shape.must_end());
}

TEST_F(AnswerShapeTest, LogitsOfWhatDoesNotFitAreMinusInfinity) {
  std::vector<float> logits(300);
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i);
  add("n=12");
  const auto held = shape.permitted(logits, text);
  ASSERT_EQ(held.size(), logits.size());
  for (Token token = 0; token < 300; ++token) {
    const auto i = static_cast<std::size_t>(token);
    EXPECT_EQ(held[i], shape.permits(token, text) ? logits[i] : -INFINITY) << token;
  }
  EXPECT_EQ(held['3'], logits['3']);
  EXPECT_EQ(held[';'], logits[';']);
}

TEST_F(AnswerShapeTest, WhatMustFollowIsNotSampled) {
  AnswerShape long_one = begin({ConstraintSpec::Kind::gbnf, "root ::= \"the answer: \" [0-9]"});
  const std::string forced = written(long_one.forced(text));
  EXPECT_GT(forced.size(), 6U);
  EXPECT_TRUE(std::string("the answer: ").starts_with(forced)) << "the last token is left";
  EXPECT_LT(forced.size(), std::string("the answer: ").size());
  add("n=1");
  EXPECT_TRUE(shape.forced(text).empty());
}

TEST_F(AnswerShapeTest, TheWayOutComesWhenThereIsHardlyTimeLeft) {
  add("n=1");
  EXPECT_TRUE(shape.way_out(text, 100).empty());
  EXPECT_TRUE(shape.way_out(text, 3).empty());
  EXPECT_EQ(written(shape.way_out(text, 2)), "0;");
}

// It is cut off then, rather than going on for as long as the shape takes.
TEST_F(AnswerShapeTest, AShapeThatNeverFittedIsNotClosed) {
  AnswerShape long_one = begin({ConstraintSpec::Kind::pattern, "[a-z]{500}"});
  EXPECT_TRUE(long_one.way_out(text, 40).empty());
  EXPECT_TRUE(long_one.way_out(text, 1).empty());
  EXPECT_EQ(long_one.way_out(text, 500).size(), 500U);
  EXPECT_EQ(long_one.way_out(text, 499).size(), 500U) << "it did, but for the last token";
}

// What is left of a character is no UTF-8.
TEST_F(AnswerShapeTest, TheWayOutOfTheMiddleOfACharacter) {
  AnswerShape other = begin({ConstraintSpec::Kind::gbnf, "root ::= \"=\" [\\U0001F600] \"later\""});
  for (const char c : std::string_view("=\xF0")) {
    other.before_adding(text);
    other.added(static_cast<unsigned char>(c), text);
  }
  std::string rest;
  for (const Token token : other.way_out(text, 8)) rest += tokenizer->piece(token, false);
  EXPECT_EQ(rest, "\x9F\x98\x80later");
  rest.clear();
  for (const Token token : other.forced(text)) rest += tokenizer->piece(token, false);
  EXPECT_TRUE(std::string("\x9F\x98\x80later").starts_with(rest));
}

TEST_F(AnswerShapeTest, AModelWithoutSuchATokenIsSaid) {
  add("n=12;");
  AnswerShape other = begin({ConstraintSpec::Kind::pattern, "a"});
  other.before_adding(text);
  const std::vector<float> logits(300);
  EXPECT_EQ(error_of([&] { other.added('b', text); }),
            "the model began its answer in another shape than it must have");
  EXPECT_EQ(error_of([&] { other.permitted(logits, text); }),
            "the model has no token that goes on in the shape that the answer must have");
}

TEST_F(ReasoningShapeTest, WhatIsThoughtIsFreeAndHasToComeToAnAnswer) {
  ASSERT_NE(format, nullptr);
  EXPECT_TRUE(permits('x'));
  EXPECT_FALSE(shape.permits(kTinyImEnd, text)) << "there is no answer yet";
  EXPECT_TRUE(shape.forced(text).empty());
  const std::vector<float> logits(300);
  const auto held = shape.permitted(logits, text);
  EXPECT_EQ(held['x'], 0);
  EXPECT_EQ(held[kTinyImEnd], -INFINITY);
  add("let me think: {n=}</think>");
  EXPECT_FALSE(permits('x'));
  add("n=12;");
  EXPECT_TRUE(shape.must_end());
}

}  // namespace
}  // namespace confab::engine
