// SPDX-License-Identifier: MIT
// One answer of a remote engine: turns HTTP bytes into events.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
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
  std::string engine;  // the engine's name
  EngineKind kind = EngineKind::other;
  int n_ctx = 0;
  int n_prompt = 0;  // estimated tokens
  GenerateRequest request = {};
  HttpRequest http = {};
};

// Everything that has arrived of an answer is reported, whatever happens to the rest. stop() and
// the functions without side effects may be called by any thread. The functions of HttpReader are
// called by the client's thread.
class RemoteAnswer final : public HttpReader, public std::enable_shared_from_this<RemoteAnswer> {
 public:
  // Runs a piece of work at some time on any thread.
  using Later = std::function<void(std::function<void()>)>;
  // Most bytes of text and reasoning. The largest contexts anybody serves have a million tokens, of
  // at most five bytes.
  static constexpr std::size_t kMostBytes = 32U << 20;
  // Once this many bytes of text wait in the event queue, no more is taken.
  static constexpr std::size_t kFull = 1U << 20;

  // The queue must outlive it. `later` runs the check of an answer's shape, which may take seconds;
  // the client's thread must not wait for that.
  RemoteAnswer(
      AnswerOrder order, AnswerEvents events, EventQueue& queue,
      Later later = [](const std::function<void()>& work) { work(); });

  // Sends Finished{cancelled} at once and nothing more, unless the answer has ended.
  void stop();
  // Waiting for room in the queue.
  bool is_full() const noexcept { return is_full_; }
  // The key under which reasoning arrived; empty if there was none.
  std::string reasoning_key();

  void head(const HttpHead& head) override;
  bool body(std::string_view bytes) override;
  bool has_enough() override;
  std::optional<HttpRequest> end(const std::string& fault) override;

 private:
  using Clock = std::chrono::steady_clock;

  struct State {
    bool has_ended = false;     // nothing more of it is read
    bool has_told_end = false;  // set later than has_ended while the shape is checked
    int n_tries = 0;
    HttpHead head = {};
    std::string refusal = {};                   // the body of a response whose status is not 200
    std::unique_ptr<AnswerStream> stream = {};  // nullptr if the status is not 200
    ReasoningStream reasoning{nullptr, false};  // for engines that leave reasoning in the text
    std::string text = {};                      // of the answer, if it must have a shape
    std::optional<Finished> unchecked = {};     // its end, until the shape has been checked
    std::size_t n_bytes = 0;                    // of text and reasoning
    std::size_t n_text_bytes = 0;
    int n_pieces = 0;
    std::optional<Clock::time_point> first = {};
    Clock::time_point last = {};
  };

  void check_shape();
  void take(State& state, std::string_view bytes) const;
  void tell(State& state, const AnswerPart& part) const;
  void tell_begun(State& state) const;
  void tell_text(State& state, const std::string& reasoning, const std::string& text,
                 bool takes_back = false) const;
  std::optional<HttpRequest> end(State& state, const std::string& fault) const;
  void read_rest(State& state) const;
  void finish(State& state, FinishReason reason) const;
  void tell_end(State& state, Event end) const;
  void fail(State& state, std::string message, bool prompt_too_long = false) const;
  bool is_beyond_n_predict(const State& state, const AnswerPart& part) const;
  void conclude(State& state, const std::string& fault) const;
  FinishReason length_reason(const State& state) const;
  bool is_in_shape(const std::string& text) const;
  GenerateStats stats(const State& state) const;

  const AnswerOrder order_;
  const AnswerEvents events_;
  EventQueue& queue_;
  const Later later_;
  const Clock::time_point asked_;
  std::atomic<bool> is_full_ = false;
  Locked<State> state_;
};

}  // namespace confab::engine
