// SPDX-License-Identifier: MIT
// The version of this program.
#pragma once

#include <string>

namespace confab::app {

// "confab 0.1.0", from CMakeLists.txt.
std::string release_name();
// The same with the commit and its date, if built from a clone: "confab 0.1.0 (1a2b3c4,
// 2026-11-22)".
std::string version_text();

}  // namespace confab::app
