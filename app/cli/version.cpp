// SPDX-License-Identifier: MIT
#include "app/cli/version.h"

#include <string_view>

namespace confab::app {

std::string release_name() {
  return "confab " CONFAB_VERSION;
}

std::string version_text() {
  constexpr std::string_view kCommit = CONFAB_COMMIT;  // empty: not from a clone
  return release_name() + (kCommit.empty() ? "" : " (" + std::string(kCommit) + ")");
}

}  // namespace confab::app
