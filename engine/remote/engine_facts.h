// SPDX-License-Identifier: MIT
// Facts about a remote engine and the models it serves.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

enum class EngineKind { llama_server, vllm, sglang, lm_studio, ollama, other };

// For example "llama-server"; "OpenAI-compatible" for `other`.
const char* name_of(EngineKind kind) noexcept;

// The name shown for a model of an engine: "work/qwen3-32b". If the id is a file path, as it may be
// with llama-server, its leading slash is left out.
std::string name_at(const std::string& engine, std::string_view id);

// Where an engine is and how to talk to it.
struct EngineAddress {
  std::string name;                      // shown to people: "work", "127.0.0.1:8080"
  std::string url;                       // without "/v1" at its end
  std::string key = {};                  // a secret, never shown; empty if none
  std::vector<std::string> models = {};  // models the user named; the engine need not list them
  std::chrono::milliseconds connect{10'000};
  std::chrono::seconds silence{600};  // after so long without a byte it counts as failed
};

struct ServedModel {
  std::string id;
  int n_ctx = 0;        // as served; 0: not known
  int n_ctx_train = 0;  // as trained; 0: not known
  std::int64_t n_params = 0;
  std::uint64_t bytes = 0;
  std::string quantisation = {};
  bool is_loaded = false;
  std::optional<bool> can_reason = {};
};

struct EngineFacts {
  EngineKind kind = EngineKind::other;
  // The path between its address and "/chat/completions". Empty if the address already has a
  // vendor's path, for example "/api/paas/v4".
  std::string api = "/v1";
  std::string version = {};
  int n_slots = 0;                 // answers written in parallel; 0: not known
  std::string chat_template = {};  // of the served model; empty: not known
  std::vector<ServedModel> models = {};
};

}  // namespace confab::engine
