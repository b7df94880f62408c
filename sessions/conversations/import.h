// SPDX-License-Identifier: MIT
// Adding whole conversations: copies, and conversations from files, which may be imported again.
//
// A conversation from a file is already known if a conversation in the database has the same first
// message, the same date (if the file gives one: created is not 0), and all its messages. If that
// conversation has only some of the messages, the others are added to it as branches: always if the
// dates are the same, and without a date only if an earlier import ended in the middle of it. In
// all other cases it becomes a new conversation. Two messages are the same if their role, content,
// reasoning and attachments are, and all messages before them.
//
// A date of 0 is unknown and becomes the current time.
#pragma once

#include <span>

#include "sessions/conversations/conversation.h"
#include "sessions/conversations/store.h"

namespace confab::sessions {

class Database;

// Throws StoreError if the tree is empty, or a message comes before its parent.
void check_tree(const ConversationTree& tree);
// Adds the tree as Store::insert() describes, in the caller's transaction.
ConversationId insert_tree(Database& database, const ConversationTree& tree);
// Uses its own transactions, so that other programs wait for a tenth of a second at most.
Imported import_trees(Database& database, std::span<const ConversationTree> trees);

}  // namespace confab::sessions
