// SPDX-License-Identifier: MIT
// Files named in pasted text. Whoever wrote that text may want a file that the person does not mean
// to give away, so these files go with a question only if the person agrees.
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
  // Returns true if the path that a question names was pasted, wholly or in part.
  bool has(std::string_view path) const;
  // The person wants this file: treats it as typed until it is pasted again.
  void allow(std::string_view path);

 private:
  static constexpr std::size_t kMax = 10000;

  std::set<std::string, std::less<>> begun_;  // the texts after each @
  bool too_many_ = false;                     // so any path may have been pasted
};

// The terminal pastes the paths of files that are dropped on it, quoted as in a shell or as file://
// addresses. Returns the text to put into the question instead: @path for each file. Returns
// nullopt unless the pasted text consists only of absolute paths to existing files and folders. The
// files still count as pasted, so the person is asked about them.
std::optional<std::string> dropped_paths(std::string_view pasted);

}  // namespace confab::app
