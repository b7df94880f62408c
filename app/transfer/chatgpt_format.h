// SPDX-License-Identifier: MIT
// A conversation of ChatGPT's data export (conversations.json), as it was in 2023 to 2025.
#pragma once

#include "app/transfer/json_cursor.h"
#include "app/transfer/left_out.h"
#include "sessions/conversations/conversation.h"

namespace confab::app {

// The tree is kept, without the nodes that ChatGPT does not show: hidden ones, empty ones, tools
// and calls of them; their children go to the node before. Thoughts go to the answer that follows.
// A node whose parent is not in the file begins a branch. No message at all: there was nothing to
// show. Counts in left_out what tools said and calls of them that have text. Throws UserError.
sessions::ConversationTree from_chatgpt(const JsonCursor& conversation, LeftOut& left_out);

}  // namespace confab::app
