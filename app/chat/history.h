// SPDX-License-Identifier: MIT
// The lines typed in earlier runs, shared by all conversations.
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
  // If `keep` is false, nothing is read or written.
  History(std::filesystem::path file, bool keep) : file_(std::move(file)), keep_(keep) {}

  // Returns nothing if there is no file or it cannot be read: history is only a convenience.
  std::vector<std::string> load();
  // The whole history again if the file has changed since it was last loaded, because another
  // program added to it; else nullopt.
  std::optional<std::vector<std::string>> changed();
  // Returns "" on success. The first failure returns the reason; after that, nothing is kept.
  std::string add(std::string_view entry);

 private:
  // Tells one state of the file from another.
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
