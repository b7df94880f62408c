// SPDX-License-Identifier: MIT
// A conversation as lists show it, and as a whole.
#pragma once

#include <string>
#include <vector>

#include "sessions/conversations/message.h"

namespace confab::sessions {

struct Conversation {
  ConversationId id{};
  std::string title;  // given, or made from the first exchange; valid UTF-8 if that was
  MessageId head{};   // the last message of the branch that is shown
  Time created{};
  Time updated{};      // the last message begun or finished
  int n_messages = 0;  // in all branches
  bool pinned = false;
  bool title_given = false;  // by a person: not to be replaced by a made one
};

// With all branches. Parents come before their children.
struct ConversationTree {
  Conversation conversation;
  std::vector<Message> messages;
};

}  // namespace confab::sessions
