// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_inline.h"

#include <cmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "ui/link_target.h"
#include "ui/markdown/footnote.h"
#include "ui/markdown/markdown_math.h"
#include "ui/markdown/markdown_tree.h"
#include "ui/math/math.h"
#include "ui/math/math_text.h"
#include "ui/text.h"
#include "ui/words.h"

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_domain_char(char c) {
  return is_alnum(c) || c == '-' || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool ends_with_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  text.remove_prefix(text.size() - lower.size());
  return std::ranges::equal(text, lower, {}, to_lower);
}

// The latest end of the link that continues at `at`.
std::size_t extent(std::string_view text, std::size_t at) {
  // The ideographic space, wide punctuation and brackets.
  static constexpr std::array<std::string_view, 19> kStops = {
      "\u3000", "、", "。", "，", "．", "；", "：", "？", "！", "（",
      "）",     "「", "」", "『", "』", "【", "】", "《", "》"};
  std::size_t end = std::min(text.find_first_of(" \t\n<", at), text.size());
  for (std::size_t i = at; i < end; ++i) {
    if (static_cast<unsigned char>(text[i]) < 0x80) continue;
    const std::string_view rest = text.substr(i, 3);
    if (std::ranges::find(kStops, rest) != kStops.end()) return i;
  }
  return end;
}

// The length of the domain at the beginning of a text; 0 if there is none.
std::size_t domain_length(std::string_view text, bool needs_dot) {
  std::size_t end = 0, n_dots = 0;
  std::array<bool, 2> underscore = {};  // in the last segment and the one before it
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '.') {
      if (end == 0 || text[end - 1] == '.' || end + 1 == text.size() ||
          !is_domain_char(text[end + 1]))
        break;
      ++n_dots;
      underscore = {false, underscore[0]};
    } else if (!is_domain_char(c)) {
      break;
    } else if (c == '_') {
      underscore[0] = true;
    }
  }
  const bool valid = (n_dots > 0 || !needs_dot) && !underscore[0] && !underscore[1];
  return valid ? end : 0;
}

// Removes punctuation that belongs to the sentence, and closing brackets that were opened before
// the link.
std::string_view without_trailing_punctuation(std::string_view link) {
  auto n_open = std::ranges::count(link, '(');
  auto n_closed = std::ranges::count(link, ')');
  while (!link.empty()) {
    const char last = link.back();
    const bool unbalanced = last == ')' && n_closed > n_open;
    if (!unbalanced && std::string_view("?!.,:*_~'\";").find(last) == npos) break;
    n_closed -= last == ')' ? 1 : 0;
    link.remove_suffix(1);
  }
  return link;
}

bool after_word(std::string_view text, std::size_t at, std::size_t from) {
  return at > from && is_alnum(text[at - 1]);
}

// Returns the link whose scheme ends at `colon`.
std::optional<BareLink> web_link(std::string_view text, std::size_t colon, std::size_t from) {
  if (!text.substr(colon).starts_with("://")) return std::nullopt;
  const std::string_view before = text.substr(from, colon - from);
  std::size_t begin = npos;
  for (const std::string_view scheme : kWebSchemes)
    if (begin == npos && ends_with_ignoring_case(before, scheme)) begin = colon - scheme.size();
  if (begin == npos || after_word(text, begin, from)) return std::nullopt;
  const std::string_view link =
      without_trailing_punctuation(text.substr(begin, extent(text, colon + 3) - begin));
  const std::size_t host = colon + 3 - begin;
  if (link.size() <= host || domain_length(link.substr(host), false) == 0) return std::nullopt;
  return BareLink{begin, begin + link.size(), std::string(link)};
}

std::optional<BareLink> www_link(std::string_view text, std::size_t dot, std::size_t from) {
  if (!ends_with_ignoring_case(text.substr(from, dot - from), "www")) return std::nullopt;
  const std::size_t begin = dot - 3;
  if (after_word(text, begin, from)) return std::nullopt;
  const std::string_view link =
      without_trailing_punctuation(text.substr(begin, extent(text, dot) - begin));
  if (link.size() <= 4 || domain_length(link.substr(4), true) == 0) return std::nullopt;
  return BareLink{begin, begin + link.size(), "https://" + std::string(link)};
}

std::optional<BareLink> mail_link(std::string_view text, std::size_t at, std::size_t from) {
  std::size_t begin = at;
  while (begin > from &&
         (is_alnum(text[begin - 1]) || std::string_view("._+-").find(text[begin - 1]) != npos))
    --begin;
  std::size_t end = at + 1;
  while (end < text.size() &&
         (is_alnum(text[end]) || text[end] == '-' || text[end] == '_' ||
          (text[end] == '.' && end + 1 < text.size() && is_alnum(text[end + 1]))))
    ++end;
  const std::string_view domain = text.substr(at + 1, end - at - 1);
  const bool valid =
      begin < at && domain.find('.') != npos && is_alnum(domain.front()) && is_alnum(domain.back());
  if (!valid) return std::nullopt;
  return BareLink{begin, end, "mailto:" + std::string(text.substr(begin, end - begin))};
}

struct FreeIter {
  void operator()(cmark_iter* iter) const noexcept { cmark_iter_free(iter); }
};

std::string with_lines_joined(std::string_view text) {
  std::string out(text);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

// cmark decodes entities, so its output is untrusted again.
std::string safe(std::string_view text) {
  return with_lines_joined(sanitize(reveal(text)));
}

std::string_view view(const char* text) {
  return text == nullptr ? "" : text;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}
bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}
bool is_word(char c) {
  return !is_space(c) && !is_punctuation(c);
}

class InlineWalk {
 public:
  InlineWalk(const Style& base, MarkdownOptions options, Cols width)
      : base_(base), options_(options), width_(width) {}

  InlineText run(cmark_node* block) {
    const std::unique_ptr<cmark_iter, FreeIter> iter(cmark_iter_new(block));
    for (;;) {
      const cmark_event_type event = cmark_iter_next(iter.get());
      if (event == CMARK_EVENT_DONE) break;
      visit(cmark_iter_get_node(iter.get()), event == CMARK_EVENT_ENTER);
    }
    if (!formula_.empty()) put_formula({reveal(formula_), false, true});
    strike_through();
    return std::move(out_);
  }

 private:
  struct OpenLink {
    std::string url;
    std::size_t first_span;
  };
  // Two tildes that may begin struck text.
  struct OpenStrike {
    cmark_node* parent;
    std::size_t span;  // the span of the tildes themselves
  };

  void visit(cmark_node* node, bool entering) {
    if (!entering)
      while (!open_strikes_.empty() && open_strikes_.back().parent == node)
        open_strikes_.pop_back();
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_TEXT:
        return put_literal(node);
      case CMARK_NODE_HTML_INLINE:
        return put_html(node);
      case CMARK_NODE_CODE:
        return append(safe(view(cmark_node_get_literal(node))), code_style());
      case CMARK_NODE_SOFTBREAK:
        return put_break(" ");
      case CMARK_NODE_LINEBREAK:
        return put_break("\n");
      case CMARK_NODE_EMPH:
        emphasis_ += entering ? 1 : -1;
        return;
      case CMARK_NODE_STRONG:
        strong_ += entering ? 1 : -1;
        return;
      case CMARK_NODE_LINK:
      case CMARK_NODE_IMAGE:
        return entering ? open_link(node) : close_link();
      default:
        return;
    }
  }

  void put_html(cmark_node* node) {
    if (element_.end == node) return;
    const std::string tag = safe(view(cmark_node_get_literal(node)));
    element_ = text_element(node);
    if (element_.text == nullptr) return append(is_line_break(tag) ? "\n" : tag, style());
    put_element(element_.name, safe(view(cmark_node_get_literal(element_.text))));
  }

  void put_element(std::string_view name, const std::string& text) {
    if (text.empty()) return;
    Style style = this->style();
    if (name == "kbd") style = {.role = Role::code, .bold = true};
    starts_span_ = true;
    append(name == "sup" ? raised(text) : name == "sub" ? lowered(text) : text, style);
    out_.elements.push_back({out_.spans.size() - 1, name, text});
    starts_span_ = true;
  }

  void put_break(std::string_view text) {
    if (!formula_.empty())
      formula_ += '\n';
    else
      append(text, style());
  }

  // Adds text and the formulas in it. A formula of several lines comes in pieces.
  void put_literal(cmark_node* node) {
    if (element_.text == node) return;
    const std::string_view literal = cmark_node_get_literal(node);
    for (std::size_t at = 0; at < literal.size();) {
      const std::string_view rest = literal.substr(at);
      if (formula_.empty()) {
        const std::size_t end = find_formula(rest);
        const char before = at > 0 ? 'x' : beside(cmark_node_previous(node), node);
        const char after = end < rest.size() ? 'x' : beside(cmark_node_next(node), node);
        put_prose(node, rest.substr(0, end), {before, after});
        if (end == rest.size()) return;
        at += end;
        formula_ = rest.substr(end, 4);
        at += 4;
      } else {
        const std::size_t end = formula_end(rest, 0);
        formula_ += rest.substr(0, end);
        if (end == npos) return;
        put_formula(read_formula(std::exchange(formula_, {})));
        at += end;
      }
    }
  }

  // Adds text without formulas, and the footnotes in it. A label at the beginning of a line is a
  // footnote itself; elsewhere it is a reference.
  void put_prose(cmark_node* node, std::string_view shielded, std::array<char, 2> beside) {
    bool begins = beside[0] == '\n';
    for (std::size_t at; !shielded.empty(); begins = false) {
      at = find_footnote(shielded);
      const bool more = at < shielded.size();
      put_text(cmark_node_parent(node), safe(shielded.substr(0, at)),
               {beside[0], more ? 'x' : beside[1]});
      if (!more) return;
      const bool stands = begins && stands_footnote(shielded);
      const Footnote footnote = read_footnote(shielded.substr(at));
      shielded.remove_prefix(at + footnote.size + (stands ? 1 : 0));
      if (stands && !out_.spans.empty()) break_line();
      put_element("sup", std::string(footnote.label));
      beside[0] = 'x';
    }
  }

  // Turns the space at the end of a line into a line break.
  void break_line() {
    std::string& text = out_.spans.back().text;
    if (text.ends_with(' ')) text.back() = '\n';
  }

  void put_formula(const Formula& formula) {
    const std::string tex = sanitize(formula.tex);
    Style style = this->style();
    style.role = formula.open ? Role::dim : Role::math;
    if (formula.display && !out_.spans.empty()) needs_line_ = true;
    const std::size_t n_before = out_.spans.size();
    if (!out_.formulas.empty() && out_.formulas.back().end() == n_before) starts_span_ = true;
    if (formula.display)
      put_rows(formula.open ? source_rows(tex) : math_rows(tex, Cols{width_.value - 2}), style);
    else
      append(formula.open ? with_lines_joined(tex) : math_line(tex), style);
    std::size_t first = n_before;  // may come after a line break
    while (first < out_.spans.size() && out_.spans[first].style.role != Role::math) ++first;
    if (first < out_.spans.size())
      out_.formulas.push_back({first, out_.spans.size() - first, tex, formula.display});
  }

  void put_rows(const std::vector<std::string>& rows, const Style& style) {
    for (const std::string& row : rows) {
      append_as_is("  " + row, style);
      needs_line_ = true;
    }
  }

  // Adds text without formulas. `beside` holds the characters before and after it.
  void put_text(cmark_node* parent, std::string_view text, std::array<char, 2> beside) {
    std::optional<BareLink> link;
    if (links_.empty()) link = next_bare_link(text, 0);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t tildes = std::min(text.find("~~", at), text.size());
      if (link && link->begin <= tildes) {
        append(text.substr(at, link->begin - at), style());
        put_bare_link(text, *link);
        at = link->end;
        link = next_bare_link(text, at);
        continue;
      }
      append(text.substr(at, tildes - at), style());
      at = std::min(text.find_first_not_of('~', tildes), text.size());
      const char before = tildes > 0 ? text[tildes - 1] : beside[0];
      const char after = at < text.size() ? text[at] : beside[1];
      if (at - tildes == 2)
        put_tildes(parent, before, after);
      else
        append(text.substr(tildes, at - tildes), style());
    }
  }

  void put_bare_link(std::string_view text, const BareLink& link) {
    Style style = this->style();
    style.role = Role::link;
    href_ = link_target(link.url);
    starts_span_ = true;
    append(text.substr(link.begin, link.end - link.begin), style);
    add_link(out_.spans.size() - 1, link.url);
    href_.clear();
    starts_span_ = true;
  }

  // Tildes are delimiters by the rules of asterisks (CommonMark 0.30, section 6.2), and struck text
  // begins and ends under the same parent.
  void put_tildes(cmark_node* parent, char before, char after) {
    const bool opens = !is_space(after) && (!is_punctuation(after) || !is_word(before));
    const bool closes = !is_space(before) && (!is_punctuation(before) || !is_word(after));
    starts_span_ = true;
    if (closes && !open_strikes_.empty() && open_strikes_.back().parent == parent) {
      const std::size_t begin = open_strikes_.back().span;
      out_.spans[begin].text.clear();
      strikes_.push_back({begin, out_.spans.size()});
      open_strikes_.pop_back();
      return;
    }
    append("~~", style());
    starts_span_ = true;
    if (opens) open_strikes_.push_back({parent, out_.spans.size() - 1});
  }

  // The character next to a text node. Other inlines count as a mark.
  static char beside(cmark_node* sibling, cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(sibling);
    if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK) return '\n';
    const cmark_node_type parent = cmark_node_get_type(cmark_node_parent(node));
    const bool at_end_of_block = sibling == nullptr && parent != CMARK_NODE_EMPH &&
                                 parent != CMARK_NODE_STRONG && parent != CMARK_NODE_LINK &&
                                 parent != CMARK_NODE_IMAGE;
    return at_end_of_block ? '\n' : '*';
  }

  void strike_through() {
    if (strikes_.empty()) return;
    std::vector<int> change(out_.spans.size() + 1);
    for (const auto& [begin, end] : strikes_) {
      ++change[begin];
      --change[end];
    }
    int depth = 0;
    for (std::size_t i = 0; i < out_.spans.size(); ++i) {
      depth += change[i];
      out_.spans[i].style.strike |= depth > 0;
    }
  }

  void open_link(cmark_node* node) {
    std::string url = with_lines_joined(
        sanitize(reveal_target(view(cmark_node_get_url(node))), SafeFor::copying));
    if (links_.empty()) href_ = link_target(url);
    links_.push_back({std::move(url), out_.spans.size()});
    starts_span_ = true;
  }

  void close_link() {
    const OpenLink link = std::move(links_.back());
    const std::string target = sanitize(link.url);
    // Only as much as may be the target itself.
    std::string text;
    for (std::size_t i = link.first_span; i < out_.spans.size() && text.size() <= target.size();
         ++i)
      text += out_.spans[i].text;
    if (text.empty()) append(target, style());
    links_.pop_back();
    if (links_.empty()) {
      href_.clear();
      if (out_.spans.size() > link.first_span && !link.url.empty())
        add_link(link.first_span, link.url);
    }
    starts_span_ = true;
    const bool shown = text.empty() || text == target || "mailto:" + text == target;
    const bool wanted = options_.show_link_targets || link_target(link.url).empty();
    if (!shown && wanted && !target.empty())
      append(fmt::format(" ({})", target), {.role = Role::dim});
  }

  // Gives the spans from `first_span` on to the new link.
  void add_link(std::size_t first_span, const std::string& url) {
    out_.links.push_back(url);
    for (std::size_t i = first_span; i < out_.spans.size(); ++i)
      out_.spans[i].part = out_.links.size();
  }

  Style style() const {
    Style style = base_;
    style.bold |= strong_ > 0;
    style.italic |= emphasis_ > 0;
    if (!links_.empty())
      style.role = Role::link;
    else if (base_.role != Role::heading && strong_ > 0)
      style.role = Role::strong;
    else if (base_.role != Role::heading && emphasis_ > 0)
      style.role = Role::emphasis;
    return style;
  }

  Style code_style() const {
    Style code = style();
    code.role = Role::code;
    return code;
  }

  void append(std::string_view text, const Style& style) {
    if (needs_line_) text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    if (!text.empty()) append_as_is(text, style);
  }

  void append_as_is(std::string_view text, const Style& style) {
    if (std::exchange(needs_line_, false)) append_as_is("\n", {});
    const bool same = !starts_span_ && !out_.spans.empty() && out_.spans.back().style == style &&
                      out_.spans.back().link == href_;
    if (same)
      out_.spans.back().text += text;
    else
      out_.spans.push_back({std::string(text), style, href_});
    starts_span_ = false;
  }

  Style base_;
  MarkdownOptions options_;
  InlineText out_;
  std::vector<OpenLink> links_;  // the innermost last; images in links nest
  std::string href_;             // target of the outermost link
  Cols width_;
  TextElement element_;      // the last element, already added as a whole
  std::string formula_;      // the part so far of the current formula
  bool needs_line_ = false;  // whatever follows begins a new line
  int emphasis_ = 0;
  int strong_ = 0;
  bool starts_span_ = false;  // so that a link consists of whole spans
  std::vector<OpenStrike> open_strikes_;
  std::vector<std::pair<std::size_t, std::size_t>> strikes_;  // ranges of spans
};

}  // namespace

std::optional<BareLink> next_bare_link(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at < text.size(); ++at) {
    std::optional<BareLink> link;
    if (text[at] == ':') link = web_link(text, at, from);
    if (text[at] == '.') link = www_link(text, at, from);
    if (text[at] == '@') link = mail_link(text, at, from);
    if (link) return link;
  }
  return std::nullopt;
}

InlineText inline_text(cmark_node* block, const Style& base, MarkdownOptions options, Cols width) {
  return InlineWalk(base, options, width).run(block);
}

void append_link_parts(std::vector<MarkdownPart>& parts, const InlineText& text,
                       std::span<Line> lines, std::size_t n_lines) {
  std::size_t last = 0;  // number of the link added last, within the text
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (Span& span : lines[i].spans) {
      if (span.part == 0) continue;
      if (span.part != std::exchange(last, span.part))
        parts.push_back({MarkdownPart::Kind::link, n_lines + i, 0, text.links[span.part - 1]});
      parts.back().n_lines = n_lines + i + 1 - parts.back().first_line;
      span.part = parts.size();
    }
}

}  // namespace confab::ui
