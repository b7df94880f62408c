// SPDX-License-Identifier: MIT
// The files that a folder or a pattern means, in an order that is always the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace confab::app {

inline constexpr std::size_t kMaxLookedAt = 200'000;  // files and folders

// The files below a folder, as paths from it, sorted by their parts. Left out is what .gitignore
// files say, those below and those above it up to the repository's root, and .git/info/exclude;
// what is hidden; links, devices and pipes. Throws UserError when the folder cannot be read, or has
// more than kMaxLookedAt.
std::vector<std::string> files_below(const std::string& folder);

// The files that a pattern (attach/wildcard.h) means; what is hidden only where a part of it begins
// with a dot. ** looks into no links. Throws UserError when too much would have to be looked at.
std::vector<std::string> files_like(const std::string& pattern);

}  // namespace confab::app
