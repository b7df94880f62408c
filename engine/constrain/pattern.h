// SPDX-License-Identifier: MIT
// Regular expressions as people write them, made into languages of bytes: the syntax of ECMA-262
// with its flag u, which JSON Schema names (draft 2020-12, section 6.4), as far as it describes a
// regular language: no references back, no looking behind, no looking ahead inside a group.
#pragma once

#include <string_view>

#include "engine/constrain/regex.h"

namespace confab::engine {

// All texts that match as a whole. Throws ModelError: what is wrong, and at which character.
RegexId parse_pattern(RegexSet& regexes, std::string_view pattern);
// All JSON strings, with their quotation marks, that match somewhere, as JSON Schema has it.
RegexId parse_json_pattern(RegexSet& regexes, std::string_view pattern);

}  // namespace confab::engine
