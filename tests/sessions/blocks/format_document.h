// SPDX-License-Identifier: MIT
// The worked examples of sessions/FORMAT.md, so that tests can hold the program to them.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/temp_dir.h"

namespace confab::sessions {

// The bytes of the dump under this heading, as hexadecimal digits. Its lines: four blanks, four
// digits of offset, two blanks, 37 columns of bytes, a remark.
inline std::string documented_dump(const std::string& heading) {
  std::istringstream document(read_file(CONFAB_SOURCE_DIR "/sessions/FORMAT.md"));
  std::string dump;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    const bool is_dump = line.size() > 10 && line.find_first_not_of(' ') == 4 &&
                         line.find_first_not_of("0123456789abcdef", 4) == 8 && line[9] == ' ';
    if (inside && is_dump) dump += line.substr(10, 37);
  }
  std::erase(dump, ' ');
  return dump;
}

inline std::string to_hex_dump(const std::string& bytes) {
  std::string dump;
  for (const char c : bytes) {
    dump += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    dump += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
  }
  return dump;
}

}  // namespace confab::sessions
