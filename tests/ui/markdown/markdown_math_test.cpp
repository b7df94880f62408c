// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_math.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ui/markdown/markdown.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

// The TeX of all formulas in a text; displays in brackets, open ones with an ellipsis.
std::vector<std::string> formulas(std::string_view markdown, bool open_ended = false) {
  const std::string text = shield_math(markdown, open_ended).text;
  std::vector<std::string> out;
  for (std::size_t at = find_formula(text); at < text.size();) {
    const std::size_t end = formula_end(text, at);
    const Formula formula = read_formula(std::string_view(text).substr(at, end - at));
    out.push_back((formula.display ? '[' + formula.tex + ']' : formula.tex) +
                  (formula.open ? "…" : ""));
    at = end + find_formula(std::string_view(text).substr(end));
  }
  return out;
}

using Tex = std::vector<std::string>;

TEST(ShieldMathTest, FindsAllDelimiters) {
  EXPECT_EQ(formulas("a $x^2$ b \\(y_1\\) c $$z$$ d \\[w\\]"), (Tex{"x^2", "y_1", "[z]", "[w]"}));
  EXPECT_EQ(formulas("$$\na\n- b\n# c\n$$"), Tex{"[\na\n- b\n# c\n]"});
  EXPECT_EQ(formulas("> \\[\n> a\n> > b\n> \\]"), Tex{"[\n> a\n> > b\n> ]"});
  EXPECT_EQ(formulas("| $|x|$ |"), Tex{"|x|"});
}

TEST(ShieldMathTest, MoneyIsNoFormula) {
  for (const char* text : {"$5 and $10", "from $5 to $6.", "$ 5$", "$5 $", "a $5/month or $50/year",
                           "US$5 or A$6", "$10-$20", "costs $5", "\\$x\\$", "$5 for you and me$",
                           "$$", "$$$$", "$$ $$", "$+$", "\\[\\\\\\]"})
    EXPECT_EQ(formulas(text), Tex{}) << text;
  EXPECT_EQ(formulas("$5 + 3$ and $x$"), (Tex{"5 + 3", "x"}));
}

TEST(ShieldMathTest, CodeIsNoFormula) {
  for (const char* text :
       {"`$x$`", "`` ` $x$ ``", "$a `x$ b`", "```\n$$\n```\n$$", "~~~\n$$\n~~~\n$$", "\\(a `b` \\)",
        "\\\\(x\\\\)", "$a\nb$", "\\(a\nb\\)", "$$a\n\nb$$", "# $$a\nb$$"})
    EXPECT_EQ(formulas(text), Tex{}) << text;
  EXPECT_EQ(formulas("` $x$"), Tex{"x"});
}

TEST(ShieldMathTest, IsReversibleAndKeepsLines) {
  for (const char* text :
       {"a $x^2$ `b` \\(y\\)", "> $$\n> a|b\n> $$\nc", "$$\n<b>*&amp;\\\n$$", "é\U000E0100$x$"}) {
    const ShieldedMarkdown shielded = shield_math(text, false);
    EXPECT_EQ(reveal(shielded.text), text);
    EXPECT_EQ(std::ranges::count(shielded.text, '\n'), std::ranges::count(std::string(text), '\n'));
    EXPECT_EQ(shielded.text.find_first_of("^|*&\\<$"), std::string::npos) << text;
  }
}

TEST(ShieldMathTest, KnowsTheLinesInside) {
  const ShieldedMarkdown shielded = shield_math("a\n$$\nx\n$$\nb $$c\nd$$\n", false);
  std::vector<bool> inside;
  for (std::size_t line = 0; line < 6; ++line) inside.push_back(shielded.is_inside(line));
  EXPECT_EQ(inside, (std::vector<bool>{false, false, true, true, false, true}));
}

TEST(ShieldMathTest, WhatGoesOnMayBeOpen) {
  EXPECT_EQ(formulas("a $x^2 +", true), Tex{"x^2 +…"});
  EXPECT_EQ(formulas("a \\(x", true), Tex{"x…"});
  EXPECT_EQ(formulas("a $O(n ", true), Tex{"O(n …"});
  EXPECT_EQ(formulas("a $n <", true), Tex{"n <…"});
  EXPECT_EQ(formulas("$$\nx\n", true), Tex{"[\nx\n]…"});
  for (const char* text : {"a $x^2 +", "$$\nx\n"}) EXPECT_EQ(formulas(text), Tex{}) << text;
  for (const char* text : {"a $5", "a $", "a $HOME and so on", "$$\nx\n\n", "\\(x\n", "$$ `"})
    EXPECT_EQ(formulas(text, true), Tex{}) << text;
}

// Many openings without an end, at worst one search for each.
TEST(ShieldMathTest, SizeIsHarmless) {
  for (const char* piece :
       {"$", "$$", "\\(", "\\[", "$a ", "`", "\\( `", "\\[ ` ", "$$ `\n", "> $$\n", "\\[\n"}) {
    std::string text;
    while (text.size() < 400000) text += piece;
    EXPECT_EQ(reveal(shield_math(text, false).text), text) << piece;
    EXPECT_EQ(reveal(shield_math(text, true).text), text) << piece;
  }
  std::string runs;
  for (std::size_t n = 1; n < 900; ++n) runs += std::string(n, '`') + ' ';
  EXPECT_EQ(reveal(shield_math(runs + "$x$", false).text), runs + "$x$");
}

std::string text(std::string_view markdown, int width = 40) {
  return to_text(render_markdown(markdown, Cols{width}).lines);
}

TEST(MarkdownMathTest, StandsInText) {
  EXPECT_EQ(text("Let $x_1 * y_1 * z$ be **$a^2$** and \\(b\\)."),
            "Let x₁ * y₁ * z be a² and b.\n");
  EXPECT_EQ(text("`$x^2$` costs $5 or $6"), "$x^2$ costs $5 or $6\n");
  EXPECT_EQ(text("[$x^2$](/u$a$b)"), "x² (/u$a$b)\n");
  EXPECT_EQ(text("| $a|b$ | c |\n|---|---|\n| $x^2$ | d |"), "a|b │ c\n────┼──\nx²  │ d\n");
  EXPECT_EQ(text("[a](\\(b\\))"), "a ((b))\n");
  EXPECT_EQ(text("<div $a$>"), "<div $a$>\n");
}

TEST(MarkdownMathTest, DisplaysStandAlone) {
  EXPECT_EQ(text("So\n$$\n\\frac{a}{b}\n$$\nand on"), "So\n   a\n  ───\n   b\nand on\n");
  EXPECT_EQ(text("a $$x$$ b"), "a\n  x\nb\n");
  EXPECT_EQ(text("- \\[\n  x = 1\n  \\]"), "•   x = 1\n");
  EXPECT_EQ(text("$$\\frac{a+b}{c}$$", 7), "  (a +\nb)/c\n");
}

TEST(MarkdownMathTest, FencesOfMathAreFormulas) {
  EXPECT_EQ(text("```math\nx^2\n```"), "  x²\n");
  EXPECT_EQ(text("```latex\nx^2\n```", 12), "╭ latex ────\n  x^2\n╰───────────\n");
  EXPECT_EQ(render_markdown("```math\nx^2\n```", Cols{40}).parts,
            (std::vector<MarkdownPart>{{MarkdownPart::Kind::code_block, 0, 1, "x^2\n", "math"}}));
}

// While it is open a formula is its source, dim; then it is itself. Delimiters never show.
TEST(MarkdownMathTest, DoesNotFlickerWhileItIsWritten) {
  MarkdownView view;
  for (const char c : std::string_view(
           "Let $x^2$ be \\(y\\).\n\n$$\n\\frac{a}{b}\n$$\n\nEnd\n\n```math\nz^2\n```\n\n")) {
    view.append({&c, 1});
    const std::string shown = to_text(view.lines(Cols{40}));
    for (const char* mark : {"$", "\\(", "\\)", "`"})
      ASSERT_EQ(shown.find(mark), std::string::npos) << shown;
  }
  EXPECT_EQ(to_text(view.lines(Cols{40})), "Let x² be y.\n\n   a\n  ───\n   b\n\nEnd\n\n  z²\n");
}

}  // namespace
}  // namespace confab::ui
