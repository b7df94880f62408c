// SPDX-License-Identifier: MIT
// What is done about a person who types "exit" to leave, as in a shell.
#pragma once

#include <string>

#include "app/chat/chat.h"

namespace confab::app {

inline constexpr const char* kToLeave = "To leave: /exit or Ctrl+D.";

class BareExit {
 public:
  // What to tell instead of asking the model, when the text is a bare "exit" or "quit" before
  // anything was said. Empty: ask; the same word again goes to the model.
  std::string advice(const Chat& chat, const std::string& text);

 private:
  std::string told_;  // the word that was asked about
};

}  // namespace confab::app
