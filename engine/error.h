// SPDX-License-Identifier: MIT
// The exception of this folder. It means that the outside world failed: a file, a model, a
// template, memory.
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

// Makes text from a file safe for an error line. Printable ASCII stays, every other byte becomes
// \xNN, and text longer than 100 characters is cut and ends in "...".
std::string printable(std::string_view untrusted);

}  // namespace confab::engine
