// SPDX-License-Identifier: MIT
#include "engine/platform/system_file.h"

#include <fstream>

namespace confab::engine::platform {

std::string first_word(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

std::optional<std::int64_t> first_number(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::int64_t n = 0;
  return in >> n ? std::optional(n) : std::nullopt;
}

}  // namespace confab::engine::platform
