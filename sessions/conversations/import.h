// SPDX-License-Identifier: MIT
// Whole conversations that come from elsewhere: copies, and files, which may be read again.
//
// A conversation of a file is there already when one in the database has the same first message,
// and the same date where the file gives one (created is not 0), and all its messages. When that
// has only some of them, it gets the others, as branches: always where the dates are the same, and
// without a date only where an import ended in the middle of it. In all other cases it is a new
// conversation. Messages are the same when role, content, reasoning and attachments are, and all
// messages before them.
//
// A date of 0 is not known: it becomes now.
#pragma once

#include <span>

#include "sessions/conversations/conversation.h"
#include "sessions/conversations/store.h"

namespace confab::sessions {

class Database;

// Throws StoreError when the tree is empty, or a message is not behind its parent.
void check_tree(const ConversationTree& tree);
// Adds it as Store::insert() says, in the caller's transaction.
ConversationId insert_tree(Database& database, const ConversationTree& tree);
// Makes transactions of its own: other programs wait for a tenth of a second at most.
Imported import_trees(Database& database, std::span<const ConversationTree> trees);

}  // namespace confab::sessions
