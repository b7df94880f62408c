// SPDX-License-Identifier: MIT
// Finds the end of an answer where one of some strings appears in its bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

// The first string to be complete wins, of several the longest, so the result does not depend on
// how the bytes were cut into tokens.
class StopStrings {
 public:
  // Empty strings are ignored.
  explicit StopStrings(std::vector<std::string> strings);

  // Appends to `out` the bytes that can no longer be part of a stop string. True when one is
  // complete: its bytes and all later ones are dropped.
  bool push(std::string_view bytes, std::string& out);
  // The end: what was held back was no stop string after all.
  void finish(std::string& out);

 private:
  std::vector<std::string> strings_;  // longest first
  std::string held_ = {};             // the start of a stop string, perhaps
};

}  // namespace confab::engine
