// SPDX-License-Identifier: MIT
// The one exception of this folder: a database or cache file, or the disk under it, failed.
#pragma once

#include <stdexcept>

namespace confab::sessions {

// what() is one line that names the file, what was found and what was expected.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace confab::sessions
