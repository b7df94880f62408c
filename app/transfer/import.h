// SPDX-License-Identifier: MIT
// Imports conversations from our own files and from those of other programs:
//   - what "export --format json" writes;
//   - message lists as llama.cpp and Ollama take them: [{"role", "content"}, ...], or an object
//     with "messages" and optional "model", "system" and "title". A content is a string or a list
//     of parts with "text". An answer may begin with its reasoning in <think>...</think>;
//   - ChatGPT's conversations.json: a list of objects with "mapping", a tree of messages. Messages
//     that are hidden there are left out.
// Tool messages, tool calls and answers without text are left out and counted, and so are
// conversations that contain nothing else.
#pragma once

#include <string>
#include <vector>

#include "app/transfer/json_cursor.h"
#include "sessions/conversations/conversation.h"
#include "sessions/conversations/store.h"

namespace confab::app {

// What the file has but the import does not, or has in another place.
struct LeftOut {
  int n_messages = 0;       // messages from tools, or without text
  int n_conversations = 0;  // conversations with no other messages
  int n_orphans = 0;        // kept messages whose parent is not in the file
};

struct Import {
  std::vector<sessions::ConversationTree> conversations;
  LeftOut left_out;
};

// Throws UserError: one line with the file's name, the place in it and what is wrong there.
Import parse_import(const std::string& text, const std::string& name);
// takes_pipes: waits for a pipe, and only a signal ends the wait.
Import read_import(const std::string& path, bool takes_pipes = false);
// Tells the person how many conversations came from the file, and what did not.
std::string describe_import(const std::string& path, const sessions::Imported& imported,
                            const LeftOut& left_out);

// Reads a conversation of ChatGPT's data export (conversations.json), as it was from 2023 to 2025.
// Keeps the tree without the nodes that ChatGPT does not show: hidden ones, empty ones, tools and
// calls to them. Their children move to the node before. Thoughts go to the answer that follows. A
// node whose parent is not in the file begins a branch. Returns no messages if nothing was to be
// shown. Counts in left_out the tool messages and calls that have text. Throws UserError.
sessions::ConversationTree from_chatgpt(const JsonCursor& conversation, LeftOut& left_out);

}  // namespace confab::app
