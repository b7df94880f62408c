// SPDX-License-Identifier: MIT
// "Did you mean": finds which of the known names a mistyped one was meant to be.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace confab::app {

// The shortest name that starts with `word`, if that has two letters or more. Otherwise the name
// with the smallest edit distance (letters added, left out, replaced, or swapped with a neighbour),
// which may be one for each three letters, and at least one. If several are equally near, the first
// of them. Returns nullopt if none is near. Leading dashes and slashes do not count as letters. The
// result is borrowed from `names`.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> names);

}  // namespace confab::app
