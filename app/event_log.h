// SPDX-License-Identifier: MIT
// What the program did by itself, for whoever wonders later: lines with the time, in a file that
// does not grow beyond 256 KiB and has one before it.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

namespace confab::app {

class EventLog {
 public:
  // An empty path: nothing is written. The file and its folder are made with the first line.
  explicit EventLog(std::filesystem::path file) : file_(std::move(file)) {}

  // Adds "2026-03-01T10:20:30Z TEXT". What cannot be written is left out.
  void add(std::string_view text) const noexcept;

 private:
  std::filesystem::path file_;
};

}  // namespace confab::app
