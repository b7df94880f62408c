// SPDX-License-Identifier: MIT
#include "ui/markdown/table_layout.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Table table(const std::vector<Align>& columns, const Rows& rows) {
  Table out{columns, {}};
  for (const std::vector<std::string>& row : rows) {
    out.rows.emplace_back();
    for (const std::string& cell : row) {
      out.rows.back().emplace_back();
      if (!cell.empty()) out.rows.back().back().spans.push_back({cell, {}});
    }
  }
  return out;
}

std::string text(const std::vector<Align>& columns, const Rows& rows, int width) {
  return to_text(lay_out_table(table(columns, rows), Cols{width}).lines);
}

constexpr Align l = Align::left, c = Align::center, r = Align::right;

TEST(TableLayoutTest, AlignsColumns) {
  EXPECT_EQ(text({l, c, r}, {{"name", "c", "n"}, {"a", "wide", "12"}, {"b"}}, 40),
            "name │  c   │  n\n"
            "─────┼──────┼───\n"
            "a    │ wide │ 12\n"
            "b    │      │\n");
}

TEST(TableLayoutTest, CountsColumnsNotBytes) {
  EXPECT_EQ(text({l, l}, {{"漢字", "é"}, {"a", "👩‍💻"}}, 40),
            "漢字 │ é\n"
            "─────┼───\n"
            "a    │ 👩‍💻\n");
}

TEST(TableLayoutTest, AHeaderAloneHasItsRule) {
  EXPECT_EQ(text({l, l}, {{"a", "b"}}, 40), "a │ b\n──┼──\n");
}

// The widest column gives way first; rows of several lines are kept apart.
TEST(TableLayoutTest, ShrinksTheWidestColumnAndWraps) {
  EXPECT_EQ(text({l, l}, {{"key", "meaning"}, {"a", "some words that wrap"}, {"b", "one"}}, 18),
            "key │ meaning\n"
            "────┼─────────────\n"
            "a   │ some words\n"
            "    │ that wrap\n"
            "────┼─────────────\n"
            "b   │ one\n");
}

TEST(TableLayoutTest, BreaksWordsBeforeItGivesUp) {
  EXPECT_EQ(text({l, l}, {{"k", "v"}, {"incomprehensible", "unbelievable"}}, 21),
            "k         │ v\n"
            "──────────┼──────────\n"
            "incompreh │ unbelieva\n"
            "ensible   │ ble\n");
}

TEST(TableLayoutTest, TooNarrowForColumnsIsRecords) {
  EXPECT_EQ(
      text({l, l, l}, {{"city", "land", ""}, {"Bergen", "Norway, north", "x"}, {"Turin"}}, 12),
      "city: Bergen\n"
      "land:\n"
      "  Norway,\n"
      "  north\n"
      "x\n"
      "────────────\n"
      "city: Turin\n");
  EXPECT_EQ(text({l, l, l}, {{"city", "land", "sea"}}, 5), "city\nland\nsea\n");
}

TEST(TableLayoutTest, ALongHeaderIsCutInRecords) {
  const std::string header(100, 'h');
  const Table wide = table({l, l, l, l}, {{header, "b", "c", "d"}, {"1", "2"}});
  const MarkdownLayout out = lay_out_table(wide, Cols{14});
  EXPECT_EQ(to_text(out.lines), "hhhhhhhhhhhh\n  hhhhhhhhhhh…\n  : 1\nb: 2\n");
}

TEST(TableLayoutTest, LinksKnowTheirLines) {
  Table links = table({l, l}, {{"a", "b"}, {"x y z x y z", "t"}});
  links.rows[1][1].links.push_back("https://x.y");
  links.rows[1][0].links.push_back("/u");
  for (InlineText& cell : links.rows[1]) cell.spans[0].part = 1;
  const std::vector<MarkdownPart> want = {{MarkdownPart::Kind::link, 2, 2, "/u"},
                                          {MarkdownPart::Kind::link, 2, 1, "https://x.y"}};
  EXPECT_EQ(lay_out_table(links, Cols{10}).parts, want);
}

TEST(TableLayoutTest, NeverWiderThanAsked) {
  const Table some = table({l, c, r}, {{"漢字", "head", "x"}, {"a b c d e f", "漢字漢字", "123"}});
  for (int width = 1; width < 40; ++width)
    for (const Line& line : lay_out_table(some, Cols{width}).lines)
      EXPECT_LE(ui::width(line).value, width);
}

}  // namespace
}  // namespace confab::ui
