// SPDX-License-Identifier: MIT
// One answer of an engine elsewhere: from bytes of HTTP to events.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/api/requests.h"
#include "engine/events/event_queue.h"
#include "engine/locked.h"
#include "engine/prompt/reasoning_stream.h"
#include "engine/remote/answer_stream.h"
#include "engine/remote/engine_facts.h"
#include "engine/remote/http_client.h"

namespace confab::engine {

struct AnswerOrder {
  std::string engine;  // its name
  EngineKind kind = EngineKind::other;
  int n_ctx = 0;
  int n_prompt = 0;  // tokens, as estimated
  GenerateRequest request = {};
  HttpRequest http = {};
};

// What has come of an answer is told, whatever becomes of the rest. stop() and the functions
// without an effect may be called by any thread, those of HttpReader by the client's.
class RemoteAnswer final : public HttpReader {
 public:
  // Events that wait for their reader, in bytes of text, from which on nothing more is taken.
  static constexpr std::size_t kFull = 1U << 20;

  // The queue must outlive it.
  RemoteAnswer(AnswerOrder order, AnswerEvents events, EventQueue& queue);

  // Nothing more is told but Finished{cancelled}, at once, unless it has ended.
  void stop();
  // It waits until there is room in the queue.
  bool is_full() const noexcept { return is_full_; }
  // Under which its reasoning came; empty: there was none.
  std::string reasoning_key();

  void head(const HttpHead& head) override;
  bool body(std::string_view bytes) override;
  std::optional<HttpRequest> end(const std::string& fault) override;

 private:
  using Clock = std::chrono::steady_clock;

  struct State {
    bool has_ended = false;
    int n_tries = 0;
    HttpHead head = {};
    std::string whole = {};                     // of a body that is no stream
    std::unique_ptr<AnswerStream> stream = {};  // nullptr: it is none
    ReasoningStream reasoning{nullptr, false};  // of engines that leave it in the text
    std::string text = {};                      // of the answer, where it must have a shape
    int n_pieces = 0;
    std::optional<Clock::time_point> first = {};
    Clock::time_point last = {};
  };

  void take(State& state, std::string_view bytes) const;
  void tell(State& state, const AnswerPart& part) const;
  void tell_begun(State& state) const;
  void tell_text(State& state, const std::string& reasoning, const std::string& text) const;
  std::optional<HttpRequest> end(State& state, const std::string& fault) const;
  void read_rest(State& state) const;
  void finish(State& state, FinishReason reason) const;
  void fail(State& state, std::string message, bool prompt_too_long = false) const;
  void conclude(State& state, const std::string& fault) const;
  FinishReason length_reason(const State& state) const;
  bool is_in_shape(const State& state) const;
  GenerateStats stats(const State& state) const;

  const AnswerOrder order_;
  const AnswerEvents events_;
  EventQueue& queue_;
  const Clock::time_point asked_;
  std::atomic<bool> is_full_ = false;
  Locked<State> state_;
};

}  // namespace confab::engine
