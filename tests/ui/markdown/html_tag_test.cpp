// SPDX-License-Identifier: MIT
#include "ui/markdown/html_tag.h"

#include <cmark.h>
#include <gtest/gtest.h>

#include <string>

#include "ui/markdown/markdown_tree.h"

namespace confab::ui {
namespace {

TEST(HtmlTagTest, KnowsALineBreak) {
  for (const char* tag : {"<br>", "<br/>", "<br />", "<BR>"})
    EXPECT_TRUE(is_line_break(tag)) << tag;
  for (const char* tag : {"", "<b>", "</br>", "<br", "br"}) EXPECT_FALSE(is_line_break(tag)) << tag;
}

// The name and the text of the element that a paragraph begins with.
std::string first_element(std::string_view markdown) {
  const MarkdownTree tree = parse_markdown(markdown);
  const TextElement found =
      text_element(cmark_node_first_child(cmark_node_first_child(tree.get())));
  if (found.name.empty()) return "none";
  return std::string(found.name) + ' ' + cmark_node_get_literal(found.text);
}

TEST(HtmlTagTest, AnElementHasTextAlone) {
  EXPECT_EQ(first_element("<kbd>Ctrl</kbd> x"), "kbd Ctrl");
  EXPECT_EQ(first_element("<SUB>2</Sub>O"), "sub 2");
  EXPECT_EQ(first_element("<sup>th</sup>"), "sup th");
  for (const char* text : {"<kbd>*a*</kbd>", "<kbd>a</sub>", "<kbd></kbd>", "<kbd>a", "<b>a</b>",
                           "<kbd id=x>a</kbd>", "kbd"})
    EXPECT_EQ(first_element(text), "none") << text;
}

TEST(HtmlTagTest, KnowsWhatEndsAnElement) {
  EXPECT_EQ(closing_tag("<kbd>x"), "</kbd>");
  EXPECT_EQ(closing_tag("<sup>"), "</sup>");
  EXPECT_EQ(closing_tag("</sup>"), "");
  EXPECT_EQ(closing_tag("<b>"), "");
}

TEST(HtmlTagTest, HoldsBackATagThatIsBeingWritten) {
  for (const char* tag : {"<", "<k", "<kbd", "</", "</su", "</sup", "<br", "<br /"})
    EXPECT_EQ(without_open_tag(std::string("a ") + tag), "a ") << tag;
  for (const char* text : {"a", "a < b", "<kbd>", "</kbd>", "<br>", "<div", "<p"})
    EXPECT_EQ(without_open_tag(text), text);
}

}  // namespace
}  // namespace confab::ui
