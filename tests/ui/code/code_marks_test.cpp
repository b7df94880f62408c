// SPDX-License-Identifier: MIT
#include "ui/code/code_marks.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;
using Marks = Enclosed::Marks;

std::string closing(const Enclosed& rule, std::string_view text) {
  const std::optional<Opened> opened = open_mark(rule, text);
  return opened ? std::string(text.substr(0, opened->n_bytes)) + " " + opened->close : "none";
}

TEST(OpenMarkTest, MakesTheMarkThatCloses) {
  const Enclosed hashes{.open = "r", .close = "\"", .marks = Marks::hashes};
  EXPECT_EQ(closing(hashes, "r##\"x"), "r##\" \"##");
  EXPECT_EQ(closing(hashes, "r\"x"), "r\" \"");
  EXPECT_EQ(closing(hashes, "r#x"), "none");
  const Enclosed raw{.open = "R\"", .close = "\"", .marks = Marks::raw_cpp};
  EXPECT_EQ(closing(raw, "R\"ab(x"), "R\"ab( )ab\"");
  EXPECT_EQ(closing(raw, "R\"a b(x"), "none");
  const Enclosed bracket{.open = "--", .marks = Marks::long_bracket};
  EXPECT_EQ(closing(bracket, "--[==[ x"), "--[==[ ]==]");
  EXPECT_EQ(closing(bracket, "--[= x"), "none");
  const Enclosed tagged{.open = "$", .marks = Marks::tagged};
  EXPECT_EQ(closing(tagged, "$fn$ x"), "$fn$ $fn$");
  EXPECT_EQ(closing(tagged, "$1"), "none");
}

TEST(OpenMarkTest, BoundsWhatTheTextMakesUp) {
  const std::string many(1000, '#');
  EXPECT_EQ(closing({.open = "r", .close = "\"", .marks = Marks::hashes}, "r" + many + "\""),
            "none");
  EXPECT_EQ(closing({.open = "R\"", .close = "\"", .marks = Marks::raw_cpp},
                    "R\"" + std::string(1000, 'x') + "("),
            "none");
  EXPECT_EQ(closing({.marks = Marks::long_bracket}, "[" + std::string(1000, '=') + "["), "none");
  EXPECT_EQ(closing({.open = "$", .marks = Marks::tagged}, "$" + std::string(1000, 'x') + "$"),
            "none");
}

TEST(OpenHeredocTest, NamesItsWord) {
  EXPECT_EQ(open_heredoc("<<", "<<EOF | cat")->close, "EOF");
  EXPECT_FALSE(open_heredoc("<<", "<<-'END OF'"));
  EXPECT_EQ(open_heredoc("<<", "<<-'END'; x")->n_bytes, 8U);
  EXPECT_EQ(open_heredoc("<<", "<<~\"SQL\"")->close, "SQL");
  for (const char* text : {"<<", "<< x", "<<<x", "<<2", "<<'x"})
    EXPECT_FALSE(open_heredoc("<<", text)) << text;
}

TEST(NumberEndTest, TakesDigitsExponentsAndSuffixes) {
  for (const char* number : {"0", "12_000", "0xFFu", "1.5e-3f", "3'000", "0x1p+4", "10px", ".5"})
    EXPECT_EQ(number_end(std::string(number) + " x", 0), std::string_view(number).size()) << number;
  EXPECT_EQ(number_end("1..5", 0), 1U);
  EXPECT_EQ(number_end("1.max(2)", 0), 1U);
  EXPECT_EQ(number_end("1+2", 0), 1U);
  EXPECT_EQ(number_end("0xe+1", 0), 3U);
}

TEST(RegexEndTest, SkipsEscapesAndClasses) {
  EXPECT_EQ(regex_end("/a\\/b/g", 0), 6U);
  EXPECT_EQ(regex_end("/[/]/", 0), 5U);
  EXPECT_EQ(regex_end("/abc", 0), npos);
  EXPECT_EQ(regex_end("/ab\\", 0), npos);
}

TEST(KeyEndTest, FindsNamesBeforeTheirMark) {
  EXPECT_EQ(assigned_name_end("name = 1", 0), 4U);
  EXPECT_EQ(assigned_name_end("CC := gcc", 0), 2U);
  for (const char* line : {"a == b", "f(x = 1)", "[x]", "no mark", "= x", "'a=b'"})
    EXPECT_EQ(assigned_name_end(line, 0), npos) << line;
  EXPECT_EQ(yaml_key_end("a b: c", 0), 3U);
  EXPECT_EQ(yaml_key_end("key:", 0), 3U);
  EXPECT_EQ(yaml_key_end("http://x: y", 0), 8U);
  for (const char* line : {"http://x", "plain", ": x", "{a: b}", "\"a\": b"})
    EXPECT_EQ(yaml_key_end(line, 0), npos) << line;
}

TEST(CharacterLengthTest, TellsLiteralsFromLifetimes) {
  EXPECT_EQ(character_length("'a' b"), 3U);
  EXPECT_EQ(character_length("'é'"), 4U);
  EXPECT_EQ(character_length("'\\n'"), 4U);
  EXPECT_EQ(character_length("'\\''"), 4U);
  EXPECT_EQ(character_length("'\\u{1F600}'"), 11U);
  for (const char* text : {"'a ", "'a", "'", "''", "'ab'", "'\\"})
    EXPECT_EQ(character_length(text), 0U) << text;
}

TEST(ListTest, HoldsWholeWords) {
  EXPECT_TRUE(is_listed("for case in", "in"));
  EXPECT_TRUE(is_listed("for case in", "for"));
  EXPECT_FALSE(is_listed("for case in", "cas"));
  EXPECT_FALSE(is_listed("for case in", ""));
  EXPECT_TRUE(begins_with_one_of("// x", "# //"));
  EXPECT_FALSE(begins_with_one_of("/ x", "# //"));
  EXPECT_FALSE(begins_with_one_of("x", ""));
}

TEST(CharacterClassTest, IsThatOfNames) {
  EXPECT_TRUE(is_capitalised("Vector"));
  EXPECT_FALSE(is_capitalised("MAX"));
  EXPECT_FALSE(is_capitalised("T"));
  EXPECT_FALSE(is_capitalised("vector"));
  EXPECT_TRUE(is_name_char('\xc3'));
  EXPECT_EQ(skip_blanks(" \t x", 0), 3U);
  EXPECT_EQ(skip_blanks("x", 5), 1U);
}

}  // namespace
}  // namespace confab::ui
