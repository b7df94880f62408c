// SPDX-License-Identifier: MIT
#include "app/cli/version.h"

#include <string_view>

// CMake defines both; these are the fallbacks for a compiler that is called without it.
#ifndef CONFAB_VERSION
#define CONFAB_VERSION "0"
#endif
#ifndef CONFAB_COMMIT
#define CONFAB_COMMIT ""
#endif

namespace confab::app {

std::string release_name() {
  return "confab " CONFAB_VERSION;
}

std::string version_text() {
  constexpr std::string_view kCommit = CONFAB_COMMIT;  // empty: not built from a clone
  return release_name() + (kCommit.empty() ? "" : " (" + std::string(kCommit) + ")");
}

}  // namespace confab::app
