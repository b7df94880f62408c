// SPDX-License-Identifier: MIT
// What the model is told of a conversation, and how many tokens that takes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/chat/message_path.h"
#include "engine/api/chat_model.h"
#include "sessions/conversations/message.h"

namespace confab::app {

// With the tokens as sampled, when they are of a tokenizer with this hash.
engine::Turn answer_turn(const sessions::Message& answer, const std::string& tokenizer_hash);

// Of what was said, only what the model reads (app/chat/context_window.h); a note on the rest
// stands in the system prompt.
// Templates want the roles to alternate: an answer that never came is left out, and messages of one
// role that then follow each other become one.
std::vector<engine::Turn> turns_of(std::span<const sessions::Message> messages,
                                   const std::string& tokenizer_hash);

// How many tokens of the context each message takes.
struct MessageSizes {
  // Of shown(path), what is not read as well: what a message says, as the model counts it, and an
  // equal share of what the template puts around messages.
  std::vector<int> n_tokens;
  // The system prompt, with a note; what is read and this are n_read.
  int n_fixed = 0;
  int n_read = 0;  // of the prompt, as the model counts it
};

// A message that cannot fit is not counted: it has twice as many as the context holds. Throws
// ModelError.
MessageSizes sizes_of(const engine::ChatModel& model, const MessagePath& path,
                      const engine::TemplateSettings& settings);

}  // namespace confab::app
