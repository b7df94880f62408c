// SPDX-License-Identifier: MIT
#include "app/transfer/html_format.h"

#include <cmark.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "app/figures.h"
#include "app/transfer/markdown_format.h"
#include "ui/text.h"

namespace confab::app {
namespace {

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --text: #1c1e21; --page: #ffffff; --box: #f1f3f5; --dim: #667; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e3e5e8; --page: #16181b; --box: #23262b; --dim: #99a; }
}
body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem; color: var(--text);
  background: var(--page); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { line-height: 1.25; }
.speaker, time { color: var(--dim); font-size: .85rem; }
article { margin: 1.5rem 0; }
.user, .system { background: var(--box); border-radius: .6rem; padding: .6rem 1rem; }
.plain, pre { white-space: pre-wrap; }
pre, code { font: .9em/1.5 ui-monospace, monospace; background: var(--box); border-radius: .3rem; }
pre { padding: .8rem; overflow-x: auto; }
code { padding: .1rem .25rem; }
pre code { padding: 0; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: .2rem solid var(--dim); }
details { color: var(--dim); margin: .5rem 0; }
)css";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : ui::sanitize(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

struct FreeNode {
  void operator()(cmark_node* node) const noexcept { cmark_node_free(node); }
};
struct FreeIterator {
  void operator()(cmark_iter* iterator) const noexcept { cmark_iter_free(iterator); }
};

cmark_node* new_literal(cmark_node_type type, const char* literal) {
  cmark_node* node = cmark_node_new(type);
  cmark_node_set_literal(node, literal);
  return node;
}

// What stands instead of a node that a reader would run or load: HTML becomes the text that it was
// written as, an image a link to it. Null: it stays.
cmark_node* harmless(cmark_node* node) {
  switch (cmark_node_get_type(node)) {
    case CMARK_NODE_HTML_BLOCK:
      return new_literal(CMARK_NODE_CODE_BLOCK, cmark_node_get_literal(node));
    case CMARK_NODE_HTML_INLINE:
      return new_literal(CMARK_NODE_TEXT, cmark_node_get_literal(node));
    case CMARK_NODE_IMAGE: {
      cmark_node* link = cmark_node_new(CMARK_NODE_LINK);
      cmark_node_set_url(link, cmark_node_get_url(node));
      if (cmark_node_first_child(node) == nullptr)
        cmark_node_append_child(link, new_literal(CMARK_NODE_TEXT, cmark_node_get_url(node)));
      while (cmark_node* child = cmark_node_first_child(node)) cmark_node_append_child(link, child);
      return link;
    }
    default:
      return nullptr;
  }
}

// A node may be replaced when the iterator is done with it: at its end, or, where it cannot have
// children, at once.
void disarm(cmark_node* document) {
  const std::unique_ptr<cmark_iter, FreeIterator> nodes(cmark_iter_new(document));
  for (cmark_event_type event; (event = cmark_iter_next(nodes.get())) != CMARK_EVENT_DONE;) {
    cmark_node* node = cmark_iter_get_node(nodes.get());
    const bool has_end = cmark_node_get_type(node) == CMARK_NODE_IMAGE;
    if (has_end != (event == CMARK_EVENT_EXIT)) continue;
    cmark_node* instead = harmless(node);
    if (instead == nullptr) continue;
    if (cmark_node_replace(node, instead) == 0) cmark_node_free(instead);
    cmark_node_free(node);
  }
}

std::string markdown_to_html(const std::string& markdown) {
  const std::string text = ui::sanitize(markdown);
  const std::unique_ptr<cmark_node, FreeNode> document(
      cmark_parse_document(text.data(), text.size(), CMARK_OPT_DEFAULT));
  disarm(document.get());
  // Without CMARK_OPT_UNSAFE: javascript: and the like are left out of links.
  char* html = cmark_render_html(document.get(), CMARK_OPT_DEFAULT);
  if (html == nullptr) throw std::bad_alloc();
  std::string out = html;
  std::free(html);
  return out;
}

std::string attachments_html(const sessions::Message& message) {
  std::string out;
  for (const sessions::Attachment& file : message.attachments) {
    const std::string head =
        fmt::format("{}, {} bytes", escaped(file.name == "-" ? "standard input" : file.name),
                    grouped(static_cast<std::int64_t>(file.size_bytes)));
    if (file.content)
      out += fmt::format("<details><summary>{}</summary>\n<pre>{}</pre></details>\n", head,
                         escaped(*file.content));
    else
      out += fmt::format("<div class=\"speaker\">{}</div>\n", head);
  }
  return out;
}

std::string message_html(const sessions::Message& message) {
  std::string out = fmt::format("<article class=\"{}\">\n<div class=\"speaker\">{}</div>\n",
                                name_of(message.role), escaped(speaker(message)));
  if (!message.reasoning.empty())
    out += fmt::format(
        "<details><summary>Reasoning</summary>\n<div class=\"plain\">{}</div></details>\n",
        escaped(message.reasoning));
  out += attachments_html(message);
  if (message.role == sessions::Role::assistant)
    out += markdown_to_html(message.content);
  else
    out += fmt::format("<div class=\"plain\">{}</div>\n", escaped(message.content));
  return out + "</article>\n";
}

}  // namespace

std::string to_html(const sessions::ConversationTree& tree) {
  const auto created = std::chrono::floor<std::chrono::seconds>(tree.conversation.created);
  const std::string title = escaped(tree.conversation.title);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\""
      " content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n<time>{:%Y-%m-%d}</"
      "time>\n",
      title, kStyle, title, fmt::localtime(std::chrono::system_clock::to_time_t(created)));
  for (const sessions::Message* message : shown_path(tree)) out += message_html(*message);
  return out + "</body>\n</html>\n";
}

}  // namespace confab::app
