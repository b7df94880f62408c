// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_layout.h"

#include <cmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ui/code/code_block.h"
#include "ui/markdown/markdown_inline.h"
#include "ui/markdown/markdown_math.h"
#include "ui/markdown/markdown_table.h"
#include "ui/markdown/markdown_tree.h"
#include "ui/math/math.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

constexpr std::array<std::string_view, 3> kBullets = {"•", "◦", "‣"};

struct FreeIter {
  void operator()(cmark_iter* iter) const noexcept { cmark_iter_free(iter); }
};
std::string_view view(const char* text) {
  return text == nullptr ? "" : text;
}

// Whether an empty line separates this block from the sibling before it.
bool spaced(cmark_node* block) {
  cmark_node* parent = cmark_node_parent(block);
  if (cmark_node_get_type(parent) == CMARK_NODE_ITEM) parent = cmark_node_parent(parent);
  return cmark_node_get_type(parent) != CMARK_NODE_LIST || !cmark_node_get_list_tight(parent);
}

class BlockLayout {
 public:
  BlockLayout(MarkdownLayout& out, Cols width, MarkdownOptions options)
      : out_(out), width_(width), options_(options) {
    // The minimum width that containers leave to their contents.
    min_width_ = Cols{std::clamp(width.value / 2, 1, 10)};
  }

  void run(cmark_node* root) {
    const std::unique_ptr<cmark_iter, FreeIter> iter(cmark_iter_new(root));
    for (;;) {
      const cmark_event_type event = cmark_iter_next(iter.get());
      if (event == CMARK_EVENT_DONE) return;
      cmark_node* node = cmark_iter_get_node(iter.get());
      if (event == CMARK_EVENT_EXIT) {
        leave(node);
        continue;
      }
      if (node != root && cmark_node_previous(node) != nullptr && spaced(node)) put({});
      if (enter(node)) cmark_iter_reset(iter.get(), node, CMARK_EVENT_EXIT);
    }
  }

 private:
  // A quote, a list item or the rest of a footnote, with the marks before its first line and before
  // its other lines.
  struct Container {
    Span first;
    Span rest;
    Cols width;  // width of each mark
    bool fresh;  // no line added yet
  };
  struct OpenList {
    int number;
    bool ordered;
  };

  // Lays out a leaf or opens a container. Returns true if the node's children are done.
  bool enter(cmark_node* node) {
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_PARAGRAPH:
        put_paragraph(node);
        return true;
      case CMARK_NODE_HEADING:
        put_text(node, heading_style(cmark_node_get_heading_level(node)));
        return true;
      case CMARK_NODE_CODE_BLOCK:
        put_code(node);
        return false;
      case CMARK_NODE_HTML_BLOCK:
        put_html(node);
        return false;
      case CMARK_NODE_THEMATIC_BREAK:
        put_rule();
        return false;
      case CMARK_NODE_BLOCK_QUOTE:
        open_quote(alert_of(node));
        return false;
      case CMARK_NODE_LIST:
        open_list(node);
        return false;
      case CMARK_NODE_ITEM:
        open_item(node);
        return false;
      case CMARK_NODE_CUSTOM_BLOCK:
        open({"  ", {}}, {"  ", {}}, Cols{2});
        return false;
      default:
        return false;
    }
  }

  void leave(cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_LIST) {
      n_bullet_lists_ -= lists_.back().ordered ? 0 : 1;
      lists_.pop_back();
    } else if (type == CMARK_NODE_ITEM || type == CMARK_NODE_BLOCK_QUOTE ||
               type == CMARK_NODE_CUSTOM_BLOCK) {
      if (type == CMARK_NODE_BLOCK_QUOTE && alert_of(node) == nullptr) --n_quotes_;
      close();
    }
  }

  void open_quote(const Alert* alert) {
    if (alert == nullptr) ++n_quotes_;
    const Role role = alert == nullptr ? Role::quote : alert->urgent ? Role::error : Role::heading;
    const Span bar{"│ ", {.role = role}};
    open(bar, bar, Cols{2});
    if (alert != nullptr) put_spans({{std::string(alert->name), {.role = role, .bold = true}}});
  }

  void open_list(cmark_node* list) {
    const bool ordered = cmark_node_get_list_type(list) == CMARK_ORDERED_LIST;
    n_bullet_lists_ += ordered ? 0 : 1;
    lists_.push_back({cmark_node_get_list_start(list), ordered});
  }

  void open_item(cmark_node* item) {
    const Span mark{item_mark(item) + ' ', {.role = Role::list_mark}};
    const Cols columns = width(mark.text);
    if (!fits(columns)) put_spans({mark});
    open(mark, {std::string(static_cast<std::size_t>(columns.value), ' '), {}}, columns);
  }

  std::string item_mark(cmark_node* item) {
    const Task task = task_of(item);
    const std::string_view box = task == Task::none ? "" : task == Task::done ? "☑" : "☐";
    OpenList& open = lists_.back();
    if (!open.ordered) {
      const auto depth = static_cast<std::size_t>(n_bullet_lists_ - 1);
      return std::string(task == Task::none ? kBullets[depth % kBullets.size()] : box);
    }
    const bool paren = cmark_node_get_list_delim(cmark_node_parent(item)) == CMARK_PAREN_DELIM;
    return fmt::format("{}{}{}{}", open.number++, paren ? ')' : '.', box.empty() ? "" : " ", box);
  }

  bool fits(Cols mark) const {
    return n_unmarked_ == 0 && width_.value - mark.value >= min_width_.value;
  }

  void open(Span first, Span rest, Cols columns) {
    if (!fits(columns)) {
      ++n_unmarked_;
      return;
    }
    containers_.push_back({std::move(first), std::move(rest), columns, true});
    width_.value -= columns.value;
  }

  void close() {
    if (n_unmarked_ > 0) {
      --n_unmarked_;
      return;
    }
    if (containers_.back().fresh) put({});
    width_.value += containers_.back().width.value;
    containers_.pop_back();
  }

  Style text_style() const { return {.role = n_quotes_ > 0 ? Role::quote : Role::text}; }

  static Style heading_style(int level) {
    return {.role = Role::heading, .bold = level <= 2, .underline = level == 1};
  }

  void put_code(cmark_node* node) {
    const std::string info = code_info(node);
    std::string literal = reveal(view(cmark_node_get_literal(node)));
    std::vector<Line> code;
    if (is_math(info)) {
      append_math(code, sanitize(literal));
    } else {
      code.push_back(code_top(info, width_));
      append_code(code, sanitize(literal), width_, Highlighter(info));
      code.push_back(code_bottom(width_));
    }
    if (code.empty()) return;
    out_.parts.push_back({MarkdownPart::Kind::code_block, out_.lines.size(), code.size(),
                          std::move(literal), std::string(code_language(info))});
    for (Line& line : code) put(std::move(line));
  }

  void append_math(std::vector<Line>& lines, std::string_view tex) const {
    std::string text;
    for (const std::string& row : math_rows(tex, Cols{width_.value - 2}))
      text += (text.empty() ? "  " : "\n  ") + row;
    std::ranges::move(wrap_words(std::array{Span{text, {.role = Role::math}}}, width_),
                      std::back_inserter(lines));
  }

  void put_html(cmark_node* node) {
    std::string html = sanitize(reveal(view(cmark_node_get_literal(node))));
    while (html.ends_with('\n')) html.pop_back();
    if (is_line_break(html)) return put({});
    put_spans({{html, text_style()}});
  }

  void put_rule() {
    std::string rule;
    for (int i = 0; i < width_.value; ++i) rule += "─";
    put({{{rule, {.role = Role::rule}}}});
  }

  void put_spans(const std::vector<Span>& spans) {
    for (Line& line : wrap_words(spans, width_)) put(std::move(line));
  }

  void put_paragraph(cmark_node* node) {
    cmark_node* table = table_of(node);
    if (table == nullptr) return put_text(node, text_style());
    cmark_node_unlink(table);
    const MarkdownTree owner(table);
    if (cmark_node_first_child(node) != nullptr) {
      put_text(node, text_style());
      put({});
    }
    put_table(table);
  }

  void put_table(cmark_node* table) {
    MarkdownLayout laid = lay_out_table(read_table(table, text_style(), options_), width_);
    const std::size_t first = out_.lines.size();
    out_.parts.push_back(
        {MarkdownPart::Kind::table, first, laid.lines.size(), table_source(table)});
    const std::size_t n_parts = out_.parts.size();
    for (MarkdownPart& part : laid.parts) {
      part.first_line += first;
      out_.parts.push_back(std::move(part));
    }
    for (Line& line : laid.lines) {
      for (Span& span : line.spans) span.part += span.part > 0 ? n_parts : 0;
      put(std::move(line));
    }
  }

  void put_text(cmark_node* node, const Style& style) {
    const InlineText text = inline_text(node, style, options_, width_);
    std::vector<Line> lines = wrap_words(text.spans, width_);
    append_link_parts(out_.parts, text, lines, out_.lines.size());
    for (Line& line : lines) put(std::move(line));
  }

  // Adds a line with the marks of the containers around it.
  void put(Line line) {
    Line whole;
    for (Container& container : containers_) {
      const Span& mark = container.fresh ? container.first : container.rest;
      container.fresh = false;
      if (!whole.spans.empty() && whole.spans.back().style == mark.style)
        whole.spans.back().text += mark.text;
      else
        whole.spans.push_back(mark);
    }
    if (line.spans.empty()) trim(whole);
    std::ranges::move(line.spans, std::back_inserter(whole.spans));
    out_.lines.push_back(std::move(whole));
  }

  static void trim(Line& line) {
    while (!line.spans.empty()) {
      std::string& text = line.spans.back().text;
      text.erase(text.find_last_not_of(' ') + 1);
      if (!text.empty()) return;
      line.spans.pop_back();
    }
  }

  MarkdownLayout& out_;
  Cols width_;  // inside the containers
  Cols min_width_;
  MarkdownOptions options_;
  std::vector<Container> containers_;  // at most one per two columns
  int n_unmarked_ = 0;                 // further containers inside, without room for a mark
  std::vector<OpenList> lists_;
  int n_bullet_lists_ = 0;
  int n_quotes_ = 0;
};

}  // namespace

std::string code_info(cmark_node* code_block) {
  return sanitize(reveal_target(view(cmark_node_get_fence_info(code_block))));
}

bool is_math(std::string_view info) {
  return code_language(info) == "math";
}

void append_block(MarkdownLayout& out, cmark_node* block, Cols width, MarkdownOptions options) {
  BlockLayout(out, width, options).run(block);
}

}  // namespace confab::ui
