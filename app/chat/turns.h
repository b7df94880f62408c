// SPDX-License-Identifier: MIT
// What the model is told of a conversation.
#pragma once

#include <span>
#include <string>
#include <vector>

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

}  // namespace confab::app
