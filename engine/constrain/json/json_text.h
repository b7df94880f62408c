// SPDX-License-Identifier: MIT
// The texts that JSON values are made of, as languages (RFC 8259).
#pragma once

#include <optional>
#include <string_view>

#include "engine/constrain/regex.h"

namespace confab::engine {

// After a bracket, a comma or a colon, and before a closing bracket: nothing, a space, or a new
// line and what indents it. A model that has nothing to say would write white space for ever.
RegexId json_space(RegexSet& regexes);
// A string with its quotation marks: any of them; in its plainest form only, in which every string
// is written in one way; this one in that form.
RegexId any_string(RegexSet& regexes);
RegexId plain_string(RegexSet& regexes);
RegexId string_literal(RegexSet& regexes, std::string_view utf8);
// Strings of so many characters (max: RegexSet::kNoLimit).
RegexId string_of_length(RegexSet& regexes, int min, int max);

// The formats that JSON Schema defines (draft 2020-12 validation, section 7.3), as expressions:
// what strings of this format match as a whole, in the syntax of pattern.h; nullopt: it is not one
// that is held to.
std::optional<std::string_view> format_pattern(std::string_view format);

}  // namespace confab::engine
