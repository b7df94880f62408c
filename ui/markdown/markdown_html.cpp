// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_html.h"

#include <cmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "ui/code/code_block.h"
#include "ui/code/highlight.h"
#include "ui/markdown/markdown_inline.h"
#include "ui/markdown/markdown_layout.h"
#include "ui/markdown/markdown_math.h"
#include "ui/markdown/markdown_table.h"
#include "ui/markdown/markdown_tree.h"
#include "ui/math/math.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

constexpr Cols kMathWidth{80};  // the width of display formulas

struct FreeIter {
  void operator()(cmark_iter* iter) const noexcept { cmark_iter_free(iter); }
};

std::string_view view(const char* text) {
  return text == nullptr ? "" : text;
}

std::string display_html(std::string_view tag, std::string_view tex) {
  std::string rows;
  for (const std::string& row : math_rows(tex, kMathWidth))
    rows += (rows.empty() ? "" : "\n") + row;
  return fmt::format("<{0} class=\"math display\" title=\"{1}\">{2}</{0}>", tag, html_escaped(tex),
                     html_escaped(rows));
}

// Turns spans into nested elements. Attributes that `base` has need no element.
class InlineHtml {
 public:
  explicit InlineHtml(const Style& base) : base_(base) {}

  std::string run(const InlineText& text) {
    auto formula = text.formulas.begin();
    auto element = text.elements.begin();
    for (std::size_t i = 0; i < text.spans.size(); ++i) {
      if (formula != text.formulas.end() && formula->first_span == i) {
        put_formula(*formula, text.spans[i]);
        i += formula->n_spans - 1;
        ++formula;
      } else if (element != text.elements.end() && element->span == i) {
        put_element(*element++, text.spans[i]);
      } else {
        put_text(text.spans[i]);
      }
    }
    close_to(0);
    return std::move(out_);
  }

 private:
  struct Element {
    std::string_view name;
    std::string target = {};  // target of a link
    bool operator==(const Element&) const = default;
  };

  std::vector<Element> elements_of(const Span& span) const {
    std::vector<Element> elements;
    if (!span.link.empty()) elements.push_back({"a", span.link});
    if (span.style.strike) elements.push_back({"del"});
    if (span.style.bold && !base_.bold) elements.push_back({"strong"});
    if (span.style.italic) elements.push_back({"em"});
    if (span.style.role == Role::code) elements.push_back({"code"});
    return elements;
  }

  void close_to(std::size_t n) {
    for (; open_.size() > n; open_.pop_back()) out_ += fmt::format("</{}>", open_.back().name);
  }

  void enter(const Span& span) {
    const std::vector<Element> wanted = elements_of(span);
    const auto [kept, next] = std::ranges::mismatch(open_, wanted);
    close_to(static_cast<std::size_t>(kept - open_.begin()));
    for (auto element = wanted.begin() + std::ssize(open_); element != wanted.end(); ++element) {
      out_ += element->target.empty()
                  ? fmt::format("<{}>", element->name)
                  : fmt::format("<{} href=\"{}\">", element->name, html_escaped(element->target));
      open_.push_back(*element);
    }
  }

  void put_text(const Span& span) {
    std::string_view text = span.text;
    if (text.starts_with('\n') && after_display_) text.remove_prefix(1);
    if (text.empty()) return;
    after_display_ = false;
    enter(span);
    for (const char c : html_escaped(text)) {
      if (c == '\n') out_ += "<br>";
      out_ += c;
    }
  }

  void put_element(const InlineElement& element, Span span) {
    if (element.name == "kbd") span.style = base_;
    enter(span);
    out_ += fmt::format("<{0}>{1}</{0}>", element.name, html_escaped(element.text));
    after_display_ = false;
  }

  // A display formula is a block, so a <br> next to it would show as an empty line.
  void put_formula(const InlineFormula& formula, const Span& span) {
    if (formula.display && out_.ends_with(kBreak)) out_.resize(out_.size() - kBreak.size());
    enter(span);
    out_ += formula.display
                ? display_html("span", formula.tex)
                : fmt::format("<span class=\"math\" title=\"{}\">{}</span>",
                              html_escaped(formula.tex), html_escaped(math_line(formula.tex)));
    after_display_ = formula.display;
  }

  static constexpr std::string_view kBreak = "<br>\n";

  const Style base_;
  std::string out_;
  std::vector<Element> open_;
  bool after_display_ = false;
};

std::string inline_html(cmark_node* block, const Style& base) {
  return InlineHtml(base).run(inline_text(block, base, {}, kMathWidth));
}

std::string_view class_of(Role role) {
  switch (role) {
    case Role::code_keyword:
      return "keyword";
    case Role::code_type:
      return "type";
    case Role::code_function:
      return "function";
    case Role::code_string:
      return "string";
    case Role::code_number:
      return "number";
    case Role::code_comment:
      return "comment";
    case Role::code_meta:
      return "meta";
    case Role::diff_added:
      return "added";
    case Role::diff_removed:
      return "removed";
    default:
      return {};
  }
}

std::string code_html(std::string_view code, std::string_view info) {
  Highlighter highlighter(info);
  std::string out;
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size());
    for (const Span& span : highlighter.line(code.substr(0, end))) {
      const std::string_view name = class_of(span.style.role);
      const std::string text = html_escaped(span.text);
      out += name.empty() ? text : fmt::format("<span class=\"{}\">{}</span>", name, text);
    }
    out += '\n';
    code.remove_prefix(std::min(end + 1, code.size()));
  }
  return out;
}

std::string_view name_of(Align align) {
  return align == Align::left ? "left" : align == Align::right ? "right" : "center";
}

std::string table_html(const Table& table) {
  std::string out = "<table>\n<thead>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string_view cell = i == 0 ? "th" : "td";
    // The element <th> makes a header bold already.
    const Style base{.bold = i == 0};
    out += i == 1 ? "<tbody>\n<tr>" : "<tr>";
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const bool given = column < table.rows[i].size();
      out += fmt::format("<{0} style=\"text-align:{1}\">{2}</{0}>", cell,
                         name_of(table.columns[column]),
                         given ? InlineHtml(base).run(table.rows[i][column]) : "");
    }
    out += i == 0 ? "</tr>\n</thead>\n" : "</tr>\n";
  }
  return out + (table.rows.size() > 1 ? "</tbody>\n</table>\n" : "</table>\n");
}

// Whether the paragraph is in an item of a tight list, where it needs no <p>.
bool in_tight_list(cmark_node* paragraph) {
  cmark_node* list = cmark_node_parent(cmark_node_parent(paragraph));
  return list != nullptr && cmark_node_get_type(list) == CMARK_NODE_LIST &&
         cmark_node_get_list_tight(list) != 0;
}

class BlockHtml {
 public:
  std::string run(cmark_node* document) {
    const std::unique_ptr<cmark_iter, FreeIter> iter(cmark_iter_new(document));
    for (cmark_event_type event; (event = cmark_iter_next(iter.get())) != CMARK_EVENT_DONE;) {
      cmark_node* node = cmark_iter_get_node(iter.get());
      if (event == CMARK_EVENT_EXIT)
        leave(node);
      else if (enter(node))
        cmark_iter_reset(iter.get(), node, CMARK_EVENT_EXIT);
    }
    return std::move(out_);
  }

 private:
  // Writes a leaf or opens a container. Returns true if the node's children are done.
  bool enter(cmark_node* node) {
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_PARAGRAPH:
        put_paragraph(node);
        return true;
      case CMARK_NODE_HEADING:
        put_heading(node);
        return true;
      case CMARK_NODE_CODE_BLOCK:
        put_code(node);
        return false;
      case CMARK_NODE_HTML_BLOCK:
        put_html(reveal(view(cmark_node_get_literal(node))));
        return false;
      case CMARK_NODE_THEMATIC_BREAK:
        put_line("<hr>");
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
        put_line("<div class=\"footnote\">");
        return false;
      default:
        return false;
    }
  }

  void leave(cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_BLOCK_QUOTE) put_line("</blockquote>");
    if (type == CMARK_NODE_LIST) put_line(is_ordered(node) ? "</ol>" : "</ul>");
    if (type == CMARK_NODE_ITEM) out_ += "</li>\n";
    if (type == CMARK_NODE_CUSTOM_BLOCK) put_line("</div>");
  }

  void put_html(const std::string& html) {
    if (is_line_break(html)) return put_line("<br>");
    put_line(fmt::format("<pre><code>{}</code></pre>", html_escaped(html)));
  }

  void open_quote(const Alert* alert) {
    if (alert == nullptr) return put_line("<blockquote>");
    put_line(fmt::format("<blockquote class=\"{}\">", alert->urgent ? "alert urgent" : "alert"));
    put_line(fmt::format("<p class=\"title\">{}</p>", alert->name));
  }

  static bool is_ordered(cmark_node* list) {
    return cmark_node_get_list_type(list) == CMARK_ORDERED_LIST;
  }

  void open_list(cmark_node* list) {
    const int start = cmark_node_get_list_start(list);
    if (!is_ordered(list))
      put_line("<ul>");
    else
      put_line(start == 1 ? "<ol>" : fmt::format("<ol start=\"{}\">", start));
  }

  void open_item(cmark_node* item) {
    const Task task = task_of(item);
    out_ += task == Task::none   ? "<li>"
            : task == Task::done ? "<li class=\"task\"><input type=\"checkbox\" disabled checked> "
                                 : "<li class=\"task\"><input type=\"checkbox\" disabled> ";
  }

  void put_paragraph(cmark_node* node) {
    cmark_node* table = table_of(node);
    if (table != nullptr) cmark_node_unlink(table);
    const MarkdownTree owner(table);
    if (cmark_node_first_child(node) != nullptr) {
      if (in_tight_list(node))
        out_ += inline_html(node, {});
      else
        put_line(fmt::format("<p>{}</p>", inline_html(node, {})));
    }
    if (table != nullptr) put_line(table_html(read_table(table, {}, {})));
  }

  void put_heading(cmark_node* node) {
    const int level = cmark_node_get_heading_level(node);
    put_line(fmt::format("<h{0}>{1}</h{0}>", level, inline_html(node, {.role = Role::heading})));
  }

  void put_code(cmark_node* node) {
    const std::string info = code_info(node);
    const std::string code = reveal(view(cmark_node_get_literal(node)));
    if (is_math(info)) return put_line(display_html("div", code));
    const std::string_view language = code_language(info);
    const std::string name =
        language.empty() ? "" : fmt::format(" class=\"language-{}\"", html_escaped(language));
    put_line(fmt::format("<pre><code{}>{}</code></pre>", name, code_html(code, info)));
  }

  // Writes the HTML on separate lines.
  void put_line(std::string_view html) {
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
    out_ += html;
    if (!out_.ends_with('\n')) out_ += '\n';
  }

  std::string out_;
};

}  // namespace

std::string markdown_to_html(std::string_view text) {
  const MarkdownTree tree = parse_markdown(sanitize(text));
  return BlockHtml().run(tree.get());
}

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : sanitize(text)) {
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

}  // namespace confab::ui
