// SPDX-License-Identifier: MIT
#include "app/screen/answer_progress.h"

#include <fmt/format.h>

#include "app/chat/report.h"
#include "app/figures.h"
#include "ui/meter.h"

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

namespace {

constexpr ui::Cols kMeter{12};
constexpr const char* kStop = "Esc stop";

}  // namespace

bool is_worth_telling(double tokens_per_pass) noexcept {
  constexpr double kLeast = 1.05;
  return tokens_per_pass >= kLeast;
}

std::optional<std::string> reading_text(const AnswerProgress& progress,
                                        AnswerProgress::Clock::time_point now, ui::Cols meter) {
  if (progress.waiting()) return progress_text(*progress.waiting(), now);
  if (progress.load()) return progress_text(*progress.load());
  const auto& prefill = progress.prefill();
  if (!prefill) return std::nullopt;
  std::string text = fmt::format("{} {}", ui::meter(prefill->n_done, prefill->n_prompt, meter),
                                 progress_text(*prefill));
  if (const auto left = progress.time_left(now)) text += fmt::format(", {} left", time_text(*left));
  return text;
}

std::string work_line(const AnswerProgress& progress, AnswerProgress::Clock::time_point now) {
  const std::string time = time_text(progress.elapsed(now));
  if (const auto reading = reading_text(progress, now, kMeter))
    return fmt::format("{} · {} · {}", *reading, time, kStop);
  if (progress.n_generated() == 0) return fmt::format("● {} · {}", time, kStop);
  std::string text = fmt::format("● {} · {}", time, counted(progress.n_generated(), "token"));
  if (const auto silence = progress.silence(now))
    text += fmt::format(" · nothing for {}", time_text(*silence));
  else if (const double speed = progress.tokens_per_second(now); speed > 0)
    text += fmt::format(" · {:.1f} tok/s", speed);
  return fmt::format("{} · {}", text, kStop);
}

std::string work_line(std::span<const AnswerProgress> answers, double tokens_per_second,
                      AnswerProgress::Clock::time_point now) {
  const std::string time = time_text(answers.front().elapsed(now));
  int n_tokens = 0;
  for (const AnswerProgress& answer : answers) n_tokens += answer.n_generated();
  if (const auto reading = reading_text(answers.front(), now, kMeter))
    return fmt::format("{} · {} · {} all", *reading, time, kStop);
  std::string text = fmt::format("● {} · {} answers", time, answers.size());
  if (n_tokens > 0) text += fmt::format(" · {}", counted(n_tokens, "token"));
  if (tokens_per_second > 0) text += fmt::format(" · {:.1f} tok/s", tokens_per_second);
  return fmt::format("{} · {} all", text, kStop);
}

std::string count_label(const AnswerProgress& answer, AnswerProgress::Clock::time_point now) {
  if (answer.waiting()) return progress_text(*answer.waiting(), now);
  if (answer.load()) return progress_text(*answer.load());
  if (answer.prefill()) return progress_text(*answer.prefill());
  if (answer.thinking()) return answer.reasoning_label(now);
  return answer.n_generated() == 0 ? "waiting" : counted(answer.n_generated(), "token");
}

std::string end_label(AnswerEnd end, int n_generated) {
  const char* how = end == AnswerEnd::finished  ? "done"
                    : end == AnswerEnd::stopped ? "stopped"
                    : end == AnswerEnd::failed  ? "failed"
                                                : "cut off";
  return fmt::format("{}, {}", how, counted(n_generated, "token"));
}

std::string done_line(const engine::GenerateStats& stats) {
  const std::chrono::duration<double> time = stats.ttft + stats.decode;
  const std::string speed =
      stats.decode_tps() > 0 ? fmt::format(", {:.1f} tok/s", stats.decode_tps()) : "";
  const double per_pass = stats.tokens_per_pass();
  const std::string passes =
      is_worth_telling(per_pass) ? fmt::format(", {:.1f} tokens per pass", per_pass) : "";
  return fmt::format("✓ {} in {:.1f} s{}{}", counted(stats.n_generated, "token"), time.count(),
                     speed, passes);
}

}  // namespace confab::app
