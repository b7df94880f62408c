// SPDX-License-Identifier: MIT
// What there is to know of an engine elsewhere, and of what it serves.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

enum class EngineKind { llama_server, vllm, sglang, lm_studio, ollama, other };

// "llama-server"; of another one "OpenAI-compatible".
const char* name_of(EngineKind kind) noexcept;

// What a model of an engine is called here: "work/qwen3-32b". An id that is the path of a file
// (llama-server's may be) goes without the slash before it.
std::string name_at(const std::string& engine, std::string_view id);

// Where it is, and how it is spoken to.
struct EngineAddress {
  std::string name;                      // as people call it: "work", "127.0.0.1:8080"
  std::string url;                       // without "/v1" at its end
  std::string key = {};                  // a secret: shown nowhere; empty: none
  std::vector<std::string> models = {};  // that it has, as a person knows: it need not list them
  std::chrono::milliseconds connect{10'000};
  std::chrono::seconds silence{600};  // after so long without a byte, it has failed
};

struct ServedModel {
  std::string id;
  int n_ctx = 0;        // as it serves it; 0: not known
  int n_ctx_train = 0;  // what it was made for; 0: not known
  std::int64_t n_params = 0;
  std::uint64_t bytes = 0;
  std::string quantisation = {};
  bool is_loaded = false;
  std::optional<bool> can_reason = {};
};

struct EngineFacts {
  EngineKind kind = EngineKind::other;
  // What stands between its address and "/chat/completions"; empty where the address ends as a
  // vendor's does, in "/api/paas/v4".
  std::string api = "/v1";
  std::string version = {};
  int n_slots = 0;                 // answers that it writes at once; 0: not known
  std::string chat_template = {};  // of the model that it serves; empty: not known
  std::vector<ServedModel> models = {};
};

}  // namespace confab::engine
