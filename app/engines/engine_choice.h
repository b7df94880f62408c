// SPDX-License-Identifier: MIT
// Remote engines: finds the one that the name of a model refers to and the ones that run on this
// machine, and waits for one to be ready.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/engine_config.h"
#include "base/thread.h"
#include "engine/api/chat_model.h"
#include "engine/locked.h"
#include "engine/platform/wake_fd.h"
#include "engine/remote/engine_facts.h"
#include "engine/remote/http_client.h"
#include "engine/remote/remote_chat_model.h"

namespace confab::app {

struct EngineChoice {
  EngineConfig engine;
  std::string model;  // empty: the model that it has loaded
};

// Accepts "work/MODEL" or "work" for an engine named in config.toml, "http://HOST:PORT#MODEL", and
// "127.0.0.1:PORT/MODEL" for an engine on this machine. Returns nullopt if the model belongs to no
// engine. Throws UserError for an invalid URL.
std::optional<EngineChoice> engine_choice(const std::string& name,
                                          std::span<const EngineConfig> engines);
engine::RemoteOptions remote_options(const EngineChoice& choice, std::string key);

// The addresses where engines usually listen on this machine, without those in `engines`.
std::vector<EngineConfig> usual_engines(std::span<const EngineConfig> engines);

struct AskedEngine {
  EngineConfig config;
  engine::EngineFacts facts = {};
  std::string fault = {};  // why it could not be asked; empty: it answers
};
// Asks all of them in parallel, and waits for each to connect this long at most.
std::vector<AskedEngine> ask_engines(std::vector<EngineConfig> engines,
                                     std::chrono::milliseconds connect);
// The engines on this machine that connect within 100 ms; no other machine is contacted. Empty also
// if libcurl is not available.
std::vector<AskedEngine> running_engines(std::span<const EngineConfig> engines);

// A model that can be offered without asking any other machine.
struct OfferedModel {
  std::string name;   // name for -m and /model
  std::string where;  // "Ollama, 8,192 tokens"
};
std::vector<OfferedModel> offered_models(std::span<const EngineConfig> engines);

// Prepares a model of a remote engine on a separate thread: its key may come from a command, its
// host may be slow, and it may have to load the model first.
class AwaitedEngine {
 public:
  // Starts preparing. key: the key that worked earlier in this run; if it is missing or no longer
  // accepted, the key is looked up as the configuration says. Throws ModelError if libcurl is not
  // available.
  AwaitedEngine(EngineChoice choice, int n_ctx, std::optional<std::string> key);
  ~AwaitedEngine();  // stops the thread
  AwaitedEngine(const AwaitedEngine&) = delete;
  AwaitedEngine& operator=(const AwaitedEngine&) = delete;

  // Stops waiting. is_over() soon becomes true, and take() then throws.
  void stop() noexcept { thread_.request_stop(); }
  // Whether the model is ready, or preparing it has failed. After a change, wake_fd() is readable
  // until the next call of this.
  bool is_over();
  std::string text();  // "waiting for work", "work is not ready: Loading model"
  int wake_fd() const noexcept { return wake_.fd(); }
  const std::string& name() const noexcept { return choice_.engine.name; }

  struct Ready {
    std::unique_ptr<engine::ChatModel> model;
    std::string key;  // the key that was accepted
  };
  // Returns the model; call it only when is_over(). Throws UserError, ModelError.
  Ready take();

 private:
  struct State {
    bool is_over = false;
    std::string reason = {};  // reason given by the engine; empty: it has not answered yet
  };
  void run(const std::stop_token& stop);
  Ready load(const std::stop_token& stop);
  bool wait(const std::string& reason, const std::stop_token& stop);
  void tell(State state);

  const EngineChoice choice_;
  const int n_ctx_;
  std::optional<std::string> key_;
  std::shared_ptr<engine::HttpClient> client_;
  Ready ready_ = {};  // owned by the thread until it is over, like fault_
  std::exception_ptr fault_ = {};
  engine::Locked<State> state_;
  engine::platform::WakeFd wake_;
  base::Thread thread_;  // last: the thread uses all other members
};

}  // namespace confab::app
