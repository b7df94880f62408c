// SPDX-License-Identifier: MIT
// How many tokens of the context each message takes.
#pragma once

#include <vector>

#include "app/chat/message_path.h"
#include "engine/api/chat_model.h"

namespace confab::app {

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
