// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_tree.h"

#include <cmark.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "ui/code/code_block.h"
#include "ui/markdown/footnote.h"
#include "ui/markdown/markdown_math.h"
#include "ui/markdown/markdown_table.h"
#include "ui/text.h"
#include "ui/words.h"

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;

struct FreeParser {
  void operator()(cmark_parser* parser) const noexcept { cmark_parser_free(parser); }
};
struct FreeIter {
  void operator()(cmark_iter* iter) const noexcept { cmark_iter_free(iter); }
};

// The user data of an item points to one of these.
constexpr Task kOpenTask = Task::open;
constexpr Task kDoneTask = Task::done;

// The mark at the beginning of a text, before a space (GitHub Flavored Markdown 0.29, section 5.3).
Task task_mark(std::string_view text) {
  if (text.size() < 4 || text[0] != '[' || text[2] != ']') return Task::none;
  if (text[3] != ' ' && text[3] != '\t') return Task::none;
  if (text[1] == ' ') return Task::open;
  return text[1] == 'x' || text[1] == 'X' ? Task::done : Task::none;
}

// Removes the marks of quotes and lists before a line's text.
std::string_view without_containers(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  for (;;) {
    std::string_view rest = line;
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const std::string_view marks = digits > 0 ? ".)" : "-+*";
    const bool quote = rest.starts_with('>');
    const bool item = digits + 1 < rest.size() && marks.find(rest[digits]) != marks.npos &&
                      kBlanks.find(rest[digits + 1]) != kBlanks.npos;
    if (!quote && !item) return line;
    line = rest.substr(quote ? 1 : digits + 2);
  }
}

// Finds lines that end a block of code inside a block of Markdown. They look like the end of the
// outer fence, but cmark must take them for code.
class InnerFences {
 public:
  bool ends_inner(std::string_view line) {
    if (!open_) {
      std::string_view inside = without_containers(line);
      inside.remove_prefix(std::min(inside.find_first_not_of(" \t"), inside.size()));
      const std::optional<Fence> fence = parse_fence(inside);
      if (!fence) return false;
      indent_ = line.size() - inside.size();
      const std::size_t info = inside.find_first_not_of(" `~");
      open_.emplace(*fence, inside.substr(std::min(info, inside.size())));
      return false;
    }
    const std::size_t blanks = std::min(line.find_first_not_of(" \t>"), line.size());
    const bool ends = open_->ends_at(line.substr(std::min(indent_, blanks)));
    const bool inner = open_->ended_inner();
    if (ends) open_.reset();
    return inner;
  }

 private:
  std::optional<FencedLines> open_;
  std::size_t indent_ = 0;  // bytes of the marks before the fence
};

std::string shield_inner_fences(std::string_view text) {
  if (text.find("```") == text.npos && text.find("~~~") == text.npos) return std::string(text);
  InnerFences fences;
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool shields = fences.ends_inner(line);
    for (const char c : line)
      if (shields && (c == '`' || c == '~'))
        out += shielded_mark(c);
      else if (shields)
        out += c;
    if (!shields) out += line;
    out += text.substr(end, 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// The character next to a mark of emphasis.
struct Neighbour {
  bool space = true;  // or the end of the text
  bool punctuation = false;
  bool east_asian = false;  // two columns wide: Chinese, Japanese, Korean and their punctuation
};
Neighbour neighbour(std::string_view character) {
  if (character.empty() || character == " " || character == "\t" || character == "\n") return {};
  const char32_t c = from_utf8(character);
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  const bool ascii = c < 0x80 && std::ispunct(static_cast<int>(c)) != 0;
  return {.space = category == UTF8PROC_CATEGORY_ZS,
          .punctuation =
              ascii || (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO),
          .east_asian = width(character) == Cols{2}};
}

// Whether a joint is needed because CommonMark neither begins nor ends emphasis between punctuation
// and a letter. It assumes spaces between words, which "**注意：**正文" does not have. A single
// mark next to other letters and digits is more likely an operator: 5*（3+2）*2.
bool needs_joint(const Neighbour& inner, const Neighbour& outer, std::size_t n_marks) {
  return inner.punctuation && !outer.space && !outer.punctuation &&
         (outer.east_asian || (inner.east_asian && n_marks > 1));
}

std::string_view character_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && (static_cast<unsigned char>(text[--begin]) & 0xC0) == 0x80) {
  }
  return text.substr(begin, end - begin);
}

std::string shield_emphasis(std::string text) {
  if (text.find('*') == text.npos) return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t run = text.find_first_of("*\\", at);
    if (run != text.npos && text[run] == '\\') {  // the next character is escaped
      const std::size_t end = std::min(run + 2, text.size());
      out.append(text, at, end - at);
      at = end;
      continue;
    }
    run = std::min(run, text.size());
    const std::size_t end = std::min(text.find_first_not_of('*', run), text.size());
    out.append(text, at, run - at);
    if (run < end) {
      const std::string_view rest = std::string_view(text).substr(end);
      const Neighbour before = neighbour(character_before(text, run));
      const Neighbour after = neighbour(rest.substr(0, next_character(rest).n_bytes));
      if (needs_joint(before, after, end - run)) out += kJoint;
      out.append(text, run, end - run);
      if (needs_joint(after, before, end - run)) out += kJoint;
    }
    at = end;
  }
  return out;
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

constexpr std::array kAlerts = {Alert{"Note", false}, Alert{"Tip", false},
                                Alert{"Important", false}, Alert{"Warning", true},
                                Alert{"Caution", true}};

// [!NAME]
std::string mark_of(const Alert& alert) {
  return "[!" + std::string(alert.name) + ']';
}

bool has_same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

// Removes the mark and the line break after it.
void find_alert(cmark_node* quote) {
  cmark_node* paragraph = cmark_node_first_child(quote);
  if (paragraph == nullptr || cmark_node_get_type(paragraph) != CMARK_NODE_PARAGRAPH) return;
  cmark_node* text = cmark_node_first_child(paragraph);
  if (text == nullptr || cmark_node_get_type(text) != CMARK_NODE_TEXT) return;
  cmark_node* after = cmark_node_next(text);
  const cmark_node_type type = cmark_node_get_type(after);
  const bool breaks = type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK;
  if (after != nullptr && after != table_of(paragraph) && !breaks) return;
  const std::string_view literal = cmark_node_get_literal(text);
  const auto alert = std::ranges::find_if(
      kAlerts, [literal](const Alert& known) { return has_same_letters(literal, mark_of(known)); });
  if (alert == kAlerts.end()) return;
  cmark_node_set_user_data(quote, const_cast<Alert*>(&*alert));
  if (breaks) cmark_node_free(after);
  cmark_node_free(after == nullptr ? paragraph : text);
}

// The lines of a text, which must be requested in order.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  std::string_view line(std::size_t number) {
    for (; number_ < number && at_ < text_.size(); ++number_)
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    return text_.substr(at_, text_.find('\n', at_) - at_);
  }

 private:
  std::string_view text_;
  std::size_t number_ = 0, at_ = 0;
};

std::string_view without_indent(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t>"), line.size()));
  return line;
}

// Code outside of a fence begins on the first line of its block.
bool is_indented_code(cmark_node* block, LineReader& lines) {
  if (cmark_node_get_type(block) != CMARK_NODE_CODE_BLOCK) return false;
  const std::string_view code = cmark_node_get_literal(block);
  const std::string_view first = without_indent(code.substr(0, code.find('\n')));
  return !first.empty() && without_indent(lines.line(first_line(block))) == first;
}

// Whether a paragraph contains a footnote, not counting references.
bool has_footnote(cmark_node* paragraph) {
  if (cmark_node_get_type(paragraph) != CMARK_NODE_PARAGRAPH) return false;
  cmark_consolidate_text_nodes(paragraph);
  bool begins = true;
  for (cmark_node* node = cmark_node_first_child(paragraph); node != nullptr;
       node = cmark_node_next(node)) {
    const cmark_node_type type = cmark_node_get_type(node);
    const bool text = type == CMARK_NODE_TEXT;
    if (begins && text && stands_footnote(cmark_node_get_literal(node))) return true;
    begins = type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK;
  }
  return false;
}

bool goes_on_with_footnote(cmark_node* block, LineReader& lines) {
  return has_footnote(cmark_node_previous(block)) && is_indented_code(block, lines);
}

void find_marks(cmark_node* document) {
  const std::unique_ptr<cmark_iter, FreeIter> iter(cmark_iter_new(document));
  for (cmark_event_type event; (event = cmark_iter_next(iter.get())) != CMARK_EVENT_DONE;) {
    cmark_node* node = cmark_iter_get_node(iter.get());
    const cmark_node_type type = cmark_node_get_type(node);
    if (event == CMARK_EVENT_ENTER && type == CMARK_NODE_ITEM) find_task(node);
    // The iterator has passed the nodes that are removed.
    if (event == CMARK_EVENT_EXIT && type == CMARK_NODE_BLOCK_QUOTE) find_alert(node);
  }
}

void put_tables_and_marks(cmark_node* document, std::string_view shielded) {
  graft_tables(document, shielded);
  cmark_consolidate_text_nodes(document);
  find_marks(document);
}

// A footnote inside the rest of another one does not get a continuation.
void join_footnotes(cmark_node* document, std::string_view shielded) {
  if (find_footnote(shielded) == shielded.size()) return;
  LineReader lines(shielded);
  const std::unique_ptr<cmark_iter, FreeIter> iter(cmark_iter_new(document));
  for (cmark_event_type event; (event = cmark_iter_next(iter.get())) != CMARK_EVENT_DONE;) {
    cmark_node* block = cmark_iter_get_node(iter.get());
    if (event != CMARK_EVENT_ENTER || !goes_on_with_footnote(block, lines)) continue;
    const MarkdownTree code(block);
    const MarkdownTree rest = parse_commonmark(cmark_node_get_literal(block));
    put_tables_and_marks(rest.get(), cmark_node_get_literal(block));
    cmark_node* container = cmark_node_new(CMARK_NODE_CUSTOM_BLOCK);
    move_children(container, rest.get());
    cmark_node_replace(block, container);  // the iterator has passed it
  }
}

struct Element {
  std::string_view name, begin, end;
};
constexpr std::array kElements = {Element{"kbd", "<kbd>", "</kbd>"},
                                  Element{"sub", "<sub>", "</sub>"},
                                  Element{"sup", "<sup>", "</sup>"}};

std::string_view html_of(cmark_node* node) {
  const bool html = node != nullptr && cmark_node_get_type(node) == CMARK_NODE_HTML_INLINE;
  const char* text = html ? cmark_node_get_literal(node) : nullptr;
  return text == nullptr ? "" : text;
}

}  // namespace

void FreeNode::operator()(cmark_node* node) const noexcept {
  cmark_node_free(node);
}

ShieldedMarkdown shield_markdown(std::string_view sanitized, bool open_ended) {
  ShieldedMarkdown shielded = shield_math(shield_inner_fences(sanitized), open_ended);
  shielded.text = shield_emphasis(shield_footnotes(std::move(shielded.text)));
  return shielded;
}

MarkdownTree parse_commonmark(std::string_view text) {
  const std::unique_ptr<cmark_parser, FreeParser> parser(cmark_parser_new(CMARK_OPT_DEFAULT));
  // The empty first line keeps cmark from taking U+FEFF for a byte order mark, because the text may
  // be the middle of a longer one.
  cmark_parser_feed(parser.get(), "\n", 1);
  cmark_parser_feed(parser.get(), text.data(), text.size());
  return MarkdownTree(cmark_parser_finish(parser.get()));
}

MarkdownTree parse_markdown(std::string_view sanitized) {
  const ShieldedMarkdown shielded = shield_markdown(sanitized, false);
  MarkdownTree tree = parse_commonmark(shielded.text);
  extend(tree.get(), shielded.text);
  return tree;
}

void extend(cmark_node* document, std::string_view shielded) {
  put_tables_and_marks(document, shielded);
  join_footnotes(document, shielded);
}

std::size_t first_line(cmark_node* block) {
  return static_cast<std::size_t>(cmark_node_get_start_line(block)) - 2;
}

std::size_t last_line(cmark_node* block) {
  return static_cast<std::size_t>(cmark_node_get_end_line(block)) - 2;
}

void move_children(cmark_node* to, cmark_node* from) {
  while (cmark_node* child = cmark_node_first_child(from)) cmark_node_append_child(to, child);
}

bool goes_on_with_footnote(cmark_node* block, std::string_view shielded) {
  LineReader lines(shielded);
  return goes_on_with_footnote(block, lines);
}

bool is_rest_of_footnote(cmark_node* block) {
  return cmark_node_get_type(block) == CMARK_NODE_CUSTOM_BLOCK;
}

const Alert* alert_of(cmark_node* quote) {
  return static_cast<const Alert*>(cmark_node_get_user_data(quote));
}

bool begins_alert(std::string_view text) {
  return text.size() > 2 && std::ranges::any_of(kAlerts, [text](const Alert& alert) {
           return has_same_letters(mark_of(alert).substr(0, text.size()), text);
         });
}

Task task_of(cmark_node* item) {
  const void* mark = cmark_node_get_user_data(item);
  return mark == nullptr ? Task::none : *static_cast<const Task*>(mark);
}

bool is_line_break(std::string_view tag) {
  std::string name = lower_case(tag);
  std::erase_if(name, [](char c) { return c == ' ' || c == '/' || c == '\t' || c == '\n'; });
  return name == "<br>" && !tag.starts_with("</");
}

TextElement text_element(cmark_node* tag) {
  const std::string begin = lower_case(html_of(tag));
  const auto element = std::ranges::find(kElements, begin, &Element::begin);
  if (element == kElements.end()) return {};
  cmark_node* text = cmark_node_next(tag);
  if (text == nullptr || cmark_node_get_type(text) != CMARK_NODE_TEXT) return {};
  cmark_node* end = cmark_node_next(text);
  if (lower_case(html_of(end)) != element->end) return {};
  return {element->name, text, end};
}

std::string_view closing_tag(std::string_view text) {
  const auto element = std::ranges::find_if(
      kElements, [text](const Element& known) { return text.starts_with(known.begin); });
  return element == kElements.end() ? std::string_view() : element->end;
}

std::string_view without_open_tag(std::string_view text) {
  const std::size_t at = text.rfind('<');
  if (at == npos) return text;
  const std::string_view tag = text.substr(at);
  const auto begins = [tag](std::string_view whole) {
    return tag.size() < whole.size() && whole.starts_with(tag);
  };
  const bool open = begins("<br />") || std::ranges::any_of(kElements, [&](const Element& e) {
                      return begins(e.begin) || begins(e.end);
                    });
  return open && tag != "<br>" ? text.substr(0, at) : text;
}

}  // namespace confab::ui
