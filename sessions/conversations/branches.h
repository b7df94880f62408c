// SPDX-License-Identifier: MIT
// The branches of a conversation. Each ends with a message that has no reply.
#pragma once

#include <string>
#include <vector>

#include "sessions/conversations/conversation.h"

namespace confab::sessions {

struct Branch {
  MessageId last{};    // for Store::set_head()
  int n_messages = 0;  // from the first message to `last`
  int n_before = 0;    // how many of these come before the last fork on the way
  Role role = Role::user;
  std::string begin;   // beginning of the message after that fork, which differs from its siblings
  bool shown = false;  // whether it ends with the conversation's head
};

// Sorted by when they were last written to. Contains at least one branch, unless the tree is empty.
std::vector<Branch> branches_of(const ConversationTree& tree);

}  // namespace confab::sessions
