// SPDX-License-Identifier: MIT
// Grammars in GBNF and the texts that they have.
#include "engine/constrain/gbnf.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/engine/constrain/grammar_cases.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

TEST(GbnfTest, Arithmetic) {
  check_grammar({kArithmetic,
                 {"1", "12+3*4", "(1 + 2)*-3", "((((7))))", "--1", "1 - (2/3)"},
                 {"", "+", "1+", "(1", "1)", "1  + 2", "a", "()", "1 2"}});
}

TEST(GbnfTest, JsonOfOnesOwn) {
  check_grammar(
      {kJson,
       {"{}", "[]", R"({"a": [1, -2.5e+3, "x\"\u00e9", {}, null]})", "[[[[true]]]]", "[\n  1 ]"},
       {"", "{", "1", R"({"a"})", R"({"a":1,})", "[01]", "[1,]", "[\"\n\"]", "[nul]"}});
}

TEST(GbnfTest, Statements) {
  check_grammar(
      {kStatements,
       {"a = 1;\n", "if (x < 10) {\ny = f(x, 2 + z);\n}\n else {\n}\n", "{\n{\na = b;\n}\n}\n"},
       {"", "a = 1", "if (x) a = 1;\n", "{\na = 1;\n", "1 = a;\n", "{\n}\n}\n"}});
}

TEST(GbnfTest, AmbiguousTextsAreReadInEveryWay) {
  TextReader reader = read_gbnf(kAmbiguous);
  for (std::size_t n = 0; n < 60; ++n) EXPECT_EQ(reader.accepts(std::string(n, 'a')), n != 1) << n;
}

TEST(GbnfTest, NestingIsCounted) {
  TextReader reader = read_gbnf("root ::= \"a\" root? \"b\" | \"c\"");
  for (int n = 0; n < 40; ++n)
    for (int m = 0; m < 40; ++m) {
      const std::string text = std::string(static_cast<std::size_t>(n), 'a') +
                               std::string(static_cast<std::size_t>(m), 'b');
      EXPECT_EQ(reader.accepts(text), n == m && n > 0) << text;
    }
  EXPECT_TRUE(reader.accepts("aaacbbb"));
}

// The same repetition of what is regular and of what is not.
TEST(GbnfTest, RepetitionsHaveTheirBounds) {
  struct Times {
    std::string written;
    int min, max;
  };
  for (const auto& [written, min, max] : {Times{"", 1, 1},
                                          {"?", 0, 1},
                                          {"*", 0, 99},
                                          {"+", 1, 99},
                                          {"{3}", 3, 3},
                                          {"{2,}", 2, 99},
                                          {"{2,4}", 2, 4},
                                          {"{,3}", 0, 3},
                                          {"{0}", 0, 0},
                                          {"{ 1 , 2 }", 1, 2},
                                          {"{0,0}", 0, 0}})
    for (const std::string inside : {"\"x\"", "[x]", "(\"x\")", "part", "nested"}) {
      const std::string grammar = "root ::= \"<\" " + inside + written +
                                  " \">\"\npart ::= \"x\"\nnested ::= \"x\" | \"(\" nested \")\"";
      TextReader reader = read_gbnf(grammar);
      for (int n = 0; n < 8; ++n)
        EXPECT_EQ(reader.accepts("<" + std::string(static_cast<std::size_t>(n), 'x') + ">"),
                  n >= min && n <= max)
            << grammar << " " << n;
    }
}

TEST(GbnfTest, LeftRecursionIsRefusedByItsName) {
  const std::pair<const char*, const char*> cases[] = {
      {"root ::= root \"a\" | \"b\"", "root"},
      {"root ::= one\none ::= two \"a\" | \"b\"\ntwo ::= one \"c\"", "two"},
      {"root ::= empty deep\nempty ::= \"\"\ndeep ::= empty [x]* \"y\"? deep \"a\" | \"b\"",
       "deep"},
      {"root ::= \"a\" rest\nrest ::= maybe rest \"b\" | \"c\"\nmaybe ::= (\"x\" maybe)?", "rest"},
      {"root ::= (root)* \"a\"", "root"},
      {"root ::= \"a\" (many \"b\")\nmany ::= (many?)+ \"c\"", "many"},
  };
  for (const auto& [grammar, rule] : cases) {
    RegexSet r;
    const std::string fault = error_of([&] { parse_gbnf(r, grammar); });
    EXPECT_THAT(fault, testing::EndsWith("begins with itself (left recursion)")) << grammar;
    EXPECT_THAT(fault, testing::HasSubstr(std::string("rule '") + rule)) << grammar;
  }
  for (const char* grammar : {"root ::= \"a\" root | \"b\"", "root ::= [x] (root \"a\")?",
                              "root ::= \"(\" root* \")\""}) {
    RegexSet r;
    EXPECT_EQ(error_of([&] { parse_gbnf(r, grammar); }), "") << grammar;
  }
}

TEST(GbnfTest, WhatNoTextFitsIsRefused) {
  for (const char* grammar : {"root ::= \"a\" root", "root ::= []", "root ::= \"a\" []",
                              "root ::= a\na ::= \"x\" b\nb ::= \"y\" a"}) {
    RegexSet r;
    EXPECT_EQ(error_of([&] { parse_gbnf(r, grammar); }), "grammar: no text fits it") << grammar;
  }
}

TEST(GbnfTest, WhatLeadsToNoEndIsNotBegun) {
  TextReader reader = read_gbnf("root ::= endless* \"b\"\nendless ::= \"a\" endless");
  EXPECT_TRUE(reader.accepts("b"));
  EXPECT_FALSE(reader.begins("a"));
}

TEST(GbnfTest, ChainsOfRulesMayBeLong) {
  constexpr int kLong = 40'000;
  std::string down = "root ::= r0\n", up = "r0 ::= \"x\"\n";
  for (int i = 0; i < kLong; ++i) {
    down += fmt::format("r{} ::= r{}\n", i, i + 1);
    up += fmt::format("r{} ::= r{}\n", i + 1, i);
  }
  for (const std::string& grammar :
       {down + fmt::format("r{} ::= \"x\"\n", kLong), up + fmt::format("root ::= r{}\n", kLong)}) {
    TextReader reader = read_gbnf(grammar);
    EXPECT_TRUE(reader.accepts("x"));
    EXPECT_FALSE(reader.accepts("xx"));
  }
  RegexSet r;
  const std::string missing =
      fmt::format("grammar: line {}: there is no rule called 'r{}'", kLong + 1, kLong);
  EXPECT_EQ(error_of([&] { parse_gbnf(r, down); }), missing);
}

// Chains that come back to themselves end with a line, or are read, as soon.
TEST(GbnfTest, LongChainsThatComeBackEndToo) {
  constexpr int kLong = 20'000;
  std::string grammar = "root ::= \"x\" r0 | \"y\"\n";
  for (int i = 0; i < kLong; ++i) grammar += fmt::format("r{} ::= \"a\" r{}\n", i, i + 1);
  TextReader reader = read_gbnf(grammar + fmt::format("r{} ::= root\n", kLong));
  EXPECT_TRUE(reader.accepts("x" + std::string(kLong, 'a') + "y"));
  EXPECT_FALSE(reader.accepts("x" + std::string(kLong - 1, 'a') + "y"));
  RegexSet r;
  std::string left = "root ::= r0 | \"y\"\n";
  for (int i = 0; i < kLong; ++i) left += fmt::format("r{} ::= r{} \"a\"\n", i, i + 1);
  left += fmt::format("r{} ::= root\n", kLong);
  EXPECT_THAT(error_of([&] { parse_gbnf(r, left); }),
              testing::EndsWith("begins with itself (left recursion)"));
}

TEST(GbnfTest, AlternativesInAlternativesMayNotBeNestedVeryDeeply) {
  const auto chain = [](int n) {
    std::string text = "root ::= r0\n";
    for (int i = 0; i < n; ++i) text += fmt::format("r{} ::= r{} \"a\" | \"b\"\n", i, i + 1);
    return text + fmt::format("r{} ::= \"a\"\n", n);
  };
  RegexSet r;
  EXPECT_THAT(error_of([&] { parse_gbnf(r, chain(30'000)); }),
              testing::EndsWith("': it is nested too deeply"));
  TextReader reader = read_gbnf(chain(20));
  EXPECT_TRUE(reader.accepts("b" + std::string(10, 'a')));
  EXPECT_FALSE(reader.accepts("b" + std::string(30, 'a')));
}

// Each rule stands twice in the one before it, and may be empty: 2^60 ways to begin.
TEST(GbnfTest, WhatIsSharedIsLookedAtOnce) {
  std::string text = "root ::= r0\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("r{0} ::= (r{1} r{1})?\n", i, i + 1);
  RegexSet r;
  error_of([&] { parse_gbnf(r, text + "r30 ::= \"a\"\n"); });
  EXPECT_LT(r.n_nodes(), 200'000U);
}

// All lengths of the counter are walked only where the text gets there.
TEST(GbnfTest, CountersThatMayBeReadInManyWaysAreCheap) {
  for (const char* grammar :
       {"root ::= x*\nx ::= [c]{3000,}", "root ::= x*\nx ::= [c]{3000,} | \"c\"",
        "root ::= \"(\" root \")\" | x*\nx ::= [c]{100000,} | \"c\" | \"cc\"",
        "root ::= (\"c\"{3000,}){0,1000} root?\n"}) {
    RegexSet r;
    const std::string fault = error_of([&] { parse_gbnf(r, grammar); });
    EXPECT_LT(r.n_nodes(), 20'000U) << grammar << ": " << fault;
  }
}

TEST(GbnfTest, ATextThatDoublesWithEachRuleIsTooLarge) {
  std::string grammar = "root ::= r0 | \"(\" root \")\"\n";
  for (int i = 0; i < 40; ++i) grammar += fmt::format("r{0} ::= r{1} r{1}\n", i, i + 1);
  RegexSet r;
  EXPECT_THAT(error_of([&] { parse_gbnf(r, grammar + "r40 ::= \"x\" | \"(\" root \")\"\n"); }),
              testing::HasSubstr("the grammar is too large"));
}

// Random texts of the grammar for JSON are JSON.
TEST(GbnfTest, RandomTextsOfTheGrammarForJsonAreJson) {
  TextReader reader = read_gbnf(kJson);
  std::mt19937 rng(11);
  for (int i = 0; i < 100; ++i) {
    const std::string text = reader.random_text(rng, 40, [](const auto&, const auto&) {});
    EXPECT_TRUE(nlohmann::json::accept(text)) << text;
  }
}

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
