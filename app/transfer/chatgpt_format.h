// SPDX-License-Identifier: MIT
// A conversation of ChatGPT's data export (conversations.json), as it was in 2023 to 2025.
#pragma once

#include "app/transfer/json_cursor.h"
#include "sessions/conversations/conversation.h"

namespace confab::app {

// The tree is kept, without the nodes that ChatGPT does not show: hidden ones, empty ones, tools
// and calls of them; their children go to the node before. Thoughts go to the answer that follows.
// No message at all: there was nothing to show. Adds to n_left_out what tools said and calls of
// them that have text. Throws UserError.
sessions::ConversationTree from_chatgpt(const JsonCursor& conversation, int& n_left_out);

}  // namespace confab::app
