// SPDX-License-Identifier: MIT
#include "app/chat/read_ahead.h"

#include <algorithm>

namespace confab::app {

std::optional<std::string> settled_part(std::string_view draft, std::string_view prepared) {
  const std::size_t space = draft.find_last_of(" \t\n");
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view settled = draft.substr(0, space);
  const auto end = std::ranges::mismatch(settled, prepared).in1;
  const auto n_new = static_cast<std::size_t>(settled.end() - end);
  return n_new >= kReadAheadStep ? std::optional(std::string(settled)) : std::nullopt;
}

}  // namespace confab::app
