// SPDX-License-Identifier: MIT
// A conversation as lists show it; its messages are read with Store::messages().
#pragma once

#include <string>

#include "sessions/message.h"

namespace confab::sessions {

struct Conversation {
  ConversationId id{};
  std::string title;  // given, or made from the first user message; valid UTF-8 if that was
  MessageId head{};   // the last message of the branch that is shown
  Time created{};
  Time updated{};      // the last message begun or finished
  int n_messages = 0;  // in all branches
};

}  // namespace confab::sessions
