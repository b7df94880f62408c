// SPDX-License-Identifier: MIT
// Languages of the texts that JSON values are made of (RFC 8259).
#pragma once

#include <optional>
#include <string_view>

#include "engine/constrain/regex.h"

namespace confab::engine {

// The white space after a bracket, a comma or a colon and before a closing bracket: nothing, a
// space, or a new line with its indentation. It is limited because a model that has nothing to say
// would write white space for ever.
RegexId json_space(RegexSet& regexes);
// Strings with their quotation marks. any_string() has all of them in every spelling,
// plain_string() has each of them only in its plainest spelling, and string_literal() is one string
// in that spelling.
RegexId any_string(RegexSet& regexes);
RegexId plain_string(RegexSet& regexes);
RegexId string_literal(RegexSet& regexes, std::string_view utf8);
// Strings of min to max characters; max may be RegexSet::kNoLimit.
RegexId string_of_length(RegexSet& regexes, int min, int max);

// The regular expression, in the syntax of pattern.h, that a string of this format must match as a
// whole. The formats are JSON Schema's (draft 2020-12 validation, section 7.3). Returns nullopt for
// a format that is not enforced.
std::optional<std::string_view> format_pattern(std::string_view format);

}  // namespace confab::engine
