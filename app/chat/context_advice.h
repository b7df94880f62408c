// SPDX-License-Identifier: MIT
// Advice for a context that is too small: what makes room in it, and, if the model supports a
// larger one, the flag for it.
#pragma once

#include <string>

#include "engine/api/model_info.h"
#include "sessions/conversations/message.h"

namespace confab::app {

// "for a larger context, start confab with -c N (up to 32768)", or that there is no larger one.
std::string larger_context(const engine::ModelInfo& model);
std::string context_full_text(const engine::ModelInfo& model);
// Why an answer failed, and what to do. `last` is the last message of the chat now.
std::string failure_text(const std::string& fault, const sessions::Message& last);
// Advice about a question that does not fit into the context.
std::string too_long_text(const std::string& fault, const engine::ModelInfo& model);

}  // namespace confab::app
