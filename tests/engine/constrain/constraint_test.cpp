// SPDX-License-Identifier: MIT
// Tokens of a vocabulary in the shape that an answer must have.
#include "engine/constrain/constraint.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/gguf/gguf.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/error_of.h"
#include "tests/engine/text/tiny_vocabularies.h"

namespace confab::engine {
namespace {

using Kind = ConstraintSpec::Kind;

const ConstraintSpec kSpecs[] = {
    {Kind::json_schema, R"({"type": "object", "properties": {"the": {"type": "string"}}})"},
    {Kind::gbnf, "root ::= \"the \" (\"cat\" | \"hen\") root?"},
    {Kind::pattern, "(?:in|on|at) the [a-z]{2,5}"},
    {Kind::choices, "", {"the one", "the other", "é", ""}},
    {Kind::pattern, "(?:in|on) the", {}, "the ", " he"},
};

class ConstraintTest : public testing::Test {
 protected:
  ConstraintTest() {
    bpe_vocabulary().write(folder / "v.gguf");
    tokenizer = Tokenizer::load(Gguf(folder / "v.gguf"));
    constraints = std::make_unique<Constraints>(*tokenizer);
  }

  TemporaryFolder folder;
  std::unique_ptr<const Tokenizer> tokenizer;
  std::unique_ptr<Constraints> constraints;
};

// Walked by random tokens: the mask is what allows() says, and the end comes where it may.
TEST_F(ConstraintTest, TheMaskIsWhatIsAllowed) {
  std::mt19937 rng(20261123);
  for (const ConstraintSpec& spec : kSpecs)
    for (int i = 0; i < 10; ++i) {
      const auto held = constraints->begin(spec);
      for (int step = 0; step < 20; ++step) {
        const TokenMask mask = held->mask();
        std::vector<Token> text;
        for (Token token = 0; token < tokenizer->n_vocab(); ++token) {
          ASSERT_EQ(mask.has(token), held->allows(token)) << token;
          if (mask.has(token) && !tokenizer->is_eog(token)) text.push_back(token);
        }
        EXPECT_EQ(mask.has(kTinyImEnd), held->may_end());
        EXPECT_EQ(mask.has(kTinyEndOfText), held->may_end());
        EXPECT_FALSE(mask.has(kTinyImStart)) << "a control token";
        EXPECT_EQ(held->must_end(), held->may_end() && text.empty());
        if (text.empty()) break;
        held->accept(text[rng() % text.size()]);
        EXPECT_FALSE(held->is_dead());
      }
    }
}

TEST_F(ConstraintTest, ByBytesOrByTokens) {
  const auto one = constraints->begin(kSpecs[1]), other = constraints->begin(kSpecs[1]);
  one->accept("the ca");
  for (const Token token : tokenizer->encode("the ca", false)) other->accept(token);
  EXPECT_EQ(one->mask(), other->mask());
  EXPECT_EQ(one->forced(), "t");
  EXPECT_EQ(one->way_out(), "t");
  one->accept("t");
  EXPECT_TRUE(one->may_end());
  EXPECT_FALSE(one->must_end());
  one->accept("x");
  EXPECT_TRUE(one->is_dead());
  EXPECT_TRUE(one->mask().is_empty());
}

TEST_F(ConstraintTest, ChoicesAreTheirTextsAndNoOthers) {
  const auto held = constraints->begin({Kind::choices, "", {"yes", "no", "no way"}});
  EXPECT_FALSE(held->may_end());
  held->accept("no");
  EXPECT_TRUE(held->may_end());
  EXPECT_FALSE(held->must_end());
  held->accept(" way");
  EXPECT_TRUE(held->must_end());
  EXPECT_TRUE(constraints->begin(kSpecs[3])->may_end()) << "the empty text is one of them";
}

TEST_F(ConstraintTest, NothingAskedForIsNothing) {
  EXPECT_EQ(constraints->begin({}), nullptr);
  EXPECT_EQ(error_of([] { check_constraint({}); }), "");
}

TEST_F(ConstraintTest, AnswersTogetherAreAsAlone) {
  for (const ConstraintSpec& spec : kSpecs) {
    const auto first = constraints->begin(spec);
    Constraints apart(*tokenizer);
    const auto alone = apart.begin(spec);
    for (const ConstraintSpec& other : kSpecs) constraints->begin(other)->mask();
    EXPECT_EQ(first->mask(), alone->mask());
  }
}

// Far more than is kept from one answer to the next.
TEST_F(ConstraintTest, AnswersOutliveWhatIsSharedWithTheNext) {
  const auto first = constraints->begin(kSpecs[2]);
  const TokenMask mask = first->mask();
  constraints->begin({Kind::choices, "", {std::string(450'000, 'x')}});
  const auto next = constraints->begin(kSpecs[2]);
  EXPECT_EQ(first->mask(), mask);
  EXPECT_EQ(next->mask(), mask);
}

// There is little room for further expressions: the first answer goes on with new ones.
TEST_F(ConstraintTest, AnswersGoOnWhereTheirExpressionsHaveBecomeTooMany) {
  const ConstraintSpec spec{Kind::pattern, "[a-z ]*a[a-z ]{300}"};
  const auto held = constraints->begin(spec);
  // All expressions of a text are there twice: with the tag at its end, and without.
  const std::string text((1U << 19U) - 4000, 'x');
  const auto beside = constraints->begin({Kind::choices, "", {text}});
  Constraints apart(*tokenizer);
  const auto alone = apart.begin(spec);
  std::mt19937 rng(20261125);
  for (int i = 0; i < 100; ++i) {
    const std::string more = rng() % 2 == 0 ? "the a" : "fan a";
    held->accept(more);
    alone->accept(more);
    ASSERT_EQ(held->mask(), alone->mask()) << i;
    ASSERT_EQ(held->way_out(), alone->way_out()) << i;
    ASSERT_EQ(held->may_end(), alone->may_end()) << i;
  }
  beside->accept("xx");
  EXPECT_EQ(beside->mask().count(), 1);
  EXPECT_EQ(beside->way_out().size(), text.size() - 2);
}

// After "bc" there would be more readings than are followed: what leads there is left alone.
TEST_F(ConstraintTest, WhatCannotBeFollowedIsNotTaken) {
  std::string grammar = "root ::= \"b\" (\"a\"";
  for (int i = 0; i < 3000; ++i)
    grammar += fmt::format(R"( | "c" ("d" root? "{0}" | "e" root? "{0}"))", i);
  const auto held = constraints->begin({Kind::gbnf, grammar + ")"});
  held->accept("b");
  for (Token token = 0; token < tokenizer->n_vocab(); ++token)
    EXPECT_EQ(held->allows(token), tokenizer->piece(token, false) == "a") << token;
  EXPECT_TRUE(held->mask().has(tokenizer->encode("a", false).front()));
  EXPECT_EQ(held->way_out(), "a");
  EXPECT_NE(error_of([&] { held->way_out("c"); }), "");
}

TEST_F(ConstraintTest, LongChoicesAreChosenFrom) {
  const auto held = constraints->begin({Kind::choices, "", {std::string(100'000, 'x'), "y"}});
  EXPECT_EQ(held->mask().count(), 2);
  held->accept("x");
  EXPECT_EQ(held->mask().count(), 1);
}

TEST_F(ConstraintTest, MarkersHaveToBeText) {
  ConstraintSpec spec{Kind::pattern, "a", {}, "<|im_start|>", "</a>"};
  EXPECT_EQ(error_of([&] { constraints->begin(spec); }),
            "the marker <|im_start|> is a control token of this model; name one that is text");
  spec.opening = "";
  EXPECT_EQ(error_of([&] { check_constraint(spec); }),
            "both markers that the answer's shape stands between are needed");
  spec = {Kind::json_schema, "false", {}, "<a>", "</a>"};
  EXPECT_EQ(error_of([&] { check_constraint(spec); }), "schema: no value is valid under it");
}

TEST_F(ConstraintTest, WhatIsWrongIsSaidInOneLine) {
  const std::pair<ConstraintSpec, const char*> cases[] = {
      {{Kind::json_schema, R"({"type": "x"})"}, "schema: type 'x' is not known"},
      {{Kind::json_schema, "false"}, "schema: no value is valid under it"},
      {{Kind::gbnf, "root ::= a"}, "grammar: line 1: there is no rule called 'a'"},
      {{Kind::gbnf, "root ::= []"}, "grammar: no text fits it"},
      {{Kind::pattern, "("}, "regular expression '(': at character 2: '(' without ')'"},
      {{Kind::pattern, "[]"}, "regular expression: no text fits it"},
      {{Kind::choices, ""}, "there is nothing to choose from"},
  };
  for (const auto& [spec, fault] : cases) {
    EXPECT_EQ(error_of([&] { check_constraint(spec); }), fault);
    EXPECT_EQ(error_of([&] { constraints->begin(spec); }), fault);
  }
  EXPECT_TRUE(error_of([] {
                check_constraint({Kind::json_schema, "{"});
              }).starts_with("schema: column 2: "));
  for (const ConstraintSpec& spec : kSpecs)
    EXPECT_EQ(error_of([&] { check_constraint(spec); }), "");
}

TEST(HasShapeTest, AnAnswerNestedVeryDeeplyIsRefused) {
  const ConstraintSpec any{.kind = Kind::json_schema, .text = "{}"};
  EXPECT_FALSE(has_shape(any, std::string(100'000, '[') + std::string(100'000, ']')));
  EXPECT_FALSE(has_shape(any, std::string(100'000, '[')));
  EXPECT_TRUE(has_shape(any, std::string(90, '[') + std::string(90, ']')));
}

TEST(HasShapeTest, AWholeTextHasTheShapeOrNot) {
  const ConstraintSpec schema{.kind = Kind::json_schema,
                              .text = R"({"type":"object","properties":{"a":{"enum":["x","y"]}},)"
                                      R"("required":["a"],"additionalProperties":false})"};
  EXPECT_TRUE(has_shape(schema, R"({"a": "x"})"));
  EXPECT_TRUE(has_shape(schema, "{\"a\" :\n\n\t \"x\"\r\n}\n"));  // as llama-server lays it out
  EXPECT_FALSE(has_shape(schema, R"({"a": "z"})"));
  EXPECT_FALSE(has_shape(schema, R"({"a": "x"})"
                                 "!"));
  EXPECT_FALSE(has_shape(schema, ""));
  EXPECT_TRUE(has_shape({.kind = Kind::pattern, .text = "[0-9]+"}, "123"));
  EXPECT_FALSE(has_shape({.kind = Kind::pattern, .text = "[0-9]+"}, "12 "));
  EXPECT_TRUE(has_shape({.kind = Kind::gbnf, .text = "root ::= \"a\" | \"b\""}, "b"));
  EXPECT_TRUE(has_shape({.kind = Kind::choices, .choices = {"yes"}}, "yes"));
  EXPECT_TRUE(has_shape({}, "whatever"));
}

}  // namespace
}  // namespace confab::engine
