// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_tree.h"

#include <cmark.h>
#include <gtest/gtest.h>

#include <string>

namespace confab::ui {
namespace {

TEST(ParseMarkdownTest, NumbersLinesFromZero) {
  const MarkdownTree tree = parse_markdown("a\n\n- b\n- c\n  d\n");
  cmark_node* paragraph = cmark_node_first_child(tree.get());
  cmark_node* list = cmark_node_next(paragraph);
  EXPECT_EQ(first_line(paragraph), 0u);
  EXPECT_EQ(first_line(list), 2u);
  EXPECT_EQ(first_line(cmark_node_last_child(list)), 3u);
  EXPECT_EQ(last_line(cmark_node_last_child(list)), 4u);
}

TEST(ParseMarkdownTest, AByteOrderMarkIsText) {
  const MarkdownTree tree = parse_markdown("\uFEFF# a");
  EXPECT_EQ(cmark_node_get_type(cmark_node_first_child(tree.get())), CMARK_NODE_PARAGRAPH);
}

// Of the first item; and its text.
std::pair<Task, std::string> task(std::string_view markdown) {
  const MarkdownTree tree = parse_markdown(markdown);
  cmark_node* item = cmark_node_first_child(cmark_node_first_child(tree.get()));
  const char* text = cmark_node_get_literal(cmark_node_first_child(cmark_node_first_child(item)));
  return {task_of(item), text == nullptr ? "" : text};
}

// How many of the blocks are the rest of a footnote.
int n_rests(std::string_view markdown) {
  const MarkdownTree tree = parse_markdown(markdown);
  int n = 0;
  for (cmark_node* block = cmark_node_first_child(tree.get()); block != nullptr;
       block = cmark_node_next(block))
    n += is_rest_of_footnote(block) ? 1 : 0;
  return n;
}

TEST(ParseMarkdownTest, FindsWhatGoesOnWithFootnotes) {
  for (const char* text : {"[^1]: a\n\n    b", "[^1]:\n\n\tb\n", "[^x]: a\n\n      b\n\n    c\n",
                           "a\n[^1]: b\nc\n\n    d", "[^1]: a\n\n    ```\n    b\n    ```\n"})
    EXPECT_EQ(n_rests(text), 1) << text;
  for (const char* text :
       {"a\n\n    b", "[^1]: a\n    b", "[^1]: a\n\n   ```\n    b\n   ```\n", "a [^1]: b\n\n    c",
        "[^1]: a\n\nb\n\n    c", "```\n[^1]: a\n\n    b\n```\n", "# [^1]: a\n\n    b",
        "[^1]: a\n```\n\n    b\n```\n"})
    EXPECT_EQ(n_rests(text), 0) << text;
}

TEST(ParseMarkdownTest, FindsTasks) {
  using Found = std::pair<Task, std::string>;
  EXPECT_EQ(task("- [ ] a b"), (Found{Task::open, "a b"}));
  EXPECT_EQ(task("1. [x] a"), (Found{Task::done, "a"}));
  EXPECT_EQ(task("* [X] a"), (Found{Task::done, "a"}));
  EXPECT_EQ(task("- [x]a"), (Found{Task::none, "[x]a"}));
  EXPECT_EQ(task("- [x]"), (Found{Task::none, "[x]"}));
  EXPECT_EQ(task("- [y] a"), (Found{Task::none, "[y] a"}));
  EXPECT_EQ(task("- [x] a\n\n[x]: /u").first, Task::none);
}

// The name of the alert that a text is, and how many blocks are in it.
std::pair<std::string, int> alert(std::string_view markdown) {
  const MarkdownTree tree = parse_markdown(markdown);
  cmark_node* quote = cmark_node_first_child(tree.get());
  const Alert* found = alert_of(quote);
  int n = 0;
  for (cmark_node* block = cmark_node_first_child(quote); block != nullptr;
       block = cmark_node_next(block))
    ++n;
  return {found == nullptr ? "" : std::string(found->name), n};
}

TEST(ParseMarkdownTest, FindsAlerts) {
  using Found = std::pair<std::string, int>;
  EXPECT_EQ(alert("> [!NOTE]\n> a"), (Found{"Note", 1}));
  EXPECT_EQ(alert("> [!tip]  \n> a\n>\n> b"), (Found{"Tip", 2}));
  EXPECT_EQ(alert("> [!WARNING]"), (Found{"Warning", 0}));
  EXPECT_EQ(alert("> [!CAUTION]\n>\n> - a"), (Found{"Caution", 1}));
  EXPECT_EQ(alert("> [!IMPORTANT]\n> | a |\n> |---|\n> | b |\n"), (Found{"Important", 1}));
  for (const char* text : {"> [!NOTE] a", "> [!OTHER]\n> a", "> a\n> [!NOTE]", "> **[!NOTE]**"})
    EXPECT_EQ(alert(text).first, "") << text;
}

TEST(BeginsAlertTest, TakesWhatMayBecomeOne) {
  for (const char* text : {"[!N", "[!note]", "[!WARN", "[!C"})
    EXPECT_TRUE(begins_alert(text)) << text;
  for (const char* text : {"", "[", "[!", "[!X", "[!NOTE] ", "[a"})
    EXPECT_FALSE(begins_alert(text)) << text;
}

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
