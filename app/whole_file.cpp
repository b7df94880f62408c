// SPDX-License-Identifier: MIT
#include "app/whole_file.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace confab::app {

std::optional<std::string> whole_file(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    errno = EISDIR;
    return std::nullopt;
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) return std::nullopt;
  return text;
}

}  // namespace confab::app
