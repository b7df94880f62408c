// SPDX-License-Identifier: MIT
// The shape of a conversation without what was said: which message answers which, and where it
// branches.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sessions/conversations/message.h"

namespace confab::sessions {

class Database;

struct OutlineMessage {
  MessageId id{};
  std::optional<MessageId> parent;
  Role role = Role::user;
  bool operator==(const OutlineMessage&) const = default;
};
// All branches of a conversation, parents before their children.
using Outline = std::vector<OutlineMessage>;

Outline read_outline(Database& database, ConversationId conversation);

// Which of the messages that follow the same one, and have the same role, a message is.
struct SiblingPosition {
  int index = 1;  // from 1
  int n = 1;
  bool operator==(const SiblingPosition&) const = default;
};
// Of each of these messages of the outline; {1, 1} for one that is not in it.
std::vector<SiblingPosition> sibling_positions(const Outline& outline,
                                               std::span<const MessageId> messages);

// The end of the branch that was gone on with last behind the next (1) or previous (-1) sibling;
// nullopt: there is no such sibling.
std::optional<MessageId> sibling_branch(const Outline& outline, MessageId message, int direction);

}  // namespace confab::sessions
