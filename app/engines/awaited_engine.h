// SPDX-License-Identifier: MIT
// A model of an engine elsewhere while it is got ready, on a thread of its own: its key may come of
// a command, its host may be slow, and it may have its model to load first.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "app/engines/engine_choice.h"
#include "base/thread.h"
#include "engine/api/chat_model.h"
#include "engine/locked.h"
#include "engine/platform/wake_fd.h"
#include "engine/remote/http_client.h"

namespace confab::app {

class AwaitedEngine {
 public:
  // Begins. key: the one that it has had before in this run; if it takes that no longer, or there
  // is none, the key is looked for where the configuration says. Throws ModelError where there is
  // no libcurl.
  AwaitedEngine(EngineChoice choice, int n_ctx, std::optional<std::string> key);
  ~AwaitedEngine();  // stops
  AwaitedEngine(const AwaitedEngine&) = delete;
  AwaitedEngine& operator=(const AwaitedEngine&) = delete;

  // It is waited for no more: over soon, and take() throws.
  void stop() noexcept { thread_.request_stop(); }
  // Whether it is ready, or has failed. From a change to the next call of this wake_fd() is
  // readable.
  bool is_over();
  std::string text();  // "waiting for work", "work is not ready: Loading model"
  int wake_fd() const noexcept { return wake_.fd(); }
  const std::string& name() const noexcept { return choice_.engine.name; }

  struct Ready {
    std::unique_ptr<engine::ChatModel> model;
    std::string key;  // that it took
  };
  // Once it is over. Throws UserError, ModelError.
  Ready take();

 private:
  struct State {
    bool is_over = false;
    std::string reason = {};  // that it gives; empty: it has not answered yet
  };
  void run(const std::stop_token& stop);
  Ready load(const std::stop_token& stop);
  bool wait(const std::string& reason, const std::stop_token& stop);
  void tell(State state);

  const EngineChoice choice_;
  const int n_ctx_;
  std::optional<std::string> key_;
  std::shared_ptr<engine::HttpClient> client_;
  Ready ready_ = {};  // the thread's, until it is over, as is the next one
  std::exception_ptr fault_ = {};
  engine::Locked<State> state_;
  engine::platform::WakeFd wake_;
  base::Thread thread_;  // last: it uses all of these
};

}  // namespace confab::app
