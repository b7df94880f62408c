// SPDX-License-Identifier: MIT
// How the running answer is going (reading the prompt, thinking, writing), and how to say so in
// words. The caller passes the time.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "app/chat/answer_loop.h"
#include "engine/api/events.h"
#include "ui/text.h"

namespace confab::app {

class AnswerProgress {
 public:
  using Clock = std::chrono::steady_clock;

  void begin(Clock::time_point now);
  void take(const AnswerWait& wait, Clock::time_point now);
  void take(const engine::ReasoningDelta& delta, Clock::time_point now);
  void take(const engine::TextDelta& delta, Clock::time_point now);
  void end();

  // Progress on the prompt, until the first token.
  const std::optional<engine::PrefillProgress>& prefill() const noexcept { return prefill_; }
  const std::optional<engine::LoadProgress>& load() const noexcept { return load_; }
  // Set while the engine is not ready.
  const std::optional<engine::Waiting>& waiting() const noexcept { return waiting_; }
  std::chrono::seconds elapsed(Clock::time_point now) const;  // since begin()
  bool thinking() const noexcept { return thinking_; }
  int n_generated() const noexcept { return n_generated_; }
  // The time until the first token, at the speed so far. nullopt if unknown, or after that token.
  std::optional<std::chrono::seconds> time_left(Clock::time_point now) const;
  // How long a started answer has been silent, if that is longer than kSilence.
  static constexpr std::chrono::seconds kSilence{10};
  std::optional<std::chrono::seconds> silence(Clock::time_point now) const;
  // The speed from the second token on; 0 if unknown.
  double tokens_per_second(Clock::time_point now) const;
  // The average so far; 0 if unknown.
  double tokens_per_pass() const noexcept { return tokens_per_pass_; }
  // The label of the folded reasoning; "" if there is none.
  std::string reasoning_label(Clock::time_point now) const;

 private:
  void end_waits();
  void count(int n_generated, double tokens_per_pass, Clock::time_point now);

  std::optional<engine::PrefillProgress> prefill_;
  std::optional<engine::LoadProgress> load_;
  std::optional<engine::Waiting> waiting_;
  Clock::time_point asked_{};
  Clock::time_point begun_{};  // start of reading what is not cached
  int n_before_ = 0;           // tokens read by then
  Clock::time_point first_token_{};
  Clock::time_point last_token_{};
  Clock::time_point last_thought_{};
  int n_thought_ = 0;  // tokens of reasoning
  int n_generated_ = 0;
  double tokens_per_pass_ = 0;
  bool thinking_ = false;
  bool at_budget_ = false;  // the budget ended the reasoning
};

// The work before the first token: "▰▰▱▱ reading 1,024/4,096, 3 s left", with a meter of `meter`
// columns. nullopt if nothing is known.
std::optional<std::string> reading_text(const AnswerProgress& progress,
                                        AnswerProgress::Clock::time_point now, ui::Cols meter);
// "▰▰▱▱ reading 1,024/4,096, 3 s left · 2 s · Esc stop", "● 12 s · 345 tokens · 45.1 tok/s
// · Esc stop".
std::string work_line(const AnswerProgress& progress, AnswerProgress::Clock::time_point now);
// For several answers written at once: "● 12 s · 3 answers · 945 tokens · 120.1 tok/s · Esc stop
// all".
std::string work_line(std::span<const AnswerProgress> answers, double tokens_per_second,
                      AnswerProgress::Clock::time_point now);
// The progress of one of several answers ("reading 1,024/4,096", "Thinking: 12 tokens, 1 s", "345
// tokens"), and its end ("done, 345 tokens").
std::string count_label(const AnswerProgress& answer, AnswerProgress::Clock::time_point now);
std::string end_label(AnswerEnd end, int n_generated);
// Returns true if drafts have made a difference that one decimal shows.
bool is_worth_telling(double tokens_per_pass) noexcept;
// "✓ 345 tokens in 12 s, 45.1 tok/s, 2.5 tokens per pass".
std::string done_line(const engine::GenerateStats& stats);

}  // namespace confab::app
