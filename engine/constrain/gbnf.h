// SPDX-License-Identifier: MIT
// Reads grammars in GBNF, the notation of llama.cpp (see its grammars/README.md). A rule is written
// `name ::= ...` and made of quoted texts, character classes, rule names, parentheses, | and
// repetitions: the signs * + ? and {m} {m,} {m,n}. Comments follow #. The rule `root` is the
// answer.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/constrain/grammar.h"
#include "engine/constrain/regex.h"

namespace confab::engine {

// A part of a rule as it is written.
struct GbnfPart {
  enum class Kind { text, rule, sequence, choice, repeat };
  Kind kind;
  RegexId text = RegexSet::kEmpty;   // text
  int rule = 0;                      // rule: its number
  std::vector<GbnfPart> parts = {};  // sequence, choice; one for repeat
  int min = 0, max = 0;              // repeat
};

struct GbnfRule {
  std::string name;
  int line = 0;  // where the rule is first named
  bool is_defined = false;
  GbnfPart part = {GbnfPart::Kind::sequence};
};

// Returns all rules that are named. Throws ModelError, also if one is not defined or `root` is
// missing.
std::vector<GbnfRule> read_gbnf_rules(RegexSet& regexes, std::string_view text);

// Throws ModelError with the line and the fault. Refuses rules that begin with themselves, and
// grammars that no text fits.
std::unique_ptr<Grammar> parse_gbnf(RegexSet& regexes, std::string_view text);

}  // namespace confab::engine
