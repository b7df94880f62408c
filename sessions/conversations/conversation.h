// SPDX-License-Identifier: MIT
// A conversation, as lists show it and as a whole.
#pragma once

#include <string>
#include <vector>

#include "sessions/conversations/message.h"

namespace confab::sessions {

struct Conversation {
  ConversationId id{};
  std::string
      title;  // given by a person or made from the first exchange; valid UTF-8 if its source was
  MessageId head{};  // the last message of the shown branch
  Time created{};
  Time updated{};      // when its last message was begun or finished
  int n_messages = 0;  // over all branches
  bool pinned = false;
  bool title_given = false;  // given by a person, so never replaced by a generated title
};

// A conversation with all its branches. Parents come before their children.
struct ConversationTree {
  Conversation conversation;
  std::vector<Message> messages;
};

}  // namespace confab::sessions
