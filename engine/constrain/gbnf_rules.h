// SPDX-License-Identifier: MIT
// The rules of a GBNF grammar as they are written.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/constrain/regex.h"

namespace confab::engine {

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

}  // namespace confab::engine
