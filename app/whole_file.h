// SPDX-License-Identifier: MIT
// Reads a whole file that a person has named. The size is limited, and endless devices are refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace confab::app {

struct FileLimits {
  // The largest file that can be attached; no model reads as much.
  std::uint64_t most = std::uint64_t{64} << 20;
  // Pipes, sockets and terminals are read to their end, however long that takes. Set it only where
  // a signal can end the program meanwhile.
  bool takes_pipes = false;
  // Called with the first bytes; false means that the rest is not wanted.
  std::function<bool(std::string_view)> goes_on = {};
};
// The limit for data that no model reads whole: an export of many years of conversations, or the
// requests of a batch.
constexpr std::uint64_t kMostOfData = std::uint64_t{2} << 30;

// All bytes of the file. Returns nullopt if it is a folder or a device, does not exist, is too
// large or cannot be read; errno says why.
std::optional<std::string> whole_file(const std::filesystem::path& file,
                                      const FileLimits& limits = {});
// Describes that errno: "is a directory, not a file".
std::string read_fault(int error, const FileLimits& limits = {});

}  // namespace confab::app
