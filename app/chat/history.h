// SPDX-License-Identifier: MIT
// What was typed in earlier runs, shared by all conversations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

class History {
 public:
  // keep: false neither reads nor writes.
  History(std::filesystem::path file, bool keep) : file_(std::move(file)), keep_(keep) {}

  // Empty when there is none, or it cannot be read: history is a convenience.
  std::vector<std::string> load();
  // All of it again, when it is not what load() or this gave last: another program has added to it.
  std::optional<std::vector<std::string>> changed();
  // Empty: done. Else what went wrong, the first time only: from then on nothing is kept.
  std::string add(std::string_view entry);

 private:
  // What tells one state of the file from another.
  struct Stamp {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type time = {};
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp() const noexcept;

  std::filesystem::path file_;
  bool keep_;
  Stamp loaded_ = {};
};

}  // namespace confab::app
