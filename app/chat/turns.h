// SPDX-License-Identifier: MIT
// The prompt of a conversation: its turns, and how many tokens they take.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/chat/message_path.h"
#include "engine/api/chat_model.h"
#include "sessions/conversations/message.h"

namespace confab::app {

// Includes the sampled tokens if they belong to a tokenizer with this hash.
engine::Turn answer_turn(const sessions::Message& answer, const std::string& tokenizer_hash);

// The turns that the model reads (app/chat/context_window.h). A note on the other turns goes into
// the system prompt. Templates expect alternating roles, so an answer that never came is left out,
// and adjacent messages of one role become one.
std::vector<engine::Turn> turns_of(std::span<const sessions::Message> messages,
                                   const std::string& tokenizer_hash);

// How many tokens of the context each message takes.
struct MessageSizes {
  // For all of shown(path), read or not: the message's own tokens, plus an equal share of what the
  // template adds around messages.
  std::vector<int> n_tokens;
  // The system prompt with a note: n_read minus the messages that are read.
  int n_fixed = 0;
  int n_read = 0;  // the whole prompt, as the model counts it
};

// A message that is certain not to fit is not counted; it is taken to need twice the context.
// Throws ModelError.
MessageSizes sizes_of(const engine::ChatModel& model, const MessagePath& path,
                      const engine::TemplateSettings& settings);

}  // namespace confab::app
