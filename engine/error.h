// SPDX-License-Identifier: MIT
// The one exception of this folder: the world failed (file, model, template, memory).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace confab::engine {

// what() is one line that names the file or key, what was found and what was expected.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Text from a file as it may stand in an error line: printable ASCII stays, every other byte
// becomes \xNN, and what is longer than 100 characters is cut and ends in "...".
std::string printable(std::string_view untrusted);

}  // namespace confab::engine
