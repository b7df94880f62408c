// SPDX-License-Identifier: MIT
// Path patterns, as in shells and .gitignore files.
#pragma once

#include <string_view>

namespace confab::app {

bool has_wildcard(std::string_view text) noexcept;  // contains * ? or [

// Returns true if the pattern matches the path. Both consist of parts separated by /. In a part, *
// matches any characters, ? matches one, [a-z] and [!a-z] match one inside or outside the set, and
// \ quotes the next character. A part ** matches any number of parts, but at least one at the end.
// The time is at most proportional to the product of both lengths.
bool matches(std::string_view pattern, std::string_view path);
// The same for a single part, in which / is an ordinary character.
bool matches_part(std::string_view pattern, std::string_view name);

}  // namespace confab::app
