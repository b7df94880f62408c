// SPDX-License-Identifier: MIT
#include "ui/code/markup_scanner.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "ui/code/code_marks.h"
#include "ui/code/language.h"
#include "ui/words.h"

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;

// What begins with its own mark and ends with another, tags apart; the first that fits counts.
struct Section {
  std::string_view open;
  std::string_view close;
  Role role;
};
constexpr std::array<Section, 4> kSections = {{{"<!--", "-->", Role::code_comment},
                                               {"<![CDATA[", "]]>", Role::code_string},
                                               {"<?", "?>", Role::code_meta},
                                               {"<!", ">", Role::code_meta}}};

bool is_tag_char(char c) {
  return is_name_char(c) || c == '-' || c == ':' || c == '.';
}

class Scanner {
 public:
  Scanner(MarkupState& state, std::string_view line, SpanWriter& out)
      : state_(state), line_(line), out_(out) {}

  void run() {
    while (at_ < line_.size() || state_.embedded != nullptr) {
      if (state_.embedded != nullptr) {
        if (!code()) return;
      } else if (!state_.close.empty()) {
        section();
      } else if (state_.quote != 0) {
        value();
      } else if (state_.in_tag) {
        in_tag();
      } else {
        text();
      }
    }
  }

 private:
  void take(std::size_t end, Role role) {
    at_ = std::min(end, line_.size());
    out_.put(at_, role);
  }
  std::string_view rest() const { return line_.substr(at_); }
  char at(std::size_t index) const { return index < line_.size() ? line_[index] : '\0'; }
  std::size_t name_end(std::size_t from) const {
    while (is_tag_char(at(from))) ++from;
    return from;
  }

  // True when the code has ended.
  bool code() {
    const std::string end_tag = "</" + state_.element;
    const auto found =
        std::search(line_.begin() + static_cast<std::ptrdiff_t>(at_), line_.end(), end_tag.begin(),
                    end_tag.end(), [](char a, char b) { return to_lower(a) == b; });
    const auto end = static_cast<std::size_t>(found - line_.begin());
    scan_code(*state_.embedded, state_.code, line_, at_, end, out_);
    at_ = end;
    if (found == line_.end()) return false;
    state_.embedded = nullptr;
    state_.element.clear();
    state_.code = {};
    return true;
  }

  void section() {
    const std::size_t close = line_.find(state_.close, at_);
    take(close == npos ? npos : close + state_.close.size(), state_.close_role);
    if (close != npos) state_.close = {};
  }

  void value() {
    const std::size_t close = line_.find(state_.quote, at_);
    take(close == npos ? npos : close + 1, Role::code_string);
    if (close != npos) state_.quote = 0;
  }

  void in_tag() {
    const char c = line_[at_];
    if (c == '"' || c == '\'') {
      state_.quote = c;
      ++at_;
      if (at_ == line_.size()) out_.put(at_, Role::code_string);
    } else if (c == '>') {
      take(at_ + 1, Role::code_keyword);
      state_.in_tag = false;
      if (!state_.element.empty())
        state_.embedded = find_language(state_.element == "style" ? "css" : "javascript");
    } else if (is_tag_char(c)) {
      const bool value = at_ > 0 && line_[at_ - 1] == '=';
      take(name_end(at_), value ? Role::code_string : Role::code_type);
    } else {
      if (c == '/' && at(at_ + 1) == '>') state_.element.clear();
      take(at_ + 1, Role::code_block);
    }
  }

  void text() {
    if (rest().starts_with('&') && entity()) return;
    if (!rest().starts_with('<')) return take(line_.find_first_of("<&", at_ + 1), Role::code_block);
    for (const Section& each : kSections) {
      if (!rest().starts_with(each.open)) continue;
      state_.close = each.close;
      state_.close_role = each.role;
      return take(at_ + each.open.size(), each.role);
    }
    tag();
  }

  bool entity() {
    constexpr std::size_t kMaxEntityBytes = 32;
    const std::size_t end = rest().substr(0, kMaxEntityBytes).find_first_of("; <", 1);
    if (end == npos || end == 1 || rest()[end] != ';') return false;
    take(at_ + end + 1, Role::code_number);
    return true;
  }

  void tag() {
    const bool closing = at(at_ + 1) == '/';
    const std::size_t name = at_ + (closing ? 2 : 1);
    if (!is_tag_char(at(name)) || is_digit(at(name))) return take(at_ + 1, Role::code_block);
    const std::size_t end = name_end(name);
    const std::string element =
        lower_case(line_.substr(name, std::min<std::size_t>(end - name, 8)));
    state_.element.clear();
    if (!closing && (element == "script" || element == "style")) state_.element = element;
    state_.in_tag = true;
    take(end, Role::code_keyword);
  }

  MarkupState& state_;
  std::string_view line_;
  std::size_t at_ = 0;
  SpanWriter& out_;
};

}  // namespace

void scan_markup(MarkupState& state, std::string_view line, SpanWriter& out) {
  Scanner(state, line, out).run();
}

}  // namespace confab::ui
