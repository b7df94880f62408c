// SPDX-License-Identifier: MIT
#include "ui/code/code_scanner.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/ui/code/highlight_marks.h"

namespace confab::ui {
namespace {

std::string scanned(std::string_view language, std::string_view code) {
  CodeState state;
  std::string out;
  std::istringstream lines{std::string(code)};
  for (std::string line; std::getline(lines, line);) {
    SpanWriter spans(line);
    scan_code(*find_language(language), state, line, 0, line.size(), spans);
    out += (out.empty() ? "" : "\n") + marked(spans.take());
  }
  return out;
}

TEST(ScanCodeTest, TellsWordsApart) {
  EXPECT_EQ(scanned("python", "return foo(Bar, x.match, 3)"),
            "[keyword|return] [function|foo]([type|Bar], x.match, [number|3])");
}

TEST(ScanCodeTest, StringsEndWithTheirLineUnlessItEndsInABackslash) {
  EXPECT_EQ(scanned("c", "\"open\nint"), "[string|\"open]\n[type|int]");
  EXPECT_EQ(scanned("c", "\"a\\\nb\" int"), "[string|\"a\\]\n[string|b\"] [type|int]");
  EXPECT_EQ(scanned("c", "\"a\\\\\nint"), "[string|\"a\\\\]\n[type|int]");
}

TEST(ScanCodeTest, CommentsNestWhereTheLanguageSaysSo) {
  EXPECT_EQ(scanned("rust", "/* a /* b */ c */ fn"), "[comment|/* a /* b */ c */] [keyword|fn]");
  EXPECT_EQ(scanned("c", "/* a /* b */ int"), "[comment|/* a /* b */] [type|int]");
  EXPECT_EQ(scanned("haskell", "{- a\n{- b -}\n-} let"),
            "[comment|{- a]\n[comment|{- b -}]\n[comment|-}] [keyword|let]");
}

TEST(ScanCodeTest, CodeInsideStringsIsCode) {
  EXPECT_EQ(scanned("js", "`a${f({x: `b`})}c`"),
            "[string|`a][meta|${][function|f]({x: [string|`b`]})[meta|}][string|c`]");
  EXPECT_EQ(scanned("js", "`${\nif}`"), "[string|`][meta|${]\n[keyword|if][meta|}][string|`]");
  EXPECT_EQ(scanned("ruby", "\"#{x\nend"), "[string|\"][meta|#{]x\n[keyword|end]");
}

TEST(ScanCodeTest, InterpolationBeyondItsBoundIsString) {
  std::string deep;
  for (std::size_t i = 0; i < kMaxLevels + 5; ++i) deep += "`${";
  CodeState state;
  SpanWriter out(deep);
  scan_code(*find_language("js"), state, deep, 0, deep.size(), out);
  EXPECT_EQ(state.levels.size(), kMaxLevels);
}

TEST(ScanCodeTest, RawStringsEndWithTheirOwnMark) {
  EXPECT_EQ(scanned("cpp", "R\"x(a)\" )\nb)x\" int"),
            "[string|R\"x(a)\" )]\n[string|b)x\"] [type|int]");
  EXPECT_EQ(scanned("rust", "r#\"a\"b\"# fn"), "[string|r#\"a\"b\"#] [keyword|fn]");
  EXPECT_EQ(scanned("lua", "[==[a]]b]==] end"), "[string|[==[a]]b]==]] [keyword|end]");
}

TEST(ScanCodeTest, HeredocsEndWithTheirWord) {
  EXPECT_EQ(scanned("sh", "cat <<'EOF' | wc\nif x\n EOFX\n  EOF\nfi"),
            "[function|cat] [string|<<'EOF'] | [function|wc]\n[string|if x]\n[string| EOFX]\n"
            "[string|  EOF]\n[keyword|fi]");
  EXPECT_EQ(scanned("sh", "cat <<<\"x\"\nif"), "[function|cat] <<<[string|\"x\"]\n[keyword|if]");
}

TEST(ScanCodeTest, ShellCommandsStandFirst) {
  EXPECT_EQ(scanned("sh", "X=1 ls for && if make; then $F done; fi"),
            "X=[number|1] ls for && [keyword|if] [function|make]; [keyword|then] [type|$F] done; "
            "[keyword|fi]");
  EXPECT_EQ(scanned("sh", "for f in *; do echo \"$(ls)\"; done # x"),
            "[keyword|for] f in *; [keyword|do] [function|echo] "
            "[string|\"][meta|$(][function|ls][meta|)][string|\"]; [keyword|done] [comment|# x]");
}

TEST(ScanCodeTest, YamlKnowsKeysAndBlockScalars) {
  EXPECT_EQ(scanned("yaml", "- run: |\n    if x: y\n\n  env: no # c\na: 'b'"),
            "- [type|run]: |\n[string|    if x: y]\n\n  [type|env]: [number|no] [comment|# c]\n"
            "[type|a]: [string|'b']");
  EXPECT_EQ(scanned("yaml", "a: don't # x"), "[type|a]: don't [comment|# x]");
}

TEST(ScanCodeTest, SlashesBeginRegularExpressionsOnlyBeforeValues) {
  EXPECT_EQ(scanned("js", "a / b / c"), "a / b / c");
  EXPECT_EQ(scanned("js", "x = /[/]a/g.test(y)"), "x = [string|/[/]a/g].[function|test](y)");
  EXPECT_EQ(scanned("js", "return /a/"), "[keyword|return] [string|/a/]");
}

TEST(ScanCodeTest, LifetimesAreNoStrings) {
  EXPECT_EQ(scanned("rust", "fn f<'a>(x: &'a str) { 'b' }"),
            "[keyword|fn] f<[meta|'a]>(x: &[meta|'a] [type|str]) { [string|'b'] }");
}

TEST(ScanCodeTest, CssTellsPropertiesFromSelectors) {
  EXPECT_EQ(scanned("css", "a:hover { color:#fff; margin: 0 1px }"),
            "a:hover { [type|color]:[number|#fff]; [type|margin]: [number|0] [number|1px] }");
}

TEST(ScanCodeTest, KeysOfJsonAreNotValues) {
  EXPECT_EQ(scanned("json", "{\"a\" : \"b\", \"c\": null}"),
            "{[type|\"a\"] : [string|\"b\"], [type|\"c\"]: [number|null]}");
}

TEST(SpanWriterTest, JoinsNeighboursOfOneRole) {
  SpanWriter out("int x;");
  out.put(3, Role::code_type);
  out.put(4, Role::code_block);
  out.put(6, Role::code_block);
  const std::vector<Span> spans = out.take();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0], (Span{"int", {.role = Role::code_type}}));
  EXPECT_EQ(spans[1], (Span{" x;", {.role = Role::code_block}}));
}

TEST(SpanWriterTest, LeavesOutWhatIsEmpty) {
  SpanWriter out("ab");
  out.put(0, Role::code_type);
  out.put(2, Role::code_block);
  out.put(1, Role::code_string);
  EXPECT_EQ(out.take().size(), 1U);
  EXPECT_TRUE(SpanWriter("").take().empty());
}

}  // namespace
}  // namespace confab::ui
