// SPDX-License-Identifier: MIT
#include "engine/remote/engine_facts.h"

#include <algorithm>

namespace confab::engine {

const char* name_of(EngineKind kind) noexcept {
  switch (kind) {
    case EngineKind::llama_server:
      return "llama-server";
    case EngineKind::vllm:
      return "vLLM";
    case EngineKind::sglang:
      return "SGLang";
    case EngineKind::lm_studio:
      return "LM Studio";
    case EngineKind::ollama:
      return "Ollama";
    case EngineKind::other:
      break;
  }
  return "OpenAI-compatible";
}

std::string name_at(const std::string& engine, std::string_view id) {
  return engine + '/' + std::string(id.substr(std::min(id.find_first_not_of('/'), id.size())));
}

}  // namespace confab::engine
