// SPDX-License-Identifier: MIT
// The one exception of this folder: the world failed (file, model, template, memory).
#pragma once

#include <stdexcept>

namespace confab::engine {

// what() is one line that names the file or key, what was found and what was expected.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace confab::engine
