// SPDX-License-Identifier: MIT
#include "ui/wrap.h"

#include <gtest/gtest.h>

#include <random>

namespace confab::ui {
namespace {

std::string words(std::string_view text, int columns) {
  const std::vector<Span> spans = {{std::string(text), {}}};
  return to_text(wrap_words(spans, Cols{columns}));
}

std::string columns(std::string_view text, int n) {
  const std::vector<Span> spans = {{std::string(text), {}}};
  return to_text(wrap_columns(spans, Cols{n}));
}

TEST(WrapWordsTest, BreaksAtSpacesAndDropsThem) {
  EXPECT_EQ(words("the quick brown fox", 9), "the quick\nbrown fox\n");
  EXPECT_EQ(words("the   quick", 5), "the\nquick\n");
  EXPECT_EQ(words("the  quick", 10), "the  quick\n");
  EXPECT_EQ(words("trailing   ", 20), "trailing\n");
}

TEST(WrapWordsTest, NoTextIsAnEmptyLine) {
  EXPECT_EQ(words("", 10), "\n");
  EXPECT_EQ(words("   ", 10), "\n");
  EXPECT_EQ(to_text(wrap_words({}, Cols{10})), "\n");
}

TEST(WrapWordsTest, CutsLongWords) {
  EXPECT_EQ(words("abcdefgh", 3), "abc\ndef\ngh\n");
  EXPECT_EQ(words("a bcdefgh i", 4), "a\nbcde\nfgh\ni\n");
}

TEST(WrapWordsTest, LineBreaksEndLinesAndIndentsStay) {
  EXPECT_EQ(words("a\n\n  b c", 4), "a\n\n  b\nc\n");
  EXPECT_EQ(words("a\n", 4), "a\n\n");
}

TEST(WrapWordsTest, AnIndentWithoutRoomForItsWordIsDropped) {
  EXPECT_EQ(words("    abc", 5), "abc\n");
}

TEST(WrapWordsTest, BreaksAroundWideCharacters) {
  EXPECT_EQ(words("漢字漢字", 5), "漢字\n漢字\n");
  EXPECT_EQ(words("ab漢字cd", 4), "ab漢\n字cd\n");
  EXPECT_EQ(words("漢字。", 4), "漢\n字。\n");
  EXPECT_EQ(words("hi 😀!", 5), "hi\n😀!\n");
}

TEST(WrapWordsTest, CombiningMarksStayWithTheirLetter) {
  EXPECT_EQ(words("e\u0301e\u0301e\u0301", 2), "e\u0301e\u0301\ne\u0301\n");
}

TEST(WrapWordsTest, AWideCharacterInOneColumnIsAnEllipsis) {
  EXPECT_EQ(words("a漢b", 1), "a\n…\nb\n");
  EXPECT_EQ(words("ab", 0), "a\nb\n");
}

TEST(WrapWordsTest, TabsReachTheNextStop) {
  EXPECT_EQ(words("a\tb\n\tc", 20), "a   b\n    c\n");
  EXPECT_EQ(words("漢\tb", 20), "漢  b\n");
}

TEST(WrapWordsTest, KeepsStylesAndLinksAcrossLines) {
  const Style strong{.role = Role::strong};
  const std::vector<Span> spans = {{"a ", {}}, {"b c", strong, "https://x"}, {"d", {}}};
  const std::vector<Line> lines = wrap_words(spans, Cols{3});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], (Line{{{"a ", {}}, {"b", strong, "https://x"}}}));
  EXPECT_EQ(lines[1], (Line{{{"c", strong, "https://x"}, {"d", {}}}}));
}

TEST(WrapColumnsTest, CutsWhereTheLineIsFull) {
  EXPECT_EQ(columns("if (a) {", 4), "if (\na) {\n");
  EXPECT_EQ(columns("a  b", 2), "a \n b\n");
  EXPECT_EQ(columns("漢字漢", 3), "漢\n字\n漢\n");
}

TEST(WrapColumnsTest, KeepsIndentsAndEmptyLines) {
  EXPECT_EQ(columns("  a   \n\n\tb", 20), "  a\n\n    b\n");
  EXPECT_EQ(columns("", 20), "\n");
}

TEST(WrapColumnsTest, TabsCountColumns) {
  EXPECT_EQ(columns("\ta\t漢\t.", 20), "    a   漢  .\n");
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

// What holds for every text and width: nothing but spaces is lost, no line is too wide or ends in a
// space.
TEST(WrapPropertyTest, LinesFitAndNothingIsLost) {
  constexpr unsigned kSeed = 20261123;
  std::mt19937 rng(kSeed);
  const std::vector<std::string> pieces = {"a",  "bc",      " ", "  ", "\n",
                                           "漢", "e\u0301", "😀", ".",  "longword"};
  for (int i = 0; i < 4000; ++i) {
    std::vector<Span> spans(rng() % 4);
    std::string text;
    for (Span& span : spans) {
      for (std::size_t n = rng() % 12; n > 0; --n) span.text += pieces[rng() % pieces.size()];
      text += span.text;
    }
    const Cols limit{2 + static_cast<int>(rng() % 12)};
    for (const bool by_word : {true, false}) {
      const std::vector<Line> lines =
          by_word ? wrap_words(spans, limit) : wrap_columns(spans, limit);
      ASSERT_EQ(without_spaces(to_text(lines)), without_spaces(text))
          << "seed " << kSeed << " case " << i;
      for (const Line& line : lines) {
        ASSERT_LE(width(line), limit) << text;
        ASSERT_FALSE(by_word && to_text(line).ends_with(' ')) << text;
      }
    }
  }
}

TEST(WrapHangingTest, GoesOnInTheLastColumn) {
  const auto wrapped = [](std::string_view text, int width) {
    return to_text(wrap_hanging(text, {}, Cols{width}));
  };
  EXPECT_EQ(wrapped("/edit  N  ask this instead\n\n/new   a new one", 20),
            "/edit  N  ask this\n          instead\n\n/new   a new one\n");
  EXPECT_EQ(wrapped("  indented text that is long", 12), "  indented\n  text that\n  is long\n");
  EXPECT_EQ(wrapped("a long name  and what it is", 12), "a long name\nand what it\nis\n")
      << "no room for a column";
  EXPECT_EQ(wrapped("ends in  ", 20), "ends in\n");
  EXPECT_EQ(wrapped("", 20), "\n");
}

TEST(WrapTextTest, IsSafeAndInOneStyle) {
  const std::vector<Line> lines = wrap_text("ab \x1b[2Jcd", {.role = Role::dim}, Cols{4});
  EXPECT_EQ(to_text(lines), to_text(wrap_words({{Span{sanitize("ab \x1b[2Jcd"), {}}}}, Cols{4})));
  for (const Line& line : lines)
    for (const Span& span : line.spans) EXPECT_EQ(span.style.role, Role::dim);
}

TEST(WrapWordsTest, KeepsWhatSpansAreOf) {
  const std::vector<Span> spans = {{"ab", {}, "/u", 1}, {" ", {}}, {"cd ef", {}, "", 2}};
  const std::vector<Line> lines = wrap_words(spans, Cols{5});
  ASSERT_EQ(to_text(lines), "ab cd\nef\n");
  EXPECT_EQ(lines[0].spans.front(), (Span{"ab", {}, "/u", 1}));
  EXPECT_EQ(lines[1].spans, (std::vector<Span>{{"ef", {}, "", 2}}));
}

}  // namespace
}  // namespace confab::ui
