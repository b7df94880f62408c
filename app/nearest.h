// SPDX-License-Identifier: MIT
// "Did you mean": which of the names that there are a mistyped one was meant to be.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace confab::app {

// The name that `word` begins (the shortest one, from two letters on), or else that with the fewest
// letters added, left out, replaced or swapped with their neighbour, of which there may be one for
// each three letters, and at least one. The first of those that are equally near; nullopt: nothing
// is near. Leading dashes and slashes are not counted as letters. The result is borrowed from
// `names`.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> names);

}  // namespace confab::app
