// SPDX-License-Identifier: MIT
#include "engine/error.h"

#include <fmt/format.h>

#include <iterator>

namespace confab::engine {

std::string printable(std::string_view untrusted) {
  constexpr std::size_t kMaxLength = 100;
  std::string out;
  for (const char c : untrusted) {
    if (out.size() >= kMaxLength) return out + "...";
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace confab::engine
