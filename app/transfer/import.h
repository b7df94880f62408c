// SPDX-License-Identifier: MIT
// Conversations from files of ours and of other programs:
//   - what "export --format json" writes;
//   - message lists as llama.cpp and Ollama take them: [{"role", "content"}, ...], or an object
//   with
//     "messages" and perhaps "model", "system" and "title"; a content is a string or a list of
//     parts with "text";
//   - ChatGPT's conversations.json: a list of objects with "mapping", a tree of messages. What is
//   not
//     shown there (hidden messages, tools and calls of them) is left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sessions/conversations/conversation.h"

namespace confab::app {

// Throws UserError, one line with the file's name, the place in it and what is wrong there.
std::vector<sessions::ConversationTree> parse_import(const std::string& text,
                                                     const std::string& name);
std::vector<sessions::ConversationTree> read_import(const std::string& path);
// For the person: how many have come from the file.
std::string describe_import(const std::string& path, std::span<const sessions::ConversationId> ids);

}  // namespace confab::app
