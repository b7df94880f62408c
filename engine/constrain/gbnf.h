// SPDX-License-Identifier: MIT
// Grammars in llama.cpp's notation, GBNF (grammars/README.md of llama.cpp): rules `name ::= ...` of
// texts in quotation marks, classes of characters, names of rules, parentheses, | and the
// repetitions
// * + ? {m} {m,} {m,n}; comments after #. The rule `root` is the answer.
#pragma once

#include <memory>
#include <string_view>

#include "engine/constrain/grammar.h"

namespace confab::engine {

// Throws ModelError: one line that names the line and the fault. Refused are rules that begin with
// themselves, and grammars that no text fits.
std::unique_ptr<Grammar> parse_gbnf(RegexSet& regexes, std::string_view text);

}  // namespace confab::engine
