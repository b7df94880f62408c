// SPDX-License-Identifier: MIT
#include "ui/text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace confab::ui {
namespace {

// The characters that random tests are made of: every class that sanitize() knows, whole and cut.
const std::vector<std::string> kPieces = {"a",
                                          " ",
                                          "\n",
                                          "\r",
                                          "\r\n",
                                          "\t",
                                          "\x1b[31m",
                                          "\x07",
                                          "\x7f",
                                          "\xc2\x9b",
                                          "\u202e",
                                          "\u2066",
                                          "\u200f",
                                          "\u2028",
                                          "é",
                                          "e\u0301",
                                          "漢",
                                          "👨‍👩‍👧",
                                          "\xff",
                                          "\xc0\xaf",
                                          "\xed\xa0\x80",
                                          "\xf4\x90\x80\x80",
                                          "\xe2\x82",
                                          "\xf0\x9f\x98",
                                          "\U000E0041",
                                          "🏴",
                                          "\U000E0067\U000E0062",
                                          "\U000E0073\U000E0063\U000E0074\U000E007F",
                                          "\U0001F3FD",
                                          "\U000E0081",
                                          std::string(1, '\0')};

std::string random_text(std::mt19937& rng) {
  std::string text;
  const std::size_t n = rng() % 20;
  for (std::size_t i = 0; i < n; ++i) text += kPieces[rng() % kPieces.size()];
  return text;
}

TEST(SanitizeTest, KeepsWhatIsSafe) {
  const std::string text = "plain\ttext\n漢字 e\u0301 👨‍👩‍👧 ~\u00a0";
  EXPECT_EQ(sanitize(text), text);
}

TEST(SanitizeTest, ShowsControls) {
  EXPECT_EQ(sanitize("\x1b[31m"), "␛[31m");
  EXPECT_EQ(sanitize("\x07"), "␇");
  EXPECT_EQ(sanitize(std::string(1, '\0')), "␀");
  EXPECT_EQ(sanitize("\x7f"), "␡");
  EXPECT_EQ(sanitize("\xc2\x9b"
                     "31m"),
            "␛[31m");
  EXPECT_EQ(sanitize("\xc2\x85"), "␛E");
}

TEST(SanitizeTest, TakesCrLfAsLineBreakAndShowsALoneCr) {
  EXPECT_EQ(sanitize("a\r\nb"), "a\nb");
  EXPECT_EQ(sanitize("a\rb\r"), "a␍b␍");
  EXPECT_EQ(sanitize("a\r\r\n"), "a␍\n");
  EXPECT_EQ(sanitize("a\u2028b\u2029"), "a\nb\n");
}

TEST(SanitizeTest, ReplacesWhatTurnsTextAroundOrHidesIt) {
  for (const char* control : {"\u202a", "\u202e", "\u2066", "\u2069", "\u206f", "\U000E0001",
                              "\U000E0041", "\U000E007F", "\U000E0080", "\U000E00FF"})
    EXPECT_EQ(sanitize(control), "\uFFFD");
  EXPECT_EQ(sanitize("\u200d\u2030\u2065\u2070"), "\u200d\u2030\u2065\u2070");
}

// Hebrew and Arabic are written with them.
TEST(SanitizeTest, KeepsMarksOfDirection) {
  const std::string text = "\u05e9\u05dc\u05d5\u05dd\u200f, C++\u200e \u0633\u061c!";
  EXPECT_EQ(sanitize(text), text);
  EXPECT_EQ(width("\u200e\u200f\u061c"), Cols{0});
}

const std::string kScotland = "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F";

TEST(SanitizeTest, KeepsTheTagsOfFlags) {
  EXPECT_EQ(sanitize("a" + kScotland + kScotland), "a" + kScotland + kScotland);
  EXPECT_EQ(next_grapheme(kScotland).bytes, kScotland);
  EXPECT_EQ(width(kScotland), Cols{2});
  const std::string toned = "🏳\uFE0F\U000E0067\U000E007F";
  EXPECT_EQ(sanitize(toned), toned);
}

TEST(SanitizeTest, ReplacesTagsThatMakeNoFlag) {
  const std::string gb = "\U000E0067\U000E0062", end = "\U000E007F", two = "\uFFFD\uFFFD";
  EXPECT_EQ(sanitize("a" + gb + end), "a" + two + "\uFFFD") << "no emoji";
  EXPECT_EQ(sanitize("🏴" + gb), "🏴" + two) << "no end";
  EXPECT_EQ(sanitize("🏴" + gb + "x" + end), "🏴" + two + "x\uFFFD");
  EXPECT_EQ(sanitize("🏴" + end), "🏴\uFFFD") << "nothing said";
  EXPECT_EQ(sanitize("🏴\U000E0041" + end), "🏴" + two) << "a capital letter";
  std::string hidden = "🏴";
  for (int i = 0; i < 17; ++i) hidden += "\U000E0067";
  EXPECT_EQ(sanitize(hidden + end).find("\U000E0067"), std::string::npos) << "a hidden text";
}

TEST(SanitizeTest, WhatIsCopiedIsAsItWasWrittenButForControls) {
  const std::string turned = "a\u202eb\u2066c\U000E0041\u200f" + kScotland;
  EXPECT_EQ(sanitize(turned, SafeFor::copying), turned);
  EXPECT_EQ(sanitize("\x1b[201~\r\n\x07\xc2\x9b\xff\U000E0081", SafeFor::copying),
            "␛[201~\n␇␛[\uFFFD\uFFFD");
}

TEST(SanitizeTest, WhatIsSafeForCopyingIsShownAsWhatItWasMadeOf) {
  constexpr unsigned kSeed = 20261123;
  std::mt19937 rng(kSeed);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_text(rng);
    const std::string copied = sanitize(text, SafeFor::copying);
    ASSERT_EQ(sanitize(copied), sanitize(text)) << "seed " << kSeed << " case " << i;
    ASSERT_EQ(sanitize(copied, SafeFor::copying), copied) << "seed " << kSeed << " case " << i;
  }
}

// One U+FFFD for each maximal subpart: The Unicode Standard, chapter 3, table 3-8.
TEST(SanitizeTest, ReplacesInvalidUtf8) {
  EXPECT_EQ(sanitize("\xc0\xaf"), "\uFFFD\uFFFD");
  EXPECT_EQ(sanitize("\xe0\x80\xaf"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(sanitize("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(sanitize("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(sanitize("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"), "\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(sanitize("\xe2\x82"), "\uFFFD");
  EXPECT_EQ(sanitize("\xf4\x8f\xbf\xbf\xee\x80\x80\xc2\xa0"),
            "\xf4\x8f\xbf\xbf\xee\x80\x80\xc2\xa0");
}

TEST(SanitizeTest, IsIdempotent) {
  constexpr unsigned kSeed = 20261121;
  std::mt19937 rng(kSeed);
  for (int i = 0; i < 3000; ++i) {
    const std::string once = sanitize(random_text(rng));
    ASSERT_EQ(sanitize(once), once) << "seed " << kSeed << " case " << i;
  }
}

TEST(SanitizerTest, DoesNotDependOnTheCuts) {
  constexpr unsigned kSeed = 20261122;
  std::mt19937 rng(kSeed);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_text(rng);
    Sanitizer sanitizer;
    std::string joined;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t n = rng() % 4;
      joined += sanitizer.feed(std::string_view(text).substr(at, n));
      at += n;
    }
    joined += sanitizer.flush();
    ASSERT_EQ(joined, sanitize(text)) << "seed " << kSeed << " case " << i;
  }
}

TEST(SanitizerTest, HandsOnWhatIsComplete) {
  Sanitizer sanitizer;
  EXPECT_EQ(sanitizer.feed("a\xf0\x9f\x98"), "a");
  EXPECT_EQ(sanitizer.feed("\x80!"), "😀!");
  EXPECT_EQ(sanitizer.feed("🏴\U000E0067"), "🏴");
  EXPECT_EQ(sanitizer.feed("\U000E007F"), "\U000E0067\U000E007F");
  EXPECT_EQ(sanitizer.flush(), "");
}

struct WidthCase {
  std::string text;
  int columns;
};

TEST(GraphemeTest, WidthsAreThoseOfWholeClusters) {
  const WidthCase cases[] = {
      {"a", 1},
      {"é", 1},
      {"e\u0301", 1},
      {"漢", 2},
      {"ｗ", 2},
      {"ｱ", 1},
      {"α", 1},  // ambiguous
      {"😀", 2},
      {"👍🏽", 2},                   // with a skin tone
      {"👨‍👩‍👧‍👦", 2},  // joined
      {"❤", 1},
      {"❤\uFE0F", 2},        // emoji presentation
      {"1\uFE0F\u20E3", 2},  // keycap
      {"🇫🇷", 2},
      {"\u1112\u1161\u11ab", 2},  // conjoining jamo
      {"\u0915\u093f", 2},        // spacing mark
      {"\u200b", 0},
      {"\t", 0},
      {"\n", 0},
      {"\uFFFD", 1},
  };
  for (const WidthCase& c : cases) {
    const Grapheme grapheme = next_grapheme(c.text);
    EXPECT_EQ(grapheme.bytes, c.text);
    EXPECT_EQ(grapheme.width.value, c.columns) << c.text;
  }
}

TEST(GraphemeTest, SeparatesClusters) {
  EXPECT_EQ(next_grapheme("ab").bytes, "a");
  EXPECT_EQ(next_grapheme("🇫🇷🇩🇪").bytes, "🇫🇷");
  EXPECT_EQ(next_grapheme("a漢").bytes, "a");
  EXPECT_EQ(next_grapheme("").bytes, "");
}

TEST(GraphemeTest, BoundsAPileOfMarks) {
  std::string text = "a";
  for (int i = 0; i < 10000; ++i) text += "\u0301";
  EXPECT_LT(next_grapheme(text).bytes.size(), 100u);
  EXPECT_EQ(width(text).value, 1);
}

// The contract asks for valid UTF-8; what comes from elsewhere must still make progress.
TEST(GraphemeTest, AdvancesOverInvalidBytes) {
  EXPECT_EQ(next_grapheme("\xff\xfe").bytes.size(), 1u);
  EXPECT_EQ(next_grapheme("\xe2\x82").bytes.size(), 2u);
}

TEST(WidthAgreementTest, KnowsWhatTerminalsDifferOn) {
  using enum WidthAgreement;
  for (const char* text : {"a", "ñ", "界", "한", "ア", "ｱ", "\u1100"})
    EXPECT_EQ(width_agreement(text), agreed) << text;
  for (const char* text : {"…", "“", "─", "α", "ж", "é", "·"})
    EXPECT_EQ(width_agreement(text), ambiguous) << text;
  for (const char* text : {"e\u0301", "👍", "❤", "🇩🇪", "👩‍👧", "\ue0b0", "\u0378", "क्ष"})
    EXPECT_EQ(width_agreement(text), disputed) << text;
}

TEST(WidthAgreementTest, TheWidestIsEachCodePointAlone) {
  EXPECT_EQ(widest("a"), Cols{1});
  EXPECT_EQ(widest("界"), Cols{2});
  EXPECT_EQ(widest("…"), Cols{2});
  EXPECT_EQ(widest("e\u0301"), Cols{2});
  EXPECT_EQ(widest("👩‍👩‍👧"), Cols{8});
}

TEST(WidthTest, AddsUp) {
  EXPECT_EQ(width("").value, 0);
  EXPECT_EQ(width("a漢e\u0301😀").value, 6);
}

TEST(ClipTest, CutsBetweenGraphemes) {
  EXPECT_EQ(clip("漢字", Cols{3}), "漢");
  EXPECT_EQ(clip("ae\u0301b", Cols{2}), "ae\u0301");
  EXPECT_EQ(clip("abc", Cols{0}), "");
  EXPECT_EQ(clip("abc", Cols{-1}), "");
  EXPECT_EQ(clip("abc", Cols{9}), "abc");
}

TEST(EllipsizeTest, MarksWhatIsCutOff) {
  EXPECT_EQ(ellipsize("abc", Cols{3}), "abc");
  EXPECT_EQ(ellipsize("abcd", Cols{3}), "ab…");
  EXPECT_EQ(ellipsize("漢字", Cols{3}), "漢…");
  EXPECT_EQ(ellipsize("漢字", Cols{2}), "…");
  EXPECT_EQ(ellipsize("ab", Cols{1}), "…");
  EXPECT_EQ(ellipsize("ab", Cols{0}), "");
}

TEST(OneLineTest, HasNeitherLineBreaksNorTabs) {
  EXPECT_EQ(one_line("a\nb\tc\r\nd\x1b"), "a b c d␛");
}

TEST(Utf8Test, CharactersComeBack) {
  for (const char32_t c : {U'a', U'\x7f', U'\x80', U'é', U'\u07ff', U'\u0800', U'界', U'\uffff',
                           U'\U00010000', U'\U0010ffff'})
    EXPECT_EQ(from_utf8(to_utf8(c) + "x"), c);
  EXPECT_EQ(to_utf8(U'é'), "é");
}

TEST(Utf8Test, WhatIsNoCharacterIsReplaced) {
  EXPECT_EQ(to_utf8(0xd800), "\uFFFD");
  EXPECT_EQ(to_utf8(0x110000), "\uFFFD");
  EXPECT_EQ(from_utf8("\xff"), U'\uFFFD');
  EXPECT_EQ(from_utf8("\xc3"), U'\uFFFD');
}

// The Unicode Standard, chapter 3, table 3-8.
TEST(Utf8Test, WhatIsMalformedEndsWhereACharacterMayBegin) {
  using enum Utf8Character::Kind;
  EXPECT_EQ(next_character("\xe1\x80\xe2").n_bytes, 2u);
  EXPECT_EQ(next_character("\xe1\x80\xe2").kind, malformed);
  EXPECT_EQ(next_character("\xed\xa0\x80").n_bytes, 1u);
  EXPECT_EQ(next_character("\xf0\x80\x80\x80").n_bytes, 1u);
  EXPECT_EQ(next_character("\xf0\x9f\x98").kind, cut);
  EXPECT_EQ(next_character("\xf0\x9f\x98").n_bytes, 3u);
  EXPECT_EQ(next_character("é").kind, whole);
}

}  // namespace
}  // namespace confab::ui
