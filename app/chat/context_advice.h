// SPDX-License-Identifier: MIT
// What can be done when the context is too small: what makes room in it, and, only where the model
// could have a larger one, the flag that gives it.
#pragma once

#include <string>

#include "engine/api/model_info.h"
#include "sessions/conversations/message.h"

namespace confab::app {

// "for a larger context, start confab with -c N (up to 32768)", or that there is none.
std::string larger_context(const engine::ModelInfo& model);
std::string context_full_text(const engine::ModelInfo& model);
// Why an answer failed, and what can be done: last is the message that the chat ends with now.
std::string failure_text(const std::string& fault, const sessions::Message& last);
// What can be done about a question that the context does not hold.
std::string too_long_text(const std::string& fault, const engine::ModelInfo& model);

}  // namespace confab::app
