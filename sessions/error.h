// SPDX-License-Identifier: MIT
// The only exception that sessions/ throws: a database or cache file, or the disk under it, failed.
#pragma once

#include <stdexcept>
#include <string>

namespace confab::sessions {

// what() is one line: it names the file, what was found and what was expected.
class StoreError : public std::runtime_error {
 public:
  enum class Code {
    other,
    locked,  // by another program; nothing was changed, and a retry may work
  };
  explicit StoreError(const std::string& what, Code code = Code::other)
      : std::runtime_error(what), code_(code) {}

  Code code() const noexcept { return code_; }

 private:
  Code code_;
};

}  // namespace confab::sessions
