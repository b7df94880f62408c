// SPDX-License-Identifier: MIT
// The only exception type of this folder. It means that the terminal, or a file that ui reads,
// failed.
#pragma once

#include <stdexcept>

namespace confab::ui {

// what() is one line that names the terminal or the file and describes the fault.
class TerminalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace confab::ui
