// SPDX-License-Identifier: MIT
// Random expressions over a few letters, with a matcher that tries every way to read a text: what a
// RegexSet is compared with.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/constrain/regex.h"

namespace confab::engine {

// The letters of the expressions, and one that stands for all other bytes.
inline constexpr std::string_view kLetters = "abcx";

struct Expression {
  enum class Kind { letters, empty, concat, either, both, negation, repeat };
  Kind kind = Kind::empty;
  std::string letters = {};
  std::vector<Expression> parts = {};
  int min = 0, max = 0;  // repeat; max: RegexSet::kNoLimit
};

// Where a text may end that begins at `from`: [text.size() + 1].
using Ends = std::vector<bool>;

inline Ends ends_of(const Expression& of, std::string_view text, std::size_t from);

inline Ends ends_after(const Expression& of, std::string_view text, const Ends& starts) {
  Ends all(text.size() + 1);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (!starts[i]) continue;
    const Ends ends = ends_of(of, text, i);
    for (std::size_t j = 0; j < ends.size(); ++j) all[j] = all[j] || ends[j];
  }
  return all;
}

inline Ends ends_of_repeat(const Expression& of, std::string_view text, std::size_t from) {
  // More rounds than the text has bytes change nothing.
  const int most = of.min + static_cast<int>(text.size()) + 1;
  const int max = of.max == RegexSet::kNoLimit ? most : std::min(of.max, most);
  Ends now(text.size() + 1), all(text.size() + 1);
  now[from] = true;
  for (int i = 0; i <= max; ++i) {
    for (std::size_t j = 0; i >= of.min && j < now.size(); ++j) all[j] = all[j] || now[j];
    now = ends_after(of.parts[0], text, now);
  }
  return all;
}

inline Ends ends_of(const Expression& of, std::string_view text, std::size_t from) {
  using Kind = Expression::Kind;
  Ends ends(text.size() + 1, of.kind == Kind::both);
  switch (of.kind) {
    case Kind::letters:
      if (from < text.size() && of.letters.find(text[from]) != std::string::npos)
        ends[from + 1] = true;
      return ends;
    case Kind::empty:
      ends[from] = true;
      return ends;
    case Kind::concat:
      ends[from] = true;
      for (const Expression& part : of.parts) ends = ends_after(part, text, ends);
      return ends;
    case Kind::repeat:
      return ends_of_repeat(of, text, from);
    case Kind::negation: {
      const Ends inside = ends_of(of.parts[0], text, from);
      for (std::size_t i = from; i < ends.size(); ++i) ends[i] = !inside[i];
      return ends;
    }
    case Kind::either:
    case Kind::both:
      break;
  }
  for (const Expression& part : of.parts) {
    const Ends one = ends_of(part, text, from);
    for (std::size_t i = 0; i < ends.size(); ++i)
      ends[i] = of.kind == Kind::both ? ends[i] && one[i] : ends[i] || one[i];
  }
  return ends;
}

inline bool matches(const Expression& of, std::string_view text) {
  return ends_of(of, text, 0)[text.size()];
}

inline RegexId made(RegexSet& regexes, const Expression& of) {
  using Kind = Expression::Kind;
  std::vector<RegexId> parts;
  for (const Expression& part : of.parts) parts.push_back(made(regexes, part));
  switch (of.kind) {
    case Kind::letters: {
      ByteSet set;
      for (const char c : of.letters) set.add(static_cast<std::uint8_t>(c));
      return regexes.bytes(set);
    }
    case Kind::empty:
      return RegexSet::kEmpty;
    case Kind::concat: {
      RegexId all = RegexSet::kEmpty;
      for (const RegexId part : parts) all = regexes.concat(all, part);
      return all;
    }
    case Kind::either:
      return regexes.either(parts);
    case Kind::both:
      return regexes.both(parts);
    case Kind::negation:
      return regexes.negation(parts[0]);
    case Kind::repeat:
      break;
  }
  return regexes.repeat(parts[0], of.min, of.max);
}

struct ExpressionRules {
  bool has_sets = true;  // intersections and complements
  int longest_repeat = 3;
};

inline Expression random_expression(std::mt19937& rng, int depth, const ExpressionRules& rules) {
  using Kind = Expression::Kind;
  const auto below = [&](unsigned n) { return static_cast<int>(rng() % n); };
  if (depth == 0 || below(8) == 0) {
    Expression one{.kind = below(8) == 0 ? Kind::empty : Kind::letters};
    for (const char c : std::string_view("abc"))
      if (below(3) == 0) one.letters += c;
    return one;
  }
  const Kind kinds[] = {Kind::concat, Kind::concat, Kind::either,
                        Kind::repeat, Kind::both,   Kind::negation};
  Expression one{.kind = kinds[below(rules.has_sets ? 6 : 4)]};
  const bool has_one_part = one.kind == Kind::repeat || one.kind == Kind::negation;
  for (int n = has_one_part ? 1 : 2 + below(2); n > 0; --n)
    one.parts.push_back(random_expression(rng, depth - 1, rules));
  one.min = below(3);
  one.max = below(2) == 0
                ? RegexSet::kNoLimit
                : one.min + below(static_cast<unsigned>(std::max(1, rules.longest_repeat)));
  return one;
}

// Every text of at most so many of the letters.
inline std::vector<std::string> texts_up_to(std::size_t n_bytes) {
  std::vector<std::string> all{""};
  for (std::size_t i = 0; i < all.size() && all[i].size() < n_bytes; ++i)
    for (const char c : kLetters) all.push_back(all[i] + c);
  return all;
}

}  // namespace confab::engine
