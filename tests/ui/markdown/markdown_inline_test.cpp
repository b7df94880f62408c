// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_inline.h"

#include <cmark.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ui/markdown/markdown_tree.h"

namespace confab::ui {
namespace {

constexpr Style kText{};
constexpr Style kLink{.role = Role::link};
constexpr Style kDim{.role = Role::dim};

std::vector<Span> spans(std::string_view markdown, MarkdownOptions options = {}) {
  const MarkdownTree tree = parse_markdown(markdown);
  auto spans = inline_text(cmark_node_first_child(tree.get()), kText, options, Cols{80}).spans;
  for (Span& span : spans) span.part = 0;
  return spans;
}

TEST(InlineTextTest, EmphasisNests) {
  EXPECT_EQ(spans("a *b **c***"),
            (std::vector<Span>{{"a ", kText},
                               {"b ", {.role = Role::emphasis, .italic = true}},
                               {"c", {.role = Role::strong, .bold = true, .italic = true}}}));
}

TEST(InlineTextTest, CodeAndHtmlAreLiteral) {
  EXPECT_EQ(spans("`a*b*` <b>"),
            (std::vector<Span>{{"a*b*", {.role = Role::code}}, {" <b>", kText}}));
}

TEST(InlineTextTest, BreaksAreSpacesOrLineBreaks) {
  EXPECT_EQ(spans("a\nb  \nc\\\nd"), (std::vector<Span>{{"a b\nc\nd", kText}}));
}

TEST(InlineTextTest, KeepsTheBaseStyle) {
  const MarkdownTree tree = parse_markdown("# a **b** `c`");
  const Style heading{.role = Role::heading, .bold = true};
  const Style code{.role = Role::code, .bold = true};
  EXPECT_EQ(inline_text(cmark_node_first_child(tree.get()), heading, {}, Cols{80}).spans,
            (std::vector<Span>{{"a b ", heading}, {"c", code}}));
}

TEST(InlineTextTest, LinksCarryTheirTarget) {
  EXPECT_EQ(spans("[a *b*](https://x.y)"),
            (std::vector<Span>{{"a ", kLink, "https://x.y"},
                               {"b", {.role = Role::link, .italic = true}, "https://x.y"}}));
  EXPECT_EQ(spans("<a@b.c>"), (std::vector<Span>{{"a@b.c", kLink, "mailto:a@b.c"}}));
  EXPECT_EQ(spans("[](https://x.y)"), (std::vector<Span>{{"https://x.y", kLink, "https://x.y"}}));
}

TEST(InlineTextTest, AnImageIsALinkAndInALinkTheLinkWins) {
  EXPECT_EQ(spans("![a](https://i.j)"), (std::vector<Span>{{"a", kLink, "https://i.j"}}));
  EXPECT_EQ(spans("[![a](https://i.j) b](https://x.y)"),
            (std::vector<Span>{{"a", kLink, "https://x.y"}, {" b", kLink, "https://x.y"}}));
}

// The text that is struck through in brackets.
std::string struck(std::string_view markdown) {
  std::string out;
  for (const Span& span : spans(markdown))
    out += span.style.strike && !span.text.empty() ? '[' + span.text + ']' : span.text;
  return out;
}

TEST(InlineTextTest, PairsOfTildesStrikeThrough) {
  EXPECT_EQ(struck("a ~~b c~~ d"), "a [b c] d");
  EXPECT_EQ(struck("~~a **b** `c`~~"), "[a ][b][ ][c]");
  EXPECT_EQ(struck("**~~a~~**"), "[a]");
  EXPECT_EQ(struck("a~~b~~c"), "a[b]c");
  EXPECT_EQ(struck("~~a~~ ~~b~~"), "[a] [b]");
  EXPECT_EQ(struck("~~a ~~b~~ c~~"), "[a ][b][ c]");
  for (const char* text : {"~a~ 3~5", "~~ a ~~", "~~a", "a~~", "~~~a~~~ b", "x~~~~y"})
    EXPECT_EQ(struck(std::string("x ") + text), std::string("x ") + text);
  EXPECT_EQ(struck("~~a *b~~ c*"), "~~a b~~ c");
}

TEST(InlineTextTest, BareLinksAreLinks) {
  EXPECT_EQ(spans("see https://x.y/a_b_c."),
            (std::vector<Span>{
                {"see ", kText}, {"https://x.y/a_b_c", kLink, "https://x.y/a_b_c"}, {".", kText}}));
  EXPECT_EQ(
      spans("**www.x.y**"),
      (std::vector<Span>{{"www.x.y", {.role = Role::link, .bold = true}, "https://www.x.y"}}));
  EXPECT_EQ(spans("[www.x.y](/u) `www.x.y`").size(), 4u);
  EXPECT_EQ(struck("~~https://x.y~~"), "[https://x.y]");
}

TEST(InlineTextTest, BreaksOfHtmlAreBreaks) {
  EXPECT_EQ(spans("a<br>b<br/>c<BR>"), (std::vector<Span>{{"a\nb\nc\n", kText}}));
}

TEST(InlineTextTest, KeysAndScriptsAreWhatTheyMean) {
  EXPECT_EQ(spans("<kbd>Ctrl</kbd>+C"),
            (std::vector<Span>{{"Ctrl", {.role = Role::code, .bold = true}}, {"+C", kText}}));
  EXPECT_EQ(spans("H<sub>2</sub>O"), (std::vector<Span>{{"H", kText}, {"₂", kText}, {"O", kText}}));
  EXPECT_EQ(spans("x<sup>n</sup>"), (std::vector<Span>{{"x", kText}, {"ⁿ", kText}}));
  EXPECT_EQ(spans("<sub>Q</sub> <kbd>*a*</kbd>")[0].text, "_Q");
  EXPECT_EQ(spans("<kbd>a <b>"), (std::vector<Span>{{"<kbd>a <b>", kText}}));
}

TEST(InlineTextTest, FootnotesAreRaised) {
  EXPECT_EQ(spans("a[^12]."), (std::vector<Span>{{"a", kText}, {"¹²", kText}, {".", kText}}));
  EXPECT_EQ(spans("`[^1]`"), (std::vector<Span>{{"[^1]", {.role = Role::code}}}));
  EXPECT_EQ(spans("[^1]: one\n[^2]: two"),
            (std::vector<Span>{{"¹", kText}, {" one\n", kText}, {"²", kText}, {" two", kText}}));
  EXPECT_EQ(spans("see\n[^1]: word"),
            (std::vector<Span>{{"see\n", kText}, {"¹", kText}, {" word", kText}}));
  EXPECT_EQ(spans("see [^1]: word"),
            (std::vector<Span>{{"see ", kText}, {"¹", kText}, {": word", kText}}));
}

TEST(InlineTextTest, SaysWhichSpansAreALink) {
  const MarkdownTree tree = parse_markdown("a [b *c*](/u) [![d](/i)](https://x.y) [](/v) [e]()");
  const InlineText text = inline_text(cmark_node_first_child(tree.get()), kText, {}, Cols{80});
  EXPECT_EQ(text.links, (std::vector<std::string>{"/u", "https://x.y", "/v"}));
  std::string parts;
  for (const Span& span : text.spans) parts += std::to_string(span.part);
  EXPECT_EQ(parts, "01100220300");
}

TEST(InlineTextTest, ShowsTargetsThatCannotBeClicked) {
  EXPECT_EQ(spans("[a](docs/a.md)"), (std::vector<Span>{{"a", kLink}, {" (docs/a.md)", kDim}}));
  EXPECT_EQ(spans("[a](https://x.y)", {.show_link_targets = true}),
            (std::vector<Span>{{"a", kLink, "https://x.y"}, {" (https://x.y)", kDim}}));
  EXPECT_EQ(spans("[a]()"), (std::vector<Span>{{"a", kLink}}));
}

TEST(InlineTextTest, EntitiesAreSanitised) {
  EXPECT_EQ(spans("&#27;[m &#x202e; &#10;x"), (std::vector<Span>{{"␛[m \uFFFD  x", kText}}));
  EXPECT_EQ(spans("[a](https://x.y/&#27;)"),
            (std::vector<Span>{{"a", kLink, "https://x.y/%E2%90%9B"}}));
}

// All links of a text as "text -> url", or only "text" when that is the url.
std::vector<std::string> links(std::string_view text) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (const std::optional<BareLink> link = next_bare_link(text, at)) {
    const std::string shown(text.substr(link->begin, link->end - link->begin));
    out.push_back(shown == link->url ? shown : shown + " -> " + link->url);
    at = link->end;
  }
  return out;
}

using Links = std::vector<std::string>;

TEST(BareLinkTest, FindsAddressesOfTheWeb) {
  EXPECT_EQ(links("see https://example.org/a?b=c#d, then http://x.y"),
            (Links{"https://example.org/a?b=c#d", "http://x.y"}));
  EXPECT_EQ(links("HTTPS://X.Y"), Links{"HTTPS://X.Y"});
  EXPECT_EQ(links("http://localhost:8080/v1"), Links{"http://localhost:8080/v1"});
  EXPECT_EQ(links("www.example.org/a"), Links{"www.example.org/a -> https://www.example.org/a"});
  EXPECT_EQ(links("https://münchen.example/ü"), Links{"https://münchen.example/ü"});
}

TEST(BareLinkTest, FindsMailAddresses) {
  EXPECT_EQ(links("write to a.b+c@x-y.org."), Links{"a.b+c@x-y.org -> mailto:a.b+c@x-y.org"});
  EXPECT_EQ(links("a@b a@b- @b.c a@ a@b.c_ a@.b"), Links{});
}

TEST(BareLinkTest, LeavesTheSentenceItsPunctuation) {
  EXPECT_EQ(links("(https://x.y/a_(b)) https://x.y/c! 'https://x.y/d'; https://x.y/e..."),
            (Links{"https://x.y/a_(b)", "https://x.y/c", "https://x.y/d", "https://x.y/e"}));
  EXPECT_EQ(links("https://x.y/f<b"), Links{"https://x.y/f"});
  EXPECT_EQ(links("見https://x.y/g。又（www.x.y）"),
            (Links{"https://x.y/g", "www.x.y -> https://www.x.y"}));
}

TEST(BareLinkTest, NeedsAWordBoundaryAndADomain) {
  for (const char* text : {"xhttp://x.y", "http://", "https:// x", "http:/x.y", "ftp://x.y", "www.",
                           "www.x", "awww.x.y", "https://.", "www._a.b_", "://x.y", "a.b.c", ""})
    EXPECT_EQ(links(text), Links{}) << text;
}

// Time in proportion: each of these has many places where a link could begin.
TEST(BareLinkTest, ManyFalseStartsAreHarmless) {
  for (const char* piece : {"http://", "www.", "a@", "@", "https://a)", "a.", ":"}) {
    std::string text;
    for (int i = 0; i < 200000; ++i) text += piece;
    EXPECT_LE(links(text).size(), text.size()) << piece;
  }
}

}  // namespace
}  // namespace confab::ui
