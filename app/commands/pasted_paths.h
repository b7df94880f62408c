// SPDX-License-Identifier: MIT
// Files that pasted text names as @path. Who wrote the text may want a file that the person does
// not mean to give away, so they go with a question only when the person has said so.
#pragma once

#include <cstddef>
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

}  // namespace confab::app
