// SPDX-License-Identifier: MIT
#include "engine/constrain/machine.h"

#include <gtest/gtest.h>

#include "tests/engine/constrain/grammar_cases.h"
#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

TEST(MachineTest, BytesOneByOneOrTogether) {
  for (const char* grammar : kGrammars) {
    TextReader reader = read_gbnf(grammar);
    std::mt19937 rng(3);
    for (int i = 0; i < 10; ++i)
      reader.random_text(rng, 30, [&](const Position& at, const std::string& text) {
        EXPECT_EQ(at, reader.machine.advance(reader.machine.start(), text)) << text;
        EXPECT_FALSE(at.is_dead());
      });
  }
}

// From every position that random bytes lead to, the way out ends the text.
TEST(MachineTest, TheWayOutLeadsToAnEndFromEverywhere) {
  for (const char* grammar : kGrammars) {
    TextReader reader = read_gbnf(grammar);
    std::mt19937 rng(20261123);
    for (int i = 0; i < 40; ++i) {
      const std::string all =
          reader.random_text(rng, 50, [&](const Position& at, const std::string& text) {
            const std::string rest = reader.machine.way_out(at).value();
            EXPECT_TRUE(reader.machine.advance(at, rest).may_end) << text << " | " << rest;
            EXPECT_TRUE(rest.empty() || !at.may_end) << text << " | " << rest;
          });
      EXPECT_TRUE(reader.accepts(all)) << all;
    }
  }
}

TEST(MachineTest, WhatIsForcedIsTheOnlyWay) {
  TextReader reader =
      read_gbnf(R"(root ::= "{\"name\": " ("\"a\"" | "\"b\"") ", \"rest\": " root? "}")");
  Machine& machine = reader.machine;
  EXPECT_EQ(machine.forced(machine.start()), "{\"name\": \"");
  EXPECT_EQ(machine.forced(machine.advance(machine.start(), "{\"name\": \"a")), "\", \"rest\": ");
  EXPECT_EQ(machine.forced(machine.advance(machine.start(), "{\"name\": \"a\", \"rest\": ")), "");
  const Position ended = machine.advance(machine.start(), "{\"name\": \"a\", \"rest\": }");
  EXPECT_TRUE(ended.may_end && ended.readings.empty());
  EXPECT_EQ(machine.forced(ended), "");
}

// Where nothing else is allowed; and where the text may end nothing is forced.
TEST(MachineTest, WhatIsForcedIsTheSameByteByByte) {
  for (const char* grammar : kGrammars) {
    TextReader reader = read_gbnf(grammar);
    std::mt19937 rng(77);
    for (int i = 0; i < 10; ++i)
      reader.random_text(rng, 40, [&](Position at, const std::string& text) {
        for (const char c : reader.machine.forced(at)) {
          EXPECT_FALSE(at.may_end) << text;
          const auto bytes = bytes_after(reader.machine, at);
          ASSERT_EQ(bytes, std::vector<std::uint8_t>{static_cast<std::uint8_t>(c)}) << text;
          at = reader.machine.advance(at, static_cast<std::uint8_t>(c));
        }
        EXPECT_TRUE(at.may_end || bytes_after(reader.machine, at).size() > 1) << text;
      });
  }
}

TEST(MachineTest, ATextThatDoesNotFitIsDeadForGood) {
  TextReader reader = read_gbnf(kArithmetic);
  const Position dead = reader.machine.advance(reader.machine.start(), "1+x");
  EXPECT_TRUE(dead.is_dead());
  EXPECT_TRUE(reader.machine.advance(dead, "1").is_dead());
  EXPECT_TRUE(bytes_after(reader.machine, dead).empty());
}

TEST(MachineTest, EndsOfRulesAreNoReadings) {
  // A thousand rules end with the last byte, and callers without a rest are left out.
  TextReader reader = read_gbnf("root ::= \"a\" root | \"b\"");
  const Position at = reader.machine.advance(reader.machine.start(), std::string(20'000, 'a'));
  EXPECT_FALSE(at.is_dead());
  EXPECT_TRUE(reader.machine.advance(at, "b").may_end);
}

TEST(MachineTest, DepthHasAnEndThatIsNoCrash) {
  TextReader reader = read_gbnf("root ::= \"(\" root? \")\"");
  std::string open(900, '(');
  const Position at = reader.machine.advance(reader.machine.start(), open);
  EXPECT_TRUE(reader.machine.advance(at, std::string(900, ')')).may_end);
  EXPECT_EQ(reader.machine.way_out(at), std::string(900, ')'));
  const Position deep = reader.machine.advance(reader.machine.start(), std::string(5000, '('));
  EXPECT_TRUE(deep.is_dead()) << "more than a thousand callers";
  // One step before that there is still a way out.
  Position last = reader.machine.start();
  for (;;) {
    const Position next = reader.machine.advance(last, "(");
    if (next.is_dead()) break;
    last = next;
  }
  EXPECT_TRUE(reader.machine.advance(last, reader.machine.way_out(last).value()).may_end);
}

// Each of them could be of either rule until it ends: 2^n readings, of which one is kept.
TEST(MachineTest, WhatDiffersInItsCallersAloneIsOneReading) {
  TextReader reader =
      read_gbnf("root ::= a | b\na ::= \"(\" root? \")\" \"x\"?\nb ::= \"(\" root? \")\" \"y\"?");
  TextReader plain = read_gbnf("root ::= \"(\" root? \")\" [xy]?");
  Position at = reader.machine.start();
  for (int i = 0; i < 500; ++i) {
    at = reader.machine.advance(at, "(");
    ASSERT_LE(at.readings.size(), 4U) << i;
  }
  EXPECT_EQ(reader.machine.way_out(at), std::string(500, ')'));
  std::mt19937 rng(5);
  for (int round = 0; round < 20; ++round) {
    const std::string all = plain.random_text(rng, 300, [](const auto&, const auto&) {});
    Position other = plain.machine.start();
    at = reader.machine.start();
    for (const char c : all) {
      ASSERT_EQ(bytes_after(reader.machine, at), bytes_after(plain.machine, other)) << all;
      EXPECT_EQ(at.may_end, other.may_end);
      at = reader.machine.advance(at, static_cast<std::uint8_t>(c));
      other = plain.machine.advance(other, static_cast<std::uint8_t>(c));
      EXPECT_EQ(reader.machine.way_out(at), plain.machine.way_out(other)) << all;
    }
    EXPECT_TRUE(at.may_end) << all;
  }
}

// What is inside may be of either caller, and what follows says of which.
TEST(MachineTest, ReadingsPartAgainWhereTheirCallersDo) {
  TextReader reader = read_gbnf(
      "root ::= \"[\" list \"]\" | \"[\" pair \"]\"\nlist ::= item (\",\" item)*\n"
      "pair ::= item \":\" item\nitem ::= root | \"1\"");
  for (const char* text : {"[1]", "[1,1,1]", "[1:1]", "[[1:[1]],[1,1]]", "[[[1]]:[1:1]]"})
    EXPECT_TRUE(reader.accepts(text)) << text;
  for (const char* text : {"[1,1:1]", "[1:1:1]", "[[1:1],1:1]", "[1", "[]"})
    EXPECT_FALSE(reader.accepts(text)) << text;
}

TEST(MachineTest, TooManyReadingsAreSaid) {
  TextReader reader =
      read_gbnf("root ::= a a a a a a a a a a a a a a\na ::= \"\" | \"x\" a \"y\" | \"x\" a \"z\"");
  const std::string fault = error_of([&] { reader.begins(std::string(60, 'x')); });
  EXPECT_TRUE(fault.empty() ||
              fault == "the grammar is too ambiguous: a text has too many readings")
      << fault;
}

}  // namespace
}  // namespace confab::engine
