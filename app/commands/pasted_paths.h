// SPDX-License-Identifier: MIT
// Files that pasted text names as @path. Who wrote the text may want a file that the person does
// not mean to give away, so they go with a question only when the person has said so.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace confab::app {

class PastedPaths {
 public:
  void add(std::string_view pasted);
  // Whether the path, as a question has it, or its beginning, has come in pasted text.
  bool has(std::string_view path) const;
  // The person wants this file: from now on it is as if it had been typed, until it is pasted
  // again.
  void allow(std::string_view path);

 private:
  static constexpr std::size_t kMax = 10000;

  std::set<std::string, std::less<>> begun_;  // what stands behind each @
  bool too_many_ = false;                     // any path may have been pasted
};

// Files that were dropped on the terminal: it pastes their paths, as a shell or an address has
// them.
// What is to stand in the question instead: @path for each file. Only where the pasted text is
// nothing but absolute paths of files and folders that are there; nullopt: it is a text like
// others. It was pasted all the same: whether the files go with the question is to be asked.
std::optional<std::string> dropped_paths(std::string_view pasted);

}  // namespace confab::app
