// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace confab::ui {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MarkdownHtmlTest, BlocksAreElements) {
  EXPECT_EQ(markdown_to_html("# A *b*\n\nText\nof `two` lines.  \nAnd three.\n\n---\n"),
            "<h1>A <em>b</em></h1>\n"
            "<p>Text of <code>two</code> lines.<br>\nAnd three.</p>\n<hr>\n");
  EXPECT_EQ(markdown_to_html("> quoted\n"), "<blockquote>\n<p>quoted</p>\n</blockquote>\n");
  EXPECT_EQ(markdown_to_html(""), "");
}

TEST(MarkdownHtmlTest, AlertsHaveATitle) {
  EXPECT_EQ(markdown_to_html("> [!NOTE]\n> a\n"),
            "<blockquote class=\"alert\">\n<p class=\"title\">Note</p>\n<p>a</p>\n"
            "</blockquote>\n");
  EXPECT_THAT(markdown_to_html("> [!CAUTION]\n> a\n"), HasSubstr("class=\"alert urgent\""));
}

TEST(MarkdownHtmlTest, KeysScriptsAndFootnotesAreElements) {
  EXPECT_EQ(markdown_to_html("<kbd>Ctrl</kbd>+C, H<sub>2</sub>O, **x<sup>n</sup>**<br>b"),
            "<p><kbd>Ctrl</kbd>+C, H<sub>2</sub>O, <strong>x<sup>n</sup></strong><br>\nb</p>\n");
  EXPECT_EQ(markdown_to_html("a[^1] b[^x].\n\n[^1]: one\n[^x]: two\n"),
            "<p>a<sup>1</sup> b<sup>x</sup>.</p>\n"
            "<p><sup>1</sup> one<br>\n<sup>x</sup> two</p>\n");
  EXPECT_EQ(markdown_to_html("[^1]: one\n\n    *two*\n\n    - three\n\nfour\n\n    five\n"),
            "<p><sup>1</sup> one</p>\n<div class=\"footnote\">\n<p><em>two</em></p>\n"
            "<ul>\n<li>three</li>\n</ul>\n</div>\n"
            "<p>four</p>\n<pre><code>five\n</code></pre>\n");
  EXPECT_EQ(markdown_to_html("a\n\n<br>\n\nb\n"), "<p>a</p>\n<br>\n<p>b</p>\n");
}

TEST(MarkdownHtmlTest, ListsAreTightLooseOrNested) {
  EXPECT_EQ(markdown_to_html("- one\n- two\n  1. three\n"),
            "<ul>\n<li>one</li>\n<li>two\n<ol>\n<li>three</li>\n</ol>\n</li>\n</ul>\n");
  EXPECT_EQ(markdown_to_html("3. one\n\n4. two\n"),
            "<ol start=\"3\">\n<li>\n<p>one</p>\n</li>\n<li>\n<p>two</p>\n</li>\n</ol>\n");
}

TEST(MarkdownHtmlTest, TasksHaveABox) {
  EXPECT_EQ(markdown_to_html("- [ ] open\n- [x] done\n"),
            "<ul>\n<li class=\"task\"><input type=\"checkbox\" disabled> open</li>\n"
            "<li class=\"task\"><input type=\"checkbox\" disabled checked> done</li>\n</ul>\n");
}

TEST(MarkdownHtmlTest, ElementsNestAsStylesDo) {
  EXPECT_EQ(markdown_to_html("a ~~b **c *d*** e~~ f"),
            "<p>a <del>b <strong>c <em>d</em></strong> e</del> f</p>\n");
}

TEST(MarkdownHtmlTest, TablesHaveAHeaderAndAlignments) {
  EXPECT_EQ(markdown_to_html("Before:\n| a | **b** |\n|---|--:|\n| `1` |\n| 3 | ~~4~~ |\n"),
            "<p>Before:</p>\n<table>\n<thead>\n"
            "<tr><th style=\"text-align:left\">a</th><th style=\"text-align:right\">b</th></tr>\n"
            "</thead>\n<tbody>\n"
            "<tr><td style=\"text-align:left\"><code>1</code></td>"
            "<td style=\"text-align:right\"></td></tr>\n"
            "<tr><td style=\"text-align:left\">3</td>"
            "<td style=\"text-align:right\"><del>4</del></td></tr>\n</tbody>\n</table>\n");
  EXPECT_THAT(markdown_to_html("|a|\n|-|\n"), Not(HasSubstr("tbody")));
}

TEST(MarkdownHtmlTest, CodeHasItsWordsInClasses) {
  const std::string html =
      markdown_to_html("```python\ndef f(x):  # <no>\n    return \"s\"\n```\n");
  EXPECT_THAT(html, HasSubstr("<pre><code class=\"language-python\">"));
  EXPECT_THAT(html, HasSubstr("<span class=\"keyword\">def</span> "));
  EXPECT_THAT(html, HasSubstr("<span class=\"comment\"># &lt;no&gt;</span>\n"));
  EXPECT_THAT(html, HasSubstr("<span class=\"string\">&quot;s&quot;</span>"));
  EXPECT_EQ(markdown_to_html("```\na < b\n\n c\n```\n"),
            "<pre><code>a &lt; b\n\n c\n</code></pre>\n");
  EXPECT_THAT(markdown_to_html("```diff\n-a\n+b\n```\n"),
              AllOf(HasSubstr("<span class=\"removed\">-a"), HasSubstr("class=\"added\">+b")));
}

TEST(MarkdownHtmlTest, FormulasAreTextWithTheirSource) {
  EXPECT_EQ(markdown_to_html("So $x_1 \\le 2$ *and* \\(y\\)."),
            "<p>So <span class=\"math\" title=\"x_1 \\le 2\">x₁ ≤ 2</span> <em>and</em> "
            "<span class=\"math\" title=\"y\">y</span>.</p>\n");
  EXPECT_THAT(markdown_to_html("$\\int f\\,dx$"), HasSubstr("title=\"\\int f\\,dx\""));
  EXPECT_THAT(markdown_to_html("$a < \"b\"$"), HasSubstr("title=\"a &lt; &quot;b&quot;\""));
  EXPECT_EQ(markdown_to_html("```math\nx^2\n```\n"),
            "<div class=\"math display\" title=\"x^2\n\">x²</div>\n");
}

TEST(MarkdownHtmlTest, AFormulaThatStandsAloneHasNoEmptyLinesAroundIt) {
  const std::string html = markdown_to_html("Before $$\\frac{a}{b}$$ after.");
  EXPECT_THAT(html, HasSubstr("Before <span class=\"math display\" title=\"\\frac{a}{b}\">"));
  EXPECT_THAT(html, HasSubstr("</span>after."));
  EXPECT_THAT(html, Not(HasSubstr("<br>")));
}

TEST(MarkdownHtmlTest, OnlyHarmlessTargetsAreLinks) {
  EXPECT_EQ(markdown_to_html("[a **b**](https://x.y/?a&b)"),
            "<p><a href=\"https://x.y/?a&amp;b\">a <strong>b</strong></a></p>\n");
  EXPECT_THAT(markdown_to_html("www.example.org"),
              HasSubstr("<a href=\"https://www.example.org\">"));
  EXPECT_THAT(markdown_to_html("![a](http://x.y/p.png)"),
              HasSubstr("<a href=\"http://x.y/p.png\">a</a>"));
  for (const char* target :
       {"javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "file:///etc/passwd",
        "vbscript:x", "&#106;avascript:alert(1)", "a.md", "//x.y", "#top"})
    EXPECT_THAT(markdown_to_html("[text](" + std::string(target) + ")"), Not(HasSubstr("<a")))
        << target;
  EXPECT_THAT(markdown_to_html("[x](https://x.y/\"onclick=\"z)"), Not(HasSubstr("\"onclick")));
}

TEST(MarkdownHtmlTest, WhatLooksLikeHtmlIsText) {
  const std::string bad = "<script>x</script>";
  for (const std::string& text :
       {bad, "a " + bad, "`" + bad + "`", "```" + bad + "\n" + bad + "\n```", "# " + bad,
        "|" + bad + "|\n|-|\n|" + bad + "|", "$" + bad + "^2$", "- [x] " + bad,
        "[" + bad + "](https://x.y/" + bad + ")", std::string("&lt;script&gt;")})
    EXPECT_THAT(markdown_to_html(text), Not(HasSubstr("<script"))) << text;
  EXPECT_EQ(html_escaped("<a href=\"x\">&\x1b"), "&lt;a href=&quot;x&quot;&gt;&amp;␛");
}

TEST(MarkdownHtmlTest, DepthCostsNoStack) {
  const std::string html = markdown_to_html(std::string(20000, '>') + " deep");
  EXPECT_THAT(html, HasSubstr("deep"));
}

}  // namespace
}  // namespace confab::ui
