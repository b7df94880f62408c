// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_tree.h"

#include <cmark.h>

#include <string>

#include "ui/markdown/markdown_math.h"
#include "ui/markdown/markdown_table.h"

namespace confab::ui {
namespace {

struct FreeParser {
  void operator()(cmark_parser* parser) const noexcept { cmark_parser_free(parser); }
};
struct FreeIter {
  void operator()(cmark_iter* iter) const noexcept { cmark_iter_free(iter); }
};

// What the user data of an item points to.
constexpr Task kOpenTask = Task::open;
constexpr Task kDoneTask = Task::done;

// The mark that a text begins with, before a space (GitHub Flavored Markdown 0.29, section 5.3).
Task task_mark(std::string_view text) {
  if (text.size() < 4 || text[0] != '[' || text[2] != ']') return Task::none;
  if (text[3] != ' ' && text[3] != '\t') return Task::none;
  if (text[1] == ' ') return Task::open;
  return text[1] == 'x' || text[1] == 'X' ? Task::done : Task::none;
}

void find_task(cmark_node* item) {
  cmark_node* paragraph = cmark_node_first_child(item);
  if (paragraph == nullptr || cmark_node_get_type(paragraph) != CMARK_NODE_PARAGRAPH) return;
  cmark_node* text = cmark_node_first_child(paragraph);
  if (text == nullptr || cmark_node_get_type(text) != CMARK_NODE_TEXT) return;
  const std::string literal = cmark_node_get_literal(text);
  const Task task = task_mark(literal);
  if (task == Task::none) return;
  cmark_node_set_user_data(item, const_cast<Task*>(task == Task::done ? &kDoneTask : &kOpenTask));
  cmark_node_set_literal(text, literal.c_str() + 4);
}

void find_tasks(cmark_node* document) {
  const std::unique_ptr<cmark_iter, FreeIter> iter(cmark_iter_new(document));
  for (cmark_event_type event; (event = cmark_iter_next(iter.get())) != CMARK_EVENT_DONE;) {
    cmark_node* node = cmark_iter_get_node(iter.get());
    if (event == CMARK_EVENT_ENTER && cmark_node_get_type(node) == CMARK_NODE_ITEM) find_task(node);
  }
}

}  // namespace

void FreeNode::operator()(cmark_node* node) const noexcept {
  cmark_node_free(node);
}

MarkdownTree parse_commonmark(std::string_view text) {
  const std::unique_ptr<cmark_parser, FreeParser> parser(cmark_parser_new(CMARK_OPT_DEFAULT));
  // An empty first line keeps cmark from taking U+FEFF for a byte order mark: the text may be the
  // middle of a longer one.
  cmark_parser_feed(parser.get(), "\n", 1);
  cmark_parser_feed(parser.get(), text.data(), text.size());
  return MarkdownTree(cmark_parser_finish(parser.get()));
}

MarkdownTree parse_markdown(std::string_view sanitized) {
  const ShieldedMarkdown shielded = shield_math(sanitized, false);
  MarkdownTree tree = parse_commonmark(shielded.text);
  extend(tree.get(), shielded.text);
  return tree;
}

void extend(cmark_node* document, std::string_view shielded) {
  graft_tables(document, shielded);
  cmark_consolidate_text_nodes(document);
  find_tasks(document);
}

std::size_t first_line(cmark_node* block) {
  return static_cast<std::size_t>(cmark_node_get_start_line(block)) - 2;
}

std::size_t last_line(cmark_node* block) {
  return static_cast<std::size_t>(cmark_node_get_end_line(block)) - 2;
}

Task task_of(cmark_node* item) {
  const void* mark = cmark_node_get_user_data(item);
  return mark == nullptr ? Task::none : *static_cast<const Task*>(mark);
}

}  // namespace confab::ui
