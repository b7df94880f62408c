// SPDX-License-Identifier: MIT
#include "engine/remote/engine_facts.h"

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

}  // namespace confab::engine
