// SPDX-License-Identifier: MIT
// Parses regular expressions into languages of bytes. The syntax is that of ECMA-262 with the flag
// u, which JSON Schema names (draft 2020-12, section 6.4), as far as it describes a regular
// language: there are no back references, no lookbehind, and no lookahead inside a group.
#pragma once

#include <string_view>

#include "engine/constrain/regex.h"

namespace confab::engine {

// All texts that match as a whole. Throws ModelError with the fault and its character.
RegexId parse_pattern(RegexSet& regexes, std::string_view pattern);
// All JSON strings, with their quotation marks, in which the pattern matches somewhere, as JSON
// Schema requires.
RegexId parse_json_pattern(RegexSet& regexes, std::string_view pattern);

}  // namespace confab::engine
