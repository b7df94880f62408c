// SPDX-License-Identifier: MIT
// An answer held to its shape: its text is, what comes before it is free.
#include "engine/run/answer_state.h"

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

TEST_F(AnswerShapeTest, TheWayOutIsCounted) {
  EXPECT_EQ(shape.n_needed(), 5);
  add("n=1");
  EXPECT_EQ(written(shape.way_out()), "0;");
  EXPECT_EQ(shape.n_needed(), 2);
  add("2");
  EXPECT_EQ(shape.n_needed(), 1);
  add(";");
  EXPECT_EQ(shape.n_needed(), 0);
}

TEST_F(AnswerShapeTest, ATokenLeavesRoomForTheEndOrNot) {
  add("n=1");
  const std::vector<Token> more{'2', '3'};
  EXPECT_TRUE(shape.leaves_room('2', text, 1));
  EXPECT_FALSE(shape.leaves_room('2', text, 0));
  EXPECT_TRUE(shape.leaves_room(more, 1));
  EXPECT_FALSE(shape.leaves_room(more, 0));
  add("2");
  EXPECT_FALSE(shape.leaves_room('3', text, 0));
  EXPECT_TRUE(shape.leaves_room(';', text, 0));
  add(";");
  EXPECT_TRUE(shape.leaves_room(kTinyImEnd, text, -1));
}

// What is left of a character is no UTF-8.
TEST_F(AnswerShapeTest, TheWayOutOfTheMiddleOfACharacter) {
  AnswerShape other = begin({ConstraintSpec::Kind::gbnf, "root ::= \"=\" [\\U0001F600] \"later\""});
  for (const char c : std::string_view("=\xF0")) {
    other.before_adding(text);
    other.added(static_cast<unsigned char>(c), text);
  }
  std::string rest;
  for (const Token token : other.way_out()) rest += tokenizer->piece(token, false);
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
  EXPECT_TRUE(other.permitted(logits, text).empty());
}

TEST_F(AnswerShapeTest, TokensAreLeftOutUntilNoneIsLeft) {
  add("n=12");
  const std::vector<float> logits(300);
  ASSERT_FALSE(shape.permitted(logits, text).empty());
  for (const char c : std::string_view("0123456789"))
    EXPECT_FALSE(shape.without(static_cast<unsigned char>(c)).empty()) << c;
  EXPECT_EQ(shape.without('0')[';'], 0);
  EXPECT_TRUE(shape.without(';').empty());
}

TEST_F(AnswerShapeTest, WhatIsClosedIsWhole) {
  add("n=1");
  EXPECT_FALSE(shape.may_end());
  for (const Token token : shape.close()) {
    AnswerDelta delta;
    shape.before_adding(text);
    text.add(token, delta);
    shape.added(token, text);
  }
  EXPECT_TRUE(shape.may_end());
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
  EXPECT_EQ(shape.n_needed(), 5);
  EXPECT_TRUE(shape.leaves_room('x', text, 0)) << "whoever counts ends what is thought in time";
  add("let me think: {n=}</think>");
  EXPECT_FALSE(shape.leaves_room('n', text, 3));
  EXPECT_TRUE(shape.leaves_room('n', text, 4));
  EXPECT_FALSE(permits('x'));
  add("n=12;");
  EXPECT_TRUE(shape.must_end());
}

}  // namespace
}  // namespace confab::engine
