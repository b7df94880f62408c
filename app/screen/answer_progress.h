// SPDX-License-Identifier: MIT
// How the running answer goes: reading the prompt, thinking, writing. Time is passed in.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/chat/answer_loop.h"

namespace confab::app {

class AnswerProgress {
 public:
  using Clock = std::chrono::steady_clock;

  void begin(Clock::time_point now);
  void take(const AnswerWait& wait, Clock::time_point now);
  void take(const engine::ReasoningDelta& delta, Clock::time_point now);
  void take(const engine::TextDelta& delta, Clock::time_point now);
  void end();

  // Of the prompt that is being read: between the request and the first token.
  const std::optional<engine::PrefillProgress>& prefill() const noexcept { return prefill_; }
  const std::optional<engine::LoadProgress>& load() const noexcept { return load_; }
  // For an engine that is not ready.
  const std::optional<engine::Waiting>& waiting() const noexcept { return waiting_; }
  std::chrono::seconds elapsed(Clock::time_point now) const;  // since begin()
  bool thinking() const noexcept { return thinking_; }
  int n_generated() const noexcept { return n_generated_; }
  // Until the first token, at the speed so far; nullopt: not known yet, or it has come.
  std::optional<std::chrono::seconds> time_left(Clock::time_point now) const;
  // How long nothing has come of an answer that has begun, once that is longer than kSilence.
  static constexpr std::chrono::seconds kSilence{10};
  std::optional<std::chrono::seconds> silence(Clock::time_point now) const;
  // Of the answer so far, from its second token on; 0: not known.
  double tokens_per_second(Clock::time_point now) const;
  // Of the answer so far; 0: not known.
  double tokens_per_pass() const noexcept { return tokens_per_pass_; }
  // What the folded reasoning says of itself; empty: there has been none.
  std::string reasoning_label(Clock::time_point now) const;

 private:
  void end_waits();
  void count(int n_generated, double tokens_per_pass, Clock::time_point now);

  std::optional<engine::PrefillProgress> prefill_;
  std::optional<engine::LoadProgress> load_;
  std::optional<engine::Waiting> waiting_;
  Clock::time_point asked_{};
  Clock::time_point begun_{};  // reading what is not cached
  int n_before_ = 0;           // tokens that were done then
  Clock::time_point first_token_{};
  Clock::time_point last_token_{};
  Clock::time_point last_thought_{};
  int n_thought_ = 0;  // tokens of reasoning
  int n_generated_ = 0;
  double tokens_per_pass_ = 0;
  bool thinking_ = false;
  bool at_budget_ = false;  // which has ended the reasoning
};

}  // namespace confab::app
