// SPDX-License-Identifier: MIT
// Which confab this is.
#pragma once

#include <string>

namespace confab::app {

// "confab 0.1.0", as CMakeLists.txt has it.
std::string release_name();
// With the commit and its date where it was built from a clone: "confab 0.1.0 (1a2b3c4,
// 2026-11-22)".
std::string version_text();

}  // namespace confab::app
