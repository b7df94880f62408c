// SPDX-License-Identifier: MIT
#include "engine/constrain/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/constrain/characters.h"
#include "engine/constrain/pattern_text.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr int kMaxTimes = 100'000;

// A part of a sequence. `ahead` and `not_ahead` look at everything that follows.
struct Item {
  enum class Kind { text, begin, end, ahead, not_ahead };
  Kind kind;
  RegexId id = RegexSet::kEmpty;
};
using Sequence = std::vector<Item>;

// In a JSON string the anchors ^ and $ are the quotation marks, because no plain quotation mark can
// occur inside.
class PatternParser {
 public:
  PatternParser(RegexSet& regexes, std::string_view pattern, TextForm form)
      : regexes_(regexes), text_(pattern), form_(form) {
    any_ = regexes_.repeat(characters(regexes_, CharacterSet{}.complement(), form), 0,
                           RegexSet::kNoLimit);
    quote_ = regexes_.literal("\"");
  }

  RegexId parse() {
    std::vector<RegexId> found;
    do {
      n_anchors_ = 0;
      const Sequence sequence = parse_sequence(0);
      found.push_back(form_ == TextForm::json ? json_string(sequence) : whole_text(sequence));
    } while (text_.take('|'));
    if (!text_.at_end()) text_.fail("')' without '('");
    return regexes_.either(std::move(found));
  }

 private:
  Sequence parse_sequence(int depth) {
    Sequence items;
    while (!text_.at_end() && text_.peek() != '|' && text_.peek() != ')') {
      Item item = parse_item(depth);
      if (item.kind == Item::Kind::text) item.id = parse_times(item.id);
      items.push_back(item);
    }
    return items;
  }

  Item parse_item(int depth) {
    if (text_.take('^')) return {Item::Kind::begin};
    if (text_.take('$')) return {Item::Kind::end};
    if (text_.take("(?=")) return {Item::Kind::ahead, parse_group(depth)};
    if (text_.take("(?!")) return {Item::Kind::not_ahead, parse_group(depth)};
    if (text_.take('(')) {
      skip_group_name();
      return {Item::Kind::text, parse_group(depth)};
    }
    if (text_.peek() == '*' || text_.peek() == '+' || text_.peek() == '?')
      text_.fail(fmt::format("nothing before '{}' that it could repeat", text_.peek()));
    return {Item::Kind::text, characters(regexes_, parse_character_set(text_), form_)};
  }

  void skip_group_name() {
    if (text_.take("?:")) return;
    if (!text_.take('?')) return;
    if (!text_.take('<') && !text_.take("P<")) text_.fail("a group that is not supported");
    if (text_.at_end() || text_.peek() == '=' || text_.peek() == '!')
      text_.fail("looking behind is not supported");
    while (!text_.at_end() && text_.peek() != '>') text_.next();
    if (!text_.take('>')) text_.fail("a group's name without '>'");
  }

  RegexId parse_group(int depth) {
    if (depth >= Effort::kMaxDepth) text_.fail("groups are nested too deeply");
    std::vector<RegexId> found;
    do found.push_back(joined(parse_sequence(depth + 1)));
    while (text_.take('|'));
    if (!text_.take(')')) text_.fail("'(' without ')'");
    return regexes_.either(std::move(found));
  }

  // The contents of a group. Its anchors become quotation marks, which json_string() sorts out.
  RegexId joined(const Sequence& sequence) {
    RegexId all = RegexSet::kEmpty;
    for (auto item = sequence.rbegin(); item != sequence.rend(); ++item) {
      if (item->kind == Item::Kind::ahead || item->kind == Item::Kind::not_ahead)
        text_.fail("looking ahead inside a group is not supported");
      const bool is_anchor = item->kind != Item::Kind::text;
      if (is_anchor && form_ == TextForm::plain) text_.fail("^ or $ inside is not supported");
      if (is_anchor) ++n_anchors_;
      all = regexes_.concat(is_anchor ? quote_ : item->id, all);
    }
    return all;
  }

  RegexId parse_times(RegexId id) {
    for (;;) {
      int min = 0, max = RegexSet::kNoLimit;
      if (text_.take('+')) {
        min = 1;
      } else if (text_.take('?')) {
        max = 1;
      } else if (!text_.take('*') && !take_braces(min, max)) {
        return id;
      }
      text_.take('?');  // a lazy repetition matches the same texts
      id = regexes_.repeat(id, min, max);
      if (regexes_.nesting(id) > RegexSet::kMaxWrittenNesting)
        text_.fail("repetitions and alternatives are nested too deeply");
    }
  }

  // Reads {2}, {2,} or {2,5}. A brace that begins none of these is a character.
  bool take_braces(int& min, int& max) {
    const std::size_t at = text_.offset();
    const auto give_back = [&] {
      text_.back_to(at);
      return false;
    };
    if (!text_.take('{')) return false;
    const std::optional<int> first = text_.take_number(kMaxTimes);
    if (!first) return give_back();
    min = max = *first;
    if (text_.take(',')) max = text_.take_number(kMaxTimes).value_or(RegexSet::kNoLimit);
    if (!text_.take('}')) return give_back();
    if (max != RegexSet::kNoLimit && max < min) text_.fail("the numbers in {} are out of order");
    return true;
  }

  // The sequence as a whole text. Anchors at its ends change nothing.
  RegexId whole_text(Sequence sequence) {
    trim(sequence);
    return followed_by(sequence, RegexSet::kEmpty, any_);
  }

  struct Anchors {
    bool begin = false;
    bool end = false;
  };
  static Anchors trim(Sequence& sequence) {
    Anchors found;
    const auto first = std::ranges::find_if(
        sequence, [](const Item& item) { return item.kind != Item::Kind::begin; });
    found.begin = first != sequence.begin();
    sequence.erase(sequence.begin(), first);
    while (!sequence.empty() && sequence.back().kind == Item::Kind::end) {
      found.end = true;
      sequence.pop_back();
    }
    return found;
  }

  RegexId json_string(Sequence sequence) {
    const auto [begins, ends] = trim(sequence);
    const RegexId rest = regexes_.concat(any_, quote_), start = regexes_.concat(quote_, any_);
    const bool odd = n_anchors_ > 0 || std::ranges::any_of(sequence, [](const Item& item) {
                       return item.kind == Item::Kind::begin || item.kind == Item::Kind::end;
                     });
    // The quotation marks may have been read by anchors inside.
    const RegexId end = ends ? quote_ : rest, begin = begins ? quote_ : start;
    const RegexId tail = odd ? regexes_.optional(end) : end;
    const RegexId head = odd ? regexes_.optional(begin) : begin;
    const RegexId all = regexes_.concat(head, followed_by(sequence, tail, rest));
    return odd ? regexes_.both({all, regexes_.concat({quote_, any_, quote_})}) : all;
  }

  // The sequence, then the tail. A lookahead sees everything up to the end; `rest` may follow what
  // it looks for.
  RegexId followed_by(const Sequence& sequence, RegexId tail, RegexId rest) {
    for (auto item = sequence.rbegin(); item != sequence.rend(); ++item) {
      switch (item->kind) {
        case Item::Kind::text:
          tail = regexes_.concat(item->id, tail);
          break;
        case Item::Kind::begin:
        case Item::Kind::end:
          if (form_ == TextForm::plain) text_.fail("^ or $ inside is not supported");
          tail = regexes_.concat(quote_, tail);
          break;
        case Item::Kind::ahead:
        case Item::Kind::not_ahead: {
          const RegexId seen = regexes_.concat(item->id, regexes_.optional(rest));
          const bool is_wanted = item->kind == Item::Kind::ahead;
          tail = regexes_.both({is_wanted ? seen : regexes_.negation(seen), tail});
          break;
        }
      }
    }
    return tail;
  }

  RegexSet& regexes_;
  PatternText text_;
  TextForm form_;
  RegexId any_ = 0;
  RegexId quote_ = 0;
  int n_anchors_ = 0;  // anchors inside groups of the current sequence
};

}  // namespace

RegexId parse_pattern(RegexSet& regexes, std::string_view pattern) {
  regexes.effort().begin();
  return PatternParser(regexes, pattern, TextForm::plain).parse();
}

RegexId parse_json_pattern(RegexSet& regexes, std::string_view pattern) {
  return PatternParser(regexes, pattern, TextForm::json).parse();
}

}  // namespace confab::engine
