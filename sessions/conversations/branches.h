// SPDX-License-Identifier: MIT
// The branches of a conversation: each ends with a message that nobody has answered.
#pragma once

#include <string>
#include <vector>

#include "sessions/conversations/conversation.h"

namespace confab::sessions {

struct Branch {
  MessageId last{};    // for Store::set_head()
  int n_messages = 0;  // from the first one to the last
  int n_before = 0;    // of these, how many come before the last fork on the way
  Role role = Role::user;
  std::string begin;   // of the message behind that fork, which tells it from its siblings
  bool shown = false;  // it ends with the conversation's head
};

// In the order in which they were last written to. At least one, unless the tree is empty.
std::vector<Branch> branches_of(const ConversationTree& tree);

}  // namespace confab::sessions
