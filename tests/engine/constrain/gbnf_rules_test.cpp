// SPDX-License-Identifier: MIT
// How grammars are written, and which fault is in which line.
#include "engine/constrain/gbnf_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/constrain/grammar_cases.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

using Kind = GbnfPart::Kind;

TEST(GbnfRulesTest, RulesAreReadWithTheirLines) {
  RegexSet r;
  const auto rules =
      read_gbnf_rules(r, "root ::= one | two\n\none ::= \"1\"\n# two\ntwo ::= [2]{3,4}");
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(rules[0].name, "root");
  EXPECT_EQ(rules[0].line, 1);
  EXPECT_EQ(rules[0].part.kind, Kind::choice);
  EXPECT_EQ(rules[0].part.parts.size(), 2U);
  EXPECT_EQ(rules[2].name, "two");
  EXPECT_EQ(rules[2].line, 1) << "where it is first named";
  const GbnfPart& repeat = rules[2].part.parts[0];
  EXPECT_EQ(repeat.kind, Kind::repeat);
  EXPECT_EQ(repeat.min, 3);
  EXPECT_EQ(repeat.max, 4);
}

TEST(GbnfRulesTest, LinesAndCommentsAndSpaces) {
  check_grammar({"# all\r\nroot::=\"a\"# end\r\n", {"a"}, {"b", ""}});
  check_grammar({"root ::=\n  \"a\"", {"a"}, {"", "\na"}});
  check_grammar({"root ::= \"a\" |\n  \"b\"\n", {"a", "b"}, {"ab"}});
  check_grammar({"root ::= (\n \"a\"\n \"b\" # c\n | \"c\"\n)\n", {"ab", "c"}, {"a"}});
  check_grammar({"root ::= \"#\" # not \"x\"", {"#"}, {"#x"}});
  check_grammar({"root ::= my-rule_2\nmy-rule_2 ::= \"x\"", {"x"}, {}});
  check_grammar({"b ::= \"b\"\nroot ::= b b", {"bb"}, {"b"}});
  check_grammar({"root ::= \"a\"   \n\n\n", {"a"}, {}});
  check_grammar({"root ::= \"a\" | ", {"a", ""}, {"b"}});
}

TEST(GbnfRulesTest, TextsAndEscapes) {
  check_grammar({R"(root ::= "\n\r\t\\\"\x41\u00e9\U0001F600")", {"\n\r\t\\\"Aé😀"}, {""}});
  check_grammar({R"(root ::= "é😀")", {"é😀"}, {"e"}});
  check_grammar({R"(root ::= "")", {""}, {"a"}});
}

TEST(GbnfRulesTest, Classes) {
  check_grammar({"root ::= [a-c]", {"a", "b", "c"}, {"d", "-", ""}});
  check_grammar({"root ::= [^a-c]", {"d", "é", "\n"}, {"a", ""}});
  check_grammar({"root ::= [-+]", {"-", "+"}, {"a"}});
  check_grammar({"root ::= [+-]", {"-", "+"}, {"a"}});
  check_grammar({"root ::= [a-]", {"a", "-"}, {"b"}});
  check_grammar({R"(root ::= [\]\[\\\-^])", {"]", "[", "\\", "-", "^"}, {"a"}});
  check_grammar({R"(root ::= [\x41-\x43])", {"A", "C"}, {"D", "x"}});
  check_grammar({"root ::= [α-ω]", {"β"}, {"a", "\xCE"}});
  check_grammar({R"(root ::= [\u4e00-\u9fff])", {"中"}, {"a"}});
  check_grammar({"root ::= .", {"a", "\n", "😀"}, {"", "ab", "\xFF"}});
}

TEST(GbnfRulesTest, FaultsNameTheLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "grammar: there is no rule called 'root'"},
      {"start ::= \"a\"", "grammar: there is no rule called 'root'"},
      {"root ::= a\n", "grammar: line 1: there is no rule called 'a'"},
      {"root ::= \"a\"\nb ::= c", "grammar: line 2: there is no rule called 'c'"},
      {"root ::= \"a\"\nroot ::= \"b\"", "grammar: line 2: rule 'root' is there twice"},
      {"root = \"a\"", "grammar: line 1: '::=' expected after the name of a rule"},
      {"root ::= \"a\n\"", "grammar: line 1: the line ends inside quotation marks or brackets"},
      {"root ::= \"a", "grammar: line 1: the line ends inside quotation marks or brackets"},
      {"root ::= [a", "grammar: line 1: the line ends inside quotation marks or brackets"},
      {"\n\nroot ::= [z-a]", "grammar: line 3: a range in [] is out of order"},
      {"root ::= (\"a\"", "grammar: line 1: '(' without ')'"},
      {"root ::= \"a\")", "grammar: line 1: ')' is not expected here"},
      {"root ::= *", "grammar: line 1: '*' is not expected here"},
      {"root ::= \"a\"{3,2}", "grammar: line 1: the numbers in {} are out of order"},
      {"root ::= \"a\"{}", "grammar: line 1: {m}, {m,} or {m,n} expected"},
      {"root ::= \"a\"{1", "grammar: line 1: {m}, {m,} or {m,n} expected"},
      {"root ::= <think>", "grammar: line 1: tokens by their names are not supported"},
      {"root ::= \"\\q\"", "grammar: line 1: an escape that is not known"},
      {"::= \"a\"", "grammar: line 1: the name of a rule expected"},
  };
  for (const auto& [grammar, fault] : cases) {
    RegexSet r;
    EXPECT_EQ(error_of([&] { read_gbnf_rules(r, grammar); }), fault) << grammar;
  }
}

// What the text's own reader says is of a grammar too.
TEST(GbnfRulesTest, FaultsInsideOfTextsNameTheLineToo) {
  for (const char* part : {"\"\\x4\"", "\"\\u12\"", "\"\xFF\"", "\"a\"{100001}", "\"\\"}) {
    RegexSet r;
    const std::string fault =
        error_of([&] { read_gbnf_rules(r, "a ::= \"\"\nroot ::= " + std::string(part)); });
    EXPECT_THAT(fault, testing::StartsWith("grammar: line 2: ")) << part;
  }
}

TEST(GbnfRulesTest, TooDeepAndTooLarge) {
  RegexSet r;
  const std::string deep(100'000, '(');
  EXPECT_EQ(error_of([&] { read_gbnf_rules(r, "root ::= " + deep); }),
            "grammar: line 1: parentheses are nested too deeply");
  EXPECT_EQ(error_of([&] { read_gbnf_rules(r, "root ::= \"a\"" + std::string(100'000, '+')); }),
            "grammar: line 1: too many repetitions of repetitions");
  EXPECT_EQ(error_of([&] { read_gbnf_rules(r, "root ::= \"a\"+?*"); }), "");
  EXPECT_EQ(error_of([&] { read_gbnf_rules(r, std::string((1U << 20U) + 1, '#')); }),
            "grammar: larger than 1 MiB");
}

}  // namespace
}  // namespace confab::engine
