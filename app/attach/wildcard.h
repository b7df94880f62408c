// SPDX-License-Identifier: MIT
// Patterns of paths, as shells and .gitignore write them.
#pragma once

#include <string_view>

namespace confab::app {

bool has_wildcard(std::string_view text) noexcept;  // one of * ? [

// Whether a pattern means this path; both are parts with / between them. In a part, * is any
// characters, ? is one, [a-z] and [!a-z] one of these or another one, and \ takes its meaning from
// what follows. A part that is ** is any number of parts, but at the end at least one. Takes at
// most the product of both lengths.
bool matches(std::string_view pattern, std::string_view path);
// The same of a single part, in which a / is a character like others.
bool matches_part(std::string_view pattern, std::string_view name);

}  // namespace confab::app
