// SPDX-License-Identifier: MIT
#include "engine/constrain/static_grammar.h"

#include <gtest/gtest.h>

#include "engine/constrain/machine.h"

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

}  // namespace
}  // namespace confab::engine
