// SPDX-License-Identifier: MIT
// Words of one folder in the words of another: engine and sessions know nothing of each other.
#pragma once

#include <string>

#include "engine/api/chat_model.h"
#include "sessions/conversations/message.h"

namespace confab::app {

sessions::MessageStats to_message_stats(const engine::GenerateStats& stats) noexcept;
engine::GenerateStats to_generate_stats(const sessions::MessageStats& stats) noexcept;
// stopped: by the person or by a limit, so that there could be more.
sessions::MessageState to_message_state(engine::FinishReason reason) noexcept;
// Sampling parameters as a JSON object, as they are stored beside an answer.
std::string to_json(const engine::SamplerParams& params);

}  // namespace confab::app
