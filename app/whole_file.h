// SPDX-License-Identifier: MIT
// What a person names as a file, read at once: never without a limit, and never from where no end
// is to be expected.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace confab::app {

struct FileLimits {
  // As much as can be attached; more than any model reads.
  std::uint64_t most = std::uint64_t{64} << 20;
  // A pipe, a socket or a terminal is read to its end, too, however long that takes: only where a
  // signal ends the program meanwhile.
  bool takes_pipes = false;
  // Asked of the first bytes: whether the others are wanted.
  std::function<bool(std::string_view)> goes_on = {};
};
// Of what is not read as a question, but taken apart: an export of many years of conversations, or
// the requests of a batch.
constexpr std::uint64_t kMostOfData = std::uint64_t{2} << 30;

// All of its bytes. nullopt: it is a folder, a device, is not there, is too large or cannot be
// read; errno says why.
std::optional<std::string> whole_file(const std::filesystem::path& file,
                                      const FileLimits& limits = {});
// What that errno means: "is a directory, not a file".
std::string read_fault(int error, const FileLimits& limits = {});

}  // namespace confab::app
