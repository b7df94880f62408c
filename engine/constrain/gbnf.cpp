// SPDX-License-Identifier: MIT
#include "engine/constrain/gbnf.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "engine/constrain/characters.h"
#include "engine/constrain/components.h"
#include "engine/constrain/pattern_text.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr int kMaxTimes = 100'000;
constexpr int kMaxStacked = 3;  // "a"?+{2} has three; parentheses allow more
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

  // Inside parentheses and after |, a new line does not end the rule.
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

  // Reads a character or an escape inside quotation marks or brackets.
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
  // Counts on from the last call.
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
  std::size_t counted_ = 0;  // bytes of the source whose lines are counted in line_
  int line_ = 1;
  std::unordered_map<std::string, int> numbers_;  // rule numbers by name
};

using Kind = GbnfPart::Kind;

// Rules that are not recursive become regular expressions, and so does everything made only of
// them. The rest becomes states.
class GbnfBuilder {
 public:
  GbnfBuilder(RegexSet& regexes, std::vector<GbnfRule> rules)
      : regexes_(regexes),
        rules_(std::move(rules)),
        grammar_(std::make_unique<StaticGrammar>(regexes)) {}

  std::unique_ptr<Grammar> build() {
    find_regular();
    begins_.resize(rules_.size(), -1);
    const auto root = std::ranges::find(rules_, "root", &GbnfRule::name) - rules_.begin();
    grammar_->set_start(begin_of(static_cast<int>(root)));
    while (!open_.empty()) {
      const int rule = open_.back();
      open_.pop_back();
      const StateId end = grammar_->add({});
      const StateId begin = add(at(rule).part, end);
      grammar_->set(begins_[index(rule)], {GrammarState::Kind::fork, 0, {begin}});
    }
    check();
    return std::move(grammar_);
  }

 private:
  static std::size_t index(int rule) { return static_cast<std::size_t>(rule); }
  const GbnfRule& at(int rule) const { return rules_[index(rule)]; }

  void check() {
    if (const auto state = grammar_->find_left_recursion()) {
      // The rule at fault is the one called in this state.
      const StateId called = grammar_->state(*state).next[0];
      const auto rule = std::ranges::find(begins_, called) - begins_.begin();
      throw ModelError(fmt::format("grammar: rule '{}' begins with itself (left recursion)",
                                   printable(rules_[static_cast<std::size_t>(rule)].name)));
    }
    if (!grammar_->drop_dead_ends()) throw ModelError("grammar: no text fits it");
  }

  void named_in(const GbnfPart& part, std::vector<int>& rules) const {
    if (part.kind == Kind::rule) rules.push_back(part.rule);
    for (const GbnfPart& inside : part.parts) named_in(inside, rules);
  }

  // Visits each rule after the rules that it names. A recursive rule is not regular, and neither is
  // a rule that names one that is not.
  void find_regular() {
    std::vector<std::vector<int>> named(rules_.size());
    for (std::size_t i = 0; i < rules_.size(); ++i) named_in(rules_[i].part, named[i]);
    const Components components = find_components(named);
    std::vector<int> order(rules_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](int rule) { return components.of[index(rule)]; });
    is_regular_.assign(rules_.size(), false);
    texts_.assign(rules_.size(), RegexSet::kNothing);
    for (const int rule : order) {
      is_regular_[index(rule)] = !components.in_cycle(rule) && is_regular(at(rule).part);
      if (is_regular_[index(rule)]) texts_[index(rule)] = text_of(at(rule));
    }
  }

  RegexId text_of(const GbnfRule& rule) {
    try {
      const RegexId text = text_of(rule.part);
      if (regexes_.nesting(text) <= RegexSet::kMaxWrittenNesting) return text;
    } catch (const FullRegexSet&) {  // another set may have room
      throw;
    } catch (const ModelError& fault) {
      throw ModelError(fmt::format("grammar: line {}: rule '{}': {}", rule.line,
                                   printable(rule.name), fault.what()));
    }
    throw ModelError(fmt::format("grammar: line {}: rule '{}': it is nested too deeply", rule.line,
                                 printable(rule.name)));
  }

  bool is_regular(const GbnfPart& part) const {
    if (part.kind == Kind::rule) return is_regular_[index(part.rule)];
    return std::ranges::all_of(part.parts, [this](const GbnfPart& p) { return is_regular(p); });
  }

  RegexId text_of(const GbnfPart& part) {
    std::vector<RegexId> texts;
    for (const GbnfPart& inside : part.parts) texts.push_back(text_of(inside));
    switch (part.kind) {
      case Kind::text:
        return part.text;
      case Kind::rule:
        return texts_[index(part.rule)];
      case Kind::choice:
        return regexes_.either(std::move(texts));
      case Kind::repeat:
        return regexes_.repeat(texts.front(), part.min, part.max);
      case Kind::sequence:
        break;
    }
    RegexId all = RegexSet::kEmpty;
    for (auto text = texts.rbegin(); text != texts.rend(); ++text)
      all = regexes_.concat(*text, all);
    return all;
  }

  StateId begin_of(int rule) {
    StateId& begin = begins_[index(rule)];
    if (begin >= 0) return begin;
    begin = grammar_->add({});
    open_.push_back(rule);
    return begin;
  }

  StateId scan(RegexId text, StateId next) {
    if (text == RegexSet::kEmpty) return next;
    return grammar_->add(
        {GrammarState::Kind::scan, regexes_.concat(text, regexes_.tag(0)), {next}});
  }

  // The start state of a part that continues at `next`.
  StateId add(const GbnfPart& part, StateId next) {
    if (is_regular(part)) return scan(text_of(part), next);
    switch (part.kind) {
      case Kind::rule:
        return grammar_->add({GrammarState::Kind::call, 0, {begin_of(part.rule), next}});
      case Kind::sequence:
        return add_sequence(part.parts, next);
      case Kind::repeat:
        return add_repeat(part, next);
      default:
        break;
    }
    GrammarState fork{GrammarState::Kind::fork, 0, {}};
    for (const GbnfPart& inside : part.parts) fork.next.push_back(add(inside, next));
    return grammar_->add(std::move(fork));
  }

  // Adjacent regular parts become one terminal.
  StateId add_sequence(const std::vector<GbnfPart>& parts, StateId next) {
    RegexId text = RegexSet::kEmpty;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      if (is_regular(*part)) {
        text = regexes_.concat(text_of(*part), text);
        continue;
      }
      next = add(*part, scan(std::exchange(text, RegexSet::kEmpty), next));
    }
    return scan(text, next);
  }

  StateId add_repeat(const GbnfPart& part, StateId next) {
    const GbnfPart& inside = part.parts.front();
    if (part.max == RegexSet::kNoLimit) {
      const StateId loop = grammar_->add({});
      grammar_->set(loop, {GrammarState::Kind::fork, 0, {add(inside, loop), next}});
      next = loop;
    }
    const StateId rest = next;
    for (int i = part.min; i < part.max; ++i)
      next = grammar_->add({GrammarState::Kind::fork, 0, {add(inside, next), rest}});
    for (int i = 0; i < part.min; ++i) next = add(inside, next);
    return next;
  }

  RegexSet& regexes_;
  std::vector<GbnfRule> rules_;
  std::unique_ptr<StaticGrammar> grammar_;
  std::vector<bool> is_regular_;
  std::vector<RegexId> texts_;   // [rules] of the regular rules
  std::vector<StateId> begins_;  // [rules] of the others; -1 if not needed so far
  std::vector<int> open_;        // rules whose states are still to be made
};

}  // namespace

std::vector<GbnfRule> read_gbnf_rules(RegexSet& regexes, std::string_view text) {
  return GbnfReader(regexes, text).read();
}

std::unique_ptr<Grammar> parse_gbnf(RegexSet& regexes, std::string_view text) {
  regexes.effort().begin();
  return GbnfBuilder(regexes, read_gbnf_rules(regexes, text)).build();
}

}  // namespace confab::engine
