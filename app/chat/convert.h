// SPDX-License-Identifier: MIT
// Converts between the vocabularies of engine and sessions, which do not know each other.
#pragma once

#include <string>

#include "engine/api/chat_model.h"
#include "sessions/conversations/message.h"

namespace confab::app {

sessions::MessageStats to_message_stats(const engine::GenerateStats& stats) noexcept;
engine::GenerateStats to_generate_stats(const sessions::MessageStats& stats) noexcept;
// Stopped means ended by the person or a limit, so that the answer could go on.
sessions::MessageState to_message_state(engine::FinishReason reason) noexcept;
// Sampling parameters as a JSON object, as stored with an answer.
std::string to_json(const engine::SamplerParams& params);

}  // namespace confab::app
