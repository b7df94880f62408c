// SPDX-License-Identifier: MIT
// Ollama's own /api/chat (August 2026): its OpenAI surface cannot set the context, and cuts prompts
// silently.
#pragma once

#include <memory>

#include "engine/remote/answer_stream.h"

namespace confab::engine {

std::unique_ptr<AnswerStream> ollama_stream();

}  // namespace confab::engine
