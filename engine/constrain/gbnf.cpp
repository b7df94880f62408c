// SPDX-License-Identifier: MIT
#include "engine/constrain/gbnf.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/constrain/components.h"
#include "engine/constrain/gbnf_rules.h"
#include "engine/constrain/static_grammar.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

using Kind = GbnfPart::Kind;

// Rules that do not come back to themselves are regular expressions, and so is all that is made of
// them; the rest are states.
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
      // The rule is the one that is called there.
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

  // Rules in an order in which each comes after those that it names. One that comes back to itself
  // is not regular, nor is what names one that is not.
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

  // The state in which the part begins that goes on at `next`.
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

  // Neighbours that are regular are one terminal.
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
  std::vector<RegexId> texts_;   // of the regular ones
  std::vector<StateId> begins_;  // of the others; -1: not asked for
  std::vector<int> open_;        // rules whose states are to be made
};

}  // namespace

std::unique_ptr<Grammar> parse_gbnf(RegexSet& regexes, std::string_view text) {
  regexes.effort().begin();
  return GbnfBuilder(regexes, read_gbnf_rules(regexes, text)).build();
}

}  // namespace confab::engine
