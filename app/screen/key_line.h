// SPDX-License-Identifier: MIT
// The last row of the screen: what the keys do now.
#pragma once

#include <string>
#include <vector>

namespace confab::app {

struct KeyState {
  bool focused = false;     // a message has the keys
  bool generating = false;  // an answer is being written
  bool written = false;     // there is text in the input
  bool editing = false;     // it replaces a question
  bool waiting = false;     // questions wait for the answer's end
  bool choosing = false;    // the list of commands is open
  bool several = false;     // answers are being written
};

// The most useful first; where the row is narrow the last ones are left out.
std::vector<std::string> key_line(const KeyState& state);

}  // namespace confab::app
