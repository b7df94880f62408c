// SPDX-License-Identifier: MIT
// A log of what the program did by itself: timestamped lines in a file. Once the file exceeds 256
// KiB it is renamed, replacing the previous one.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

namespace confab::app {

class EventLog {
 public:
  // Writes nothing if the path is empty. The first line creates the file and its folder.
  explicit EventLog(std::filesystem::path file) : file_(std::move(file)) {}

  // Adds "2026-03-01T10:20:30Z TEXT". Failures to write are ignored.
  void add(std::string_view text) const noexcept;

 private:
  std::filesystem::path file_;
};

}  // namespace confab::app
