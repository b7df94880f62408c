// SPDX-License-Identifier: MIT
// Chat completions as OpenAI has them, and as llama-server, vLLM, SGLang and LM Studio do (August
// 2026).
#pragma once

#include <memory>

#include "engine/remote/answer_stream.h"

namespace confab::engine {

// An answer with "stream": true, with or without "stream_options": {"include_usage": true}. What a
// model would have called as a tool is told as text: nothing that it says is lost.
std::unique_ptr<AnswerStream> openai_stream();

}  // namespace confab::engine
