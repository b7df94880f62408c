// SPDX-License-Identifier: MIT
#include "app/attach/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "app/attach/html_entities.h"
#include "app/attach/text_encoding.h"
#include "ui/words.h"

namespace confab::app {
namespace {

constexpr std::string_view kBlank = " \t\r\n\f";
// Their content is not text, or not shown.
constexpr std::string_view kSkipped = "script style template noscript svg iframe object head";
constexpr std::string_view kOfHead = "title meta link base script style noscript template head";
// The parser of a browser sees no tags in these.
constexpr std::string_view kRaw = "script style noscript iframe title textarea";
constexpr std::string_view kParagraphs =
    "p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre hr figure form details section article "
    "header footer main nav aside address title";
constexpr std::string_view kLines =
    "div li tr dt dd br figcaption caption summary option legend fieldset thead tbody body html";

struct Tag {
  std::string name;  // in lower case
  bool closes = false;
  std::string_view attributes;
};

// The value of an attribute as it stands there; empty: there is none.
std::string_view attribute(std::string_view attributes, std::string_view wanted) {
  while (!attributes.empty()) {
    attributes.remove_prefix(
        std::min(attributes.find_first_not_of(" \t\r\n\f/"), attributes.size()));
    const std::size_t end = std::min(attributes.find_first_of(" \t\r\n\f/="), attributes.size());
    const std::string name = ui::lower_case(attributes.substr(0, end));
    attributes.remove_prefix(end);
    std::string_view value;
    if (attributes.starts_with('=')) {
      attributes.remove_prefix(1);
      const char quote = attributes.empty() ? ' ' : attributes.front();
      const bool quoted = quote == '"' || quote == '\'';
      if (quoted) attributes.remove_prefix(1);
      const std::size_t stop = std::min(
          quoted ? attributes.find(quote) : attributes.find_first_of(kBlank), attributes.size());
      value = attributes.substr(0, stop);
      attributes.remove_prefix(std::min(stop + (quoted ? 1 : 0), attributes.size()));
    }
    if (name == wanted) return value;
  }
  return {};
}

// The text that is made, with blanks as a page shows them.
class PageText {
 public:
  void add(std::string_view text, bool as_it_is) {
    for (const char c : text) {
      if (as_it_is && c != '\r') {
        if (c == '\n')
          end_line();
        else
          put(c);
      } else if (kBlank.find(c) != std::string_view::npos) {
        blank_ = blank_ || !line_.empty();
      } else {
        put(c);
      }
    }
  }
  // What stands before the first word of the next line.
  void begin_line_with(std::string mark) {
    break_line();
    mark_ = std::move(mark);
  }
  void set_indent(std::size_t n) { indent_ = n; }
  void break_line() {
    if (!line_.empty()) end_line();
  }
  void break_paragraph() {
    break_line();
    paragraph_ = !text_.empty();
  }
  std::string take() {
    break_line();
    return std::move(text_);
  }

 private:
  void put(char c) {
    if (line_.empty()) {
      if (std::exchange(paragraph_, false)) text_ += '\n';
      line_.append(indent_, ' ');
      line_ += std::exchange(mark_, {});
    } else if (blank_) {
      line_ += ' ';
    }
    blank_ = false;
    line_ += c;
  }
  void end_line() {
    line_.erase(line_.find_last_not_of(' ') + 1);
    text_ += line_;
    text_ += '\n';
    line_.clear();
    blank_ = false;
  }

  std::string text_;
  std::string line_;
  std::string mark_;
  std::size_t indent_ = 0;
  bool blank_ = false;      // comes before the next character of this line
  bool paragraph_ = false;  // an empty line comes before the next one
};

std::optional<char32_t> character_named(std::string_view name) {
  const auto entities = html_entities();
  const auto found = std::ranges::lower_bound(entities, name, {}, &HtmlEntity::name);
  if (found == entities.end() || found->name != name) return std::nullopt;
  return found->character == 0xA0 ? U' ' : found->character;
}

// Of "#233" or "#xE9". Browsers take 128 to 159 for windows-1252.
std::optional<char32_t> character_numbered(std::string_view digits) {
  digits.remove_prefix(1);
  const bool hex = digits.starts_with('x') || digits.starts_with('X');
  if (hex) digits.remove_prefix(1);
  std::uint32_t c = 0;
  const auto [end, fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), c, hex ? 16 : 10);
  if (digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
  if (fault != std::errc{} || c == 0) return 0xFFFD;
  return c == 0xA0 ? U' ' : c < 256 ? windows_1252(static_cast<unsigned char>(c)) : char32_t{c};
}

std::string decoded(std::string_view text) {
  constexpr std::size_t kMaxName = 32;
  std::string out;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('&'), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    const std::size_t end = text.substr(0, kMaxName).find(';');
    const std::string_view name = end == text.npos ? "" : text.substr(1, end - 1);
    const std::optional<char32_t> c = name.empty()            ? std::nullopt
                                      : name.starts_with('#') ? character_numbered(name)
                                                              : character_named(name);
    if (c) append_utf8(out, *c);
    if (!c) out += '&';
    text.remove_prefix(c ? end + 1 : 1);
  }
  return out;
}

class Page {
 public:
  explicit Page(std::string_view html) : rest_(html) {}

  std::string take() {
    while (!rest_.empty()) {
      const std::size_t at = std::min(rest_.find('<'), rest_.size());
      say(rest_.substr(0, at));
      rest_.remove_prefix(at);
      if (!rest_.empty()) take_markup();
    }
    return text_.take();
  }

 private:
  struct List {
    bool numbered;
    int n_items = 0;
  };

  void say(std::string_view text) {
    if (skipped_.empty() && !text.empty()) text_.add(decoded(text), n_pre_ > 0);
  }
  void drop_to(std::string_view mark) {
    const std::size_t at = rest_.find(mark);
    rest_.remove_prefix(at == rest_.npos ? rest_.size() : at + mark.size());
  }
  void take_markup() {
    if (rest_.starts_with("<!--")) return drop_to("-->");
    if (rest_.starts_with("<!") || rest_.starts_with("<?")) return drop_to(">");
    if (const auto tag = take_tag()) return take(*tag);
    say("<");
    rest_.remove_prefix(1);
  }

  // At a "<"; nullopt: it begins no tag.
  std::optional<Tag> take_tag() {
    const bool closes = rest_.starts_with("</");
    std::string_view inside = rest_.substr(closes ? 2 : 1);
    if (inside.empty() || ui::to_lower(inside[0]) < 'a' || ui::to_lower(inside[0]) > 'z')
      return std::nullopt;
    const std::size_t name_end = std::min(inside.find_first_of(" \t\r\n\f/>"), inside.size());
    std::size_t end = name_end;
    char quote = 0;
    for (; end < inside.size() && (quote != 0 || inside[end] != '>'); ++end) {
      const char c = inside[end];
      if (quote != 0 ? c == quote : (c == '"' || c == '\'') && inside[end - 1] == '=')
        quote = quote != 0 ? '\0' : c;
    }
    rest_ = inside.substr(std::min(end + 1, inside.size()));
    return Tag{ui::lower_case(inside.substr(0, name_end)), closes,
               inside.substr(name_end, end - name_end)};
  }

  void take(const Tag& tag) {
    // The end of a head is often left out: what cannot stand there ends it.
    if (skipped_ == (tag.closes ? std::string_view(tag.name) : "head") &&
        !(skipped_ == "head" && !tag.closes && ui::has_word(kOfHead, tag.name)))
      skipped_.clear();
    if (tag.name == "title" && !tag.closes && skipped_ == "head") return take_title();
    if (skipped_.empty()) show(tag);
    if (!tag.closes && ui::has_word(kRaw, tag.name)) take_raw(tag.name);
  }
  void show(const Tag& tag) {
    if (tag.closes || !ui::has_word(kSkipped, tag.name)) return lay_out(tag);
    skipped_ = tag.name;
  }
  void take_title() {
    skipped_.clear();
    text_.begin_line_with("# ");
    take_raw("title");
    text_.break_paragraph();
    skipped_ = "head";
  }
  // What the tags of this name stand around.
  void take_raw(const std::string& name) {
    std::size_t at = rest_.find("</");
    const auto is_end = [&] { return ui::lower_case(rest_.substr(at + 2, name.size())) == name; };
    while (at != rest_.npos && !is_end()) at = rest_.find("</", at + 2);
    at = std::min(at, rest_.size());
    say(rest_.substr(0, at));
    rest_.remove_prefix(at);
  }

  void lay_out(const Tag& tag) {
    const std::string& name = tag.name;
    if (ui::has_word("ul ol", name)) return take_list(tag);
    if (name == "pre") take_pre(tag);
    if (name == "br" && n_pre_ > 0)
      text_.add("\n", true);
    else if (ui::has_word(kParagraphs, name))
      text_.break_paragraph();
    else if (ui::has_word(kLines, name))
      text_.break_line();
    const bool is_heading = name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
    if (tag.closes && (is_heading || name == "li")) text_.begin_line_with("");
    if (tag.closes) return;
    if (is_heading)
      text_.begin_line_with(std::string(static_cast<std::size_t>(name[1] - '0'), '#') + ' ');
    if (name == "li") take_item();
    if (name == "tr") n_cells_ = 0;
    if (ui::has_word("td th", name) && n_cells_++ > 0) text_.add(" | ", false);
    if (name == "img") text_.add(decoded(attribute(tag.attributes, "alt")), false);
  }
  void take_pre(const Tag& tag) {
    n_pre_ = std::max(0, n_pre_ + (tag.closes ? -1 : 1));
    for (const char end : {'\r', '\n'})
      if (!tag.closes && rest_.starts_with(end)) rest_.remove_prefix(1);
  }
  void take_list(const Tag& tag) {
    constexpr std::size_t kMaxIndented = 8;
    if (lists_.empty() || (tag.closes && lists_.size() == 1))
      text_.break_paragraph();
    else
      text_.break_line();
    if (!tag.closes)
      lists_.push_back({tag.name == "ol"});
    else if (!lists_.empty())
      lists_.pop_back();
    const std::size_t depth = lists_.empty() ? 0 : lists_.size() - 1;
    text_.set_indent(2 * std::min(depth, kMaxIndented));
  }
  void take_item() {
    if (!lists_.empty() && lists_.back().numbered)
      return text_.begin_line_with(fmt::format("{}. ", ++lists_.back().n_items));
    text_.begin_line_with("- ");
  }

  std::string_view rest_;
  PageText text_;
  std::string skipped_;  // the element that is left out; empty: none
  std::vector<List> lists_;
  int n_pre_ = 0;
  int n_cells_ = 0;  // of the row
};

}  // namespace

std::string html_text(std::string_view html) {
  return Page(html).take();
}

}  // namespace confab::app
