// SPDX-License-Identifier: MIT
#include "ui/terminal/redrawing.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace confab::ui {

bool wants_accessible() noexcept {
  const char* wanted = std::getenv("ACCESSIBLE");
  return wanted != nullptr && *wanted != '\0' && std::string_view(wanted) != "0";
}

bool may_redraw(int fd) noexcept {
  const char* term = std::getenv("TERM");
  return isatty(fd) == 1 && !wants_accessible() && term != nullptr &&
         std::string_view(term) != "dumb";
}

}  // namespace confab::ui
