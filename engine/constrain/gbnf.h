// SPDX-License-Identifier: MIT
// Grammars in llama.cpp's notation, GBNF (grammars/README.md of llama.cpp): rules `name ::= ...` of
// texts in quotation marks, classes of characters, names of rules, parentheses, | and the
// repetitions
// * + ? {m} {m,} {m,n}; comments after #. The rule `root` is the answer.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/constrain/grammar.h"
#include "engine/constrain/regex.h"

namespace confab::engine {

// The rules of a GBNF grammar as they are written.
struct GbnfPart {
  enum class Kind { text, rule, sequence, choice, repeat };
  Kind kind;
  RegexId text = RegexSet::kEmpty;   // text
  int rule = 0;                      // rule: its number
  std::vector<GbnfPart> parts = {};  // of the others; of repeat one
  int min = 0, max = 0;              // repeat
};

struct GbnfRule {
  std::string name;
  int line = 0;  // where it is first named
  bool is_defined = false;
  GbnfPart part = {GbnfPart::Kind::sequence};
};

// All rules that are named. Throws ModelError; also where one is not defined, or `root` is missing.
std::vector<GbnfRule> read_gbnf_rules(RegexSet& regexes, std::string_view text);

// Throws ModelError: one line that names the line and the fault. Refused are rules that begin with
// themselves, and grammars that no text fits.
std::unique_ptr<Grammar> parse_gbnf(RegexSet& regexes, std::string_view text);

}  // namespace confab::engine
