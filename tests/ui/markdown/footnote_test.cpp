// SPDX-License-Identifier: MIT
#include "ui/markdown/footnote.h"

#include <gtest/gtest.h>

#include <string>

#include "ui/markdown/markdown_math.h"

namespace confab::ui {
namespace {

// The labels that are footnotes', each with a space behind it.
std::string labels(std::string_view text) {
  const std::string shielded = shield_footnotes(std::string(text));
  EXPECT_EQ(reveal(shielded), text);
  std::string out;
  std::string_view rest = shielded;
  for (std::size_t at; (at = find_footnote(rest)) < rest.size();) {
    const Footnote found = read_footnote(rest.substr(at));
    out.append(found.label).append(1, ' ');
    rest.remove_prefix(at + found.size);
  }
  return out;
}

TEST(FootnoteTest, NumbersAreFootnotesWhereverTheyAre) {
  EXPECT_EQ(labels("a[^1] b[^22].\n\n[^1]: text"), "1 22 1 ");
  EXPECT_EQ(labels("[^123][^1]"), "123 1 ");
}

TEST(FootnoteTest, OtherLabelsAreWhenTheirFootnoteIsThere) {
  EXPECT_EQ(labels("a[^note] [^a-z]"), "");
  EXPECT_EQ(labels("a[^note] [^a-z]\n\n[^note]: text\n"), "note note ");
  EXPECT_EQ(labels("> a[^x]\n>\n> [^x]: text\n"), "x x ");
}

TEST(FootnoteTest, OtherBracketsAreNone) {
  for (const char* text :
       {"", "[1]", "[^]", "[^1", "[^1](/u)", "\\[^1]", "[^a b]: c", "[^1234]", "[^0-9]", "x [^é]"})
    EXPECT_EQ(labels(text), "") << text;
}

TEST(FootnoteTest, OneStandsWhereAColonFollows) {
  EXPECT_TRUE(stands_footnote(shield_footnotes("[^1]: a")));
  for (const char* text : {"[^1]", "[^1] : a", "a [^1]: b", "[^a]"})
    EXPECT_FALSE(stands_footnote(shield_footnotes(text))) << text;
}

}  // namespace
}  // namespace confab::ui
