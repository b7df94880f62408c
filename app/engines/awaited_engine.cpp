// SPDX-License-Identifier: MIT
#include "app/engines/awaited_engine.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "engine/error.h"

namespace confab::app {

AwaitedEngine::AwaitedEngine(EngineChoice choice, int n_ctx, std::optional<std::string> key)
    : choice_(std::move(choice)),
      n_ctx_(n_ctx),
      key_(std::move(key)),
      client_(std::make_shared<engine::HttpClient>()),
      thread_(base::stack::kUsual, [this](const std::stop_token& stop) { run(stop); }) {}

AwaitedEngine::~AwaitedEngine() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  client_.reset();  // its thread uses what the model owns
}

bool AwaitedEngine::is_over() {
  wake_.clear();  // before the state is read, so that a later change wakes again
  return state_.with([](const State& state) { return state.is_over; });
}

std::string AwaitedEngine::text() {
  const std::string reason = state_.with([](const State& state) { return state.reason; });
  return reason.empty() ? fmt::format("waiting for {}", name()) : reason;
}

void AwaitedEngine::tell(State state) {
  state_.with([&](State& now) { return now = std::move(state), true; });
  wake_.set();
}

// Waits a moment before the next attempt. Returns false if a stop was requested.
bool AwaitedEngine::wait(const std::string& reason, const std::stop_token& stop) {
  tell({.reason = reason});
  std::mutex mutex;  // guards nothing: only a stop request wakes
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
  return !stop.stop_requested();
}

AwaitedEngine::Ready AwaitedEngine::load(const std::stop_token& stop) {
  const auto reach = [&](const std::string& key) {
    engine::RemoteOptions options = remote_options(choice_, key);
    options.n_ctx = n_ctx_;
    options.wait = [&](const std::string& reason) { return wait(reason, stop); };
    return Ready{engine::load_remote_model(options, client_), key};
  };
  if (key_) {
    try {
      return reach(*key_);
    } catch (const engine::KeyRefused&) {  // the key may have expired
    }
  }
  return reach(key_of(choice_.engine, stop));
}

void AwaitedEngine::run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { client_->abandon(); });
  try {
    ready_ = load(stop);
  } catch (...) {
    fault_ = std::current_exception();
  }
  tell({.is_over = true});
}

AwaitedEngine::Ready AwaitedEngine::take() {
  const bool was_stopped = thread_.get_stop_token().stop_requested();
  thread_.join();
  client_.reset();  // from here on only the model uses it
  if (was_stopped) throw engine::ModelError(fmt::format("{}: not waited for", name()));
  if (fault_) std::rethrow_exception(fault_);
  return std::move(ready_);
}

}  // namespace confab::app
