// SPDX-License-Identifier: MIT
#include "engine/constrain/grammar.h"

#include <gtest/gtest.h>

#include "engine/constrain/gbnf.h"
#include "engine/constrain/machine.h"
#include "tests/engine/constrain/read_text.h"

namespace confab::engine {
namespace {

using Kind = GrammarState::Kind;

class StaticGrammarTest : public testing::Test {
 protected:
  StateId scan(const char* text, StateId next) {
    return grammar.add({Kind::scan, r.concat(r.literal(text), r.tag(0)), {next}});
  }

  RegexSet r;
  StaticGrammar grammar{r};
};

TEST_F(StaticGrammarTest, OneTerminalIsTheWholeText) {
  StaticGrammar whole(r, r.literal("abc"));
  EXPECT_EQ(whole.way_out(whole.start()), "abc");
  EXPECT_TRUE(whole.drop_dead_ends());
  EXPECT_FALSE(whole.find_left_recursion());
  EXPECT_FALSE(StaticGrammar(r, RegexSet::kNothing).drop_dead_ends());
}

// root: "<" root ">" or "x", as states.
TEST_F(StaticGrammarTest, WaysOutOfRulesThatCallThemselvesAreTheShortest) {
  const StateId end = grammar.add({}), root = grammar.add({});
  const StateId close = scan(">", end);
  const StateId call = grammar.add({Kind::call, 0, {root, close}});
  const StateId open = scan("<", call), x = scan("x", end);
  grammar.set(root, {Kind::fork, 0, {open, x}});
  grammar.set_start(root);
  EXPECT_TRUE(grammar.drop_dead_ends());
  EXPECT_EQ(grammar.way_out(root), "x");
  EXPECT_EQ(grammar.way_out(open), "<x>");
  EXPECT_EQ(grammar.way_out(call), "x>");
  EXPECT_EQ(grammar.way_out(close), ">");
  EXPECT_EQ(grammar.way_out(end), "");
  EXPECT_FALSE(grammar.find_left_recursion());
}

TEST_F(StaticGrammarTest, TheShortestOfSeveralTags) {
  const StateId end = grammar.add({}), far = scan("long way", end), near = scan("y", end);
  const RegexId either =
      r.either({r.concat(r.literal("a"), r.tag(0)), r.concat(r.literal("bbb"), r.tag(1))});
  const StateId root = grammar.add({Kind::scan, either, {far, near}});
  grammar.set_start(root);
  EXPECT_EQ(grammar.way_out(root), "bbby");
}

TEST_F(StaticGrammarTest, ARuleWithoutAnEndAcceptsNothing) {
  const StateId end = grammar.add({}), root = grammar.add({});
  const StateId call = grammar.add({Kind::call, 0, {root, end}});
  grammar.set(root, {Kind::fork, 0, {scan("a", call)}});
  grammar.set_start(root);
  EXPECT_FALSE(grammar.drop_dead_ends());
  EXPECT_EQ(grammar.way_out(root), std::nullopt);
}

TEST_F(StaticGrammarTest, LeftRecursionBehindWhatMayBeEmpty) {
  const StateId end = grammar.add({}), root = grammar.add({});
  const StateId call = grammar.add({Kind::call, 0, {root, end}});
  const StateId maybe =
      grammar.add({Kind::scan, r.concat(r.optional(r.literal("a")), r.tag(0)), {call}});
  grammar.set(root, {Kind::fork, 0, {maybe, end}});
  grammar.set_start(root);
  EXPECT_EQ(grammar.find_left_recursion(), call);
}

TEST_F(StaticGrammarTest, LeftRecursionBehindACallThatMayBeEmpty) {
  const StateId end = grammar.add({}), empty = grammar.add({}), root = grammar.add({});
  grammar.set(empty, {Kind::fork, 0, {end}});
  const StateId again = grammar.add({Kind::call, 0, {root, end}});
  const StateId first = grammar.add({Kind::call, 0, {empty, again}});
  grammar.set(root, {Kind::fork, 0, {first, scan("x", end)}});
  grammar.set_start(root);
  EXPECT_TRUE(grammar.find_left_recursion().has_value());
}

TextReader marked(const char* grammar, const char* opening, const char* closing) {
  return TextReader([=](RegexSet& regexes) -> std::unique_ptr<Grammar> {
    return std::make_unique<MarkedGrammar>(parse_gbnf(regexes, grammar), opening, closing);
  });
}

constexpr const char* kSum = "root ::= number (\"+\" root)?\nnumber ::= [0-9]+";

TEST(MarkedGrammarTest, OnlyWhatStandsBetweenTheMarkersIsHeld) {
  TextReader calls = marked(kSum, "<call>", "</call>");
  for (const char* text :
       {"", "no call", "<call>1</call>", "Let me see: <call>1+22</call> and <call>3</call>, so 26.",
        "a < b, <cal", "</call>", "<call>1</call><call>2</call>", "é\n\xff"})
    EXPECT_TRUE(calls.accepts(text)) << text;
  for (const char* text : {"<call>", "<call>1", "<call>1</call", "x<call>1+2</call><call>"}) {
    EXPECT_TRUE(calls.begins(text)) << text;
    EXPECT_FALSE(calls.accepts(text)) << text;
  }
  for (const char* text : {"<call> 1</call>", "<call>x", "<call>1+</call>", "<call><call>",
                           "<call>1</call><call></call>"})
    EXPECT_FALSE(calls.begins(text)) << text;
}

TEST(MarkedGrammarTest, AMarkerBeginsWhereItIsFirstWhole) {
  TextReader marks = marked("root ::= \"b\"", "aa", "c");
  EXPECT_TRUE(marks.accepts("a"));
  EXPECT_TRUE(marks.accepts("aabc"));
  EXPECT_TRUE(marks.accepts("baabc"));
  EXPECT_FALSE(marks.begins("aaa")) << "the second a ends the marker";
  EXPECT_TRUE(marks.accepts("aabcaabca"));
}

TEST(MarkedGrammarTest, TheWayOutClosesWhatIsOpen) {
  TextReader calls = marked(kSum, "<call>", "</call>");
  const auto way_out = [&](std::string_view text) {
    return calls.machine.way_out(calls.machine.advance(calls.machine.start(), text));
  };
  EXPECT_EQ(way_out("so "), "");
  EXPECT_EQ(way_out("so <ca"), "");
  EXPECT_EQ(way_out("so <call>").value_or("").size(), 1 + std::string_view("</call>").size());
  EXPECT_EQ(way_out("so <call>12"), "</call>");
  EXPECT_EQ(way_out("so <call>12</"), "call>");
}

// Whatever is written: each opening marker is followed by a sum and a closing one.
TEST(MarkedGrammarTest, RandomTextsHaveTheShapeInEveryMarkedPlace) {
  std::mt19937 rng(20261123);
  TextReader calls = marked(kSum, "<", ">");
  TextReader sums([](RegexSet& regexes) { return parse_gbnf(regexes, kSum); });
  int n_marked = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string text = calls.random_text(rng, 200, [](const auto&, const auto&) {});
    EXPECT_TRUE(calls.accepts(text)) << text;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
      const std::size_t end = text.find('>', at);
      ASSERT_NE(end, std::string::npos) << text;
      EXPECT_TRUE(sums.accepts(text.substr(at + 1, end - at - 1))) << text;
      at = end;
      ++n_marked;
    }
  }
  EXPECT_GT(n_marked, 20);
}

}  // namespace
}  // namespace confab::engine
