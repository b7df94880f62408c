// SPDX-License-Identifier: MIT
// What was typed in earlier runs, shared by all conversations.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

class History {
 public:
  // keep: false neither reads nor writes.
  History(std::filesystem::path file, bool keep) : file_(std::move(file)), keep_(keep) {}

  // Empty when there is none, or it cannot be read: history is a convenience.
  std::vector<std::string> load() const;
  // Empty: done. Else what went wrong, the first time only: from then on nothing is kept.
  std::string add(std::string_view entry);

 private:
  std::filesystem::path file_;
  bool keep_;
};

}  // namespace confab::app
