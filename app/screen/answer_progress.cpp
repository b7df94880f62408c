// SPDX-License-Identifier: MIT
#include "app/screen/answer_progress.h"

#include <fmt/format.h>

#include "app/figures.h"

namespace confab::app {

void AnswerProgress::begin(Clock::time_point now) {
  *this = {};
  asked_ = begun_ = now;
}

void AnswerProgress::end_waits() {
  prefill_.reset();
  load_.reset();
  waiting_.reset();
}

void AnswerProgress::take(const AnswerWait& wait, Clock::time_point now) {
  if (const auto* waiting = std::get_if<engine::Waiting>(&wait)) {
    waiting_ = *waiting;
    return;
  }
  waiting_.reset();
  if (const auto* load = std::get_if<engine::LoadProgress>(&wait)) {
    load_ = *load;
    return;
  }
  const auto& prefill = std::get<engine::PrefillProgress>(wait);
  if (!prefill_) {
    begun_ = now;
    n_before_ = prefill.n_done;
  }
  load_.reset();
  prefill_ = prefill;
}

void AnswerProgress::take(const engine::ReasoningDelta& delta, Clock::time_point now) {
  count(delta.n_generated, delta.tokens_per_pass, now);
  n_thought_ = delta.n_generated;
  last_thought_ = now;
  at_budget_ = delta.at_budget;
  thinking_ = !at_budget_;
}

void AnswerProgress::take(const engine::TextDelta& delta, Clock::time_point now) {
  count(delta.n_generated, delta.tokens_per_pass, now);
  if (thinking_) last_thought_ = now;
  thinking_ = false;
}

void AnswerProgress::end() {
  end_waits();
  thinking_ = false;
}

std::chrono::seconds AnswerProgress::elapsed(Clock::time_point now) const {
  return std::chrono::floor<std::chrono::seconds>(now - asked_);
}

void AnswerProgress::count(int n_generated, double tokens_per_pass, Clock::time_point now) {
  if (n_generated_ == 0) first_token_ = now;
  last_token_ = now;
  n_generated_ = n_generated;
  tokens_per_pass_ = tokens_per_pass;
  end_waits();
}

std::optional<std::chrono::seconds> AnswerProgress::time_left(Clock::time_point now) const {
  if (!prefill_ || prefill_->n_done <= n_before_) return std::nullopt;
  const std::chrono::duration<double> spent = now - begun_;
  const double each = spent.count() / (prefill_->n_done - n_before_);
  return std::chrono::seconds(
      static_cast<std::int64_t>(each * (prefill_->n_prompt - prefill_->n_done) + 0.5));
}

std::optional<std::chrono::seconds> AnswerProgress::silence(Clock::time_point now) const {
  if (n_generated_ == 0 || waiting_ || load_ || prefill_ || now - last_token_ < kSilence)
    return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(now - last_token_);
}

double AnswerProgress::tokens_per_second(Clock::time_point now) const {
  const std::chrono::duration<double> since = now - first_token_;
  return n_generated_ > 1 && since.count() > 0 ? (n_generated_ - 1) / since.count() : 0;
}

std::string AnswerProgress::reasoning_label(Clock::time_point now) const {
  if (n_thought_ == 0) return {};
  const std::chrono::duration<double> time = (thinking_ ? now : last_thought_) - first_token_;
  if (thinking_)
    return fmt::format("Thinking: {}, {:.0f} s", counted(n_thought_, "token"), time.count());
  return fmt::format("Thought for {:.0f} s, {}{}", time.count(), counted(n_thought_, "token"),
                     at_budget_ ? " (budget spent)" : "");
}

}  // namespace confab::app
