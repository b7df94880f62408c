// SPDX-License-Identifier: MIT
#include "engine/constrain/gbnf_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/constrain/characters.h"
#include "engine/constrain/pattern_text.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr int kMaxTimes = 100'000;
constexpr int kMaxStacked = 3;  // "a"?+{2}: with parentheses they make more
constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

class GbnfReader {
 public:
  GbnfReader(RegexSet& regexes, std::string_view text)
      : regexes_(regexes), source_(text), text_(text, PatternText::Kind::grammar) {}

  std::vector<GbnfRule> read() {
    if (source_.size() > kMaxBytes) throw ModelError("grammar: larger than 1 MiB");
    for (skip_space(true); !text_.at_end(); skip_space(true)) read_rule();
    const auto root = std::ranges::find(rules_, "root", &GbnfRule::name);
    if (root == rules_.end() || !root->is_defined)
      throw ModelError("grammar: there is no rule called 'root'");
    for (const GbnfRule& rule : rules_)
      if (!rule.is_defined)
        throw ModelError(fmt::format("grammar: line {}: there is no rule called '{}'", rule.line,
                                     printable(rule.name)));
    return std::move(rules_);
  }

 private:
  void read_rule() {
    const int number = rule_number(read_name());
    if (at(number).is_defined)
      fail(fmt::format("rule '{}' is there twice", printable(at(number).name)));
    at(number).is_defined = true;
    skip_space(false);
    if (!text_.take("::=")) fail("'::=' expected after the name of a rule");
    GbnfPart part = read_choice(0);
    skip_space(false);
    if (!text_.at_end() && text_.peek() != '\n' && text_.peek() != '\r')
      fail(fmt::format("'{}' is not expected here", text_.peek()));
    at(number).part = std::move(part);
  }

  // Inside parentheses, and after |, a new line does not end the rule.
  GbnfPart read_choice(int depth) {
    if (depth > Effort::kMaxDepth) fail("parentheses are nested too deeply");
    GbnfPart choice{GbnfPart::Kind::choice};
    skip_space(true);
    for (;;) {
      choice.parts.push_back(read_sequence(depth));
      if (!text_.take('|')) break;
      skip_space(true);
    }
    return choice.parts.size() == 1 ? std::move(choice.parts.front()) : std::move(choice);
  }

  GbnfPart read_sequence(int depth) {
    GbnfPart sequence{GbnfPart::Kind::sequence};
    for (skip_space(depth > 0);; skip_space(depth > 0)) {
      const char c = text_.peek();
      if (text_.at_end() || c == '|' || c == ')' || c == '\n' || c == '\r') return sequence;
      sequence.parts.push_back(read_times(read_part(depth)));
    }
  }

  GbnfPart read_part(int depth) {
    if (text_.take('"')) return text(read_quoted());
    if (text_.take('[')) return text(read_class());
    if (text_.take('.')) return text(one_of(CharacterSet{}.complement()));
    if (text_.take('(')) {
      GbnfPart inside = read_choice(depth + 1);
      skip_space(true);
      if (!text_.take(')')) fail("'(' without ')'");
      return inside;
    }
    if (text_.peek() == '<' || text_.peek() == '!') fail("tokens by their names are not supported");
    if (!is_name_character(text_.peek()))
      fail(fmt::format("'{}' is not expected here", printable(std::string(1, text_.peek()))));
    GbnfPart part{GbnfPart::Kind::rule};
    part.rule = rule_number(read_name());
    return part;
  }

  static GbnfPart text(RegexId id) { return {.kind = GbnfPart::Kind::text, .text = id}; }
  RegexId one_of(const CharacterSet& set) { return characters(regexes_, set, TextForm::plain); }

  RegexId read_quoted() {
    RegexId all = RegexSet::kEmpty;
    std::vector<RegexId> parts;
    while (!text_.take('"')) {
      const char32_t c = read_character();
      parts.push_back(one_of({{c, c}}));
    }
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      all = regexes_.concat(*part, all);
    return all;
  }

  RegexId read_class() {
    const bool is_negated = text_.take('^');
    CharacterSet set;
    while (!text_.take(']')) {
      const char32_t first = read_character();
      char32_t last = first;
      const std::size_t before = text_.offset();
      if (text_.take('-')) {
        if (text_.peek() == ']')
          text_.back_to(before);
        else
          last = read_character();
      }
      if (last < first) fail("a range in [] is out of order");
      set.add(first, last);
      if (text_.peek() == '-' && last == first && text_.offset() == before) {
        text_.take('-');
        set.add('-', '-');
      }
    }
    return one_of(is_negated ? set.complement() : set);
  }

  // A character or an escape, in quotation marks or brackets.
  char32_t read_character() {
    if (text_.at_end() || text_.peek() == '\n')
      fail("the line ends inside quotation marks or brackets");
    const char32_t c = text_.next();
    if (c != '\\') return c;
    switch (const char32_t escape = text_.next(); escape) {
      case 'n':
        return U'\n';
      case 'r':
        return U'\r';
      case 't':
        return U'\t';
      case 'x':
        return text_.take_hex(2);
      case 'u':
        return text_.take_hex(4);
      case 'U':
        return text_.take_hex(8);
      case '\\':
      case '"':
      case '[':
      case ']':
      case '-':
      case '^':
      case '/':
      case '.':
        return escape;
      default:
        fail("an escape that is not known");
    }
  }

  GbnfPart read_times(GbnfPart part) {
    for (int depth = 0;; ++depth) {
      if (depth > kMaxStacked) fail("too many repetitions of repetitions");
      int min = 0, max = RegexSet::kNoLimit;
      if (text_.take('+')) {
        min = 1;
      } else if (text_.take('?')) {
        max = 1;
      } else if (text_.take('{')) {
        read_braces(min, max);
      } else if (!text_.take('*')) {
        return part;
      }
      GbnfPart repeat{.kind = GbnfPart::Kind::repeat, .parts = {}, .min = min, .max = max};
      repeat.parts.push_back(std::move(part));
      part = std::move(repeat);
    }
  }

  void read_braces(int& min, int& max) {
    skip_space(true);
    const auto first = text_.take_number(kMaxTimes);
    min = max = first.value_or(0);
    skip_space(true);
    const bool is_range = text_.take(',');
    skip_space(true);
    if (is_range) max = text_.take_number(kMaxTimes).value_or(RegexSet::kNoLimit);
    skip_space(true);
    if ((!first && !is_range) || !text_.take('}')) fail("{m}, {m,} or {m,n} expected");
    if (max != RegexSet::kNoLimit && max < min) fail("the numbers in {} are out of order");
  }

  std::string read_name() {
    std::string name;
    while (is_name_character(text_.peek())) name += static_cast<char>(text_.next());
    if (name.empty()) fail("the name of a rule expected");
    return name;
  }

  int rule_number(const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace(name, static_cast<int>(rules_.size()));
    if (is_new) rules_.push_back({name, line()});
    return at->second;
  }
  // Counted on from the last time.
  int line() {
    const std::string_view since = source_.substr(counted_, text_.offset() - counted_);
    line_ += static_cast<int>(std::ranges::count(since, '\n'));
    counted_ += since.size();
    return line_;
  }
  GbnfRule& at(int number) { return rules_[static_cast<std::size_t>(number)]; }

  void skip_space(bool and_lines) {
    for (;;) {
      const char c = text_.peek();
      if (c == '#')
        while (!text_.at_end() && text_.peek() != '\n') text_.back_to(text_.offset() + 1);
      else if (c == ' ' || c == '\t' || (and_lines && (c == '\n' || c == '\r')))
        text_.take(c);
      else
        return;
    }
  }

  [[noreturn]] void fail(std::string_view fault) const { text_.fail(fault); }

  RegexSet& regexes_;
  std::string_view source_;
  PatternText text_;
  std::vector<GbnfRule> rules_;
  std::size_t counted_ = 0;  // of the text, whose lines are in line_
  int line_ = 1;
  std::unordered_map<std::string, int> numbers_;  // by their names
};

}  // namespace

std::vector<GbnfRule> read_gbnf_rules(RegexSet& regexes, std::string_view text) {
  return GbnfReader(regexes, text).read();
}

}  // namespace confab::engine
