// SPDX-License-Identifier: MIT
#include "bench/scripted_model.h"

#include <utility>

namespace confab {
namespace {

constexpr std::size_t kTokenBytes = 4;

}  // namespace

ScriptedModel::ScriptedModel(std::string text, double tokens_per_second, int n_tokens)
    : text_(std::move(text)), interval_(1 / tokens_per_second), n_tokens_(n_tokens) {
  info_.name = "scripted";
  info_.n_ctx = 1 << 20;
}

engine::AnswerId ScriptedModel::generate(engine::GenerateRequest) {
  ++n_answers_;
  thread_ = std::jthread([this](const std::stop_token& stop) { say(stop); });
  return engine::AnswerId{n_answers_};
}

void ScriptedModel::cancel(engine::AnswerId answer) noexcept {
  if (answer == engine::AnswerId{n_answers_}) thread_.request_stop();
}

void ScriptedModel::say(const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::size_t at = 0;
  int n = 0;
  for (; n < n_tokens_ && !stop.stop_requested(); ++n) {
    std::this_thread::sleep_until(begin +
                                  std::chrono::duration_cast<Clock::duration>(n * interval_));
    push(engine::TextDelta{text_.substr(at, kTokenBytes), n + 1, {1}});
    at = at + kTokenBytes < text_.size() ? at + kTokenBytes : 0;
  }
  engine::Finished finished{};
  finished.reason =
      n == n_tokens_ ? engine::FinishReason::end_of_turn : engine::FinishReason::cancelled;
  finished.stats.n_generated = n;
  finished.stats.decode = Clock::now() - begin;
  push(finished);
}

void ScriptedModel::push(engine::Event event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  wake_.set();
}

std::optional<engine::AnswerEvent> ScriptedModel::next_event() {
  const std::lock_guard lock(mutex_);
  if (events_.empty()) {
    wake_.clear();
    return std::nullopt;
  }
  engine::Event event = std::move(events_.front());
  events_.pop_front();
  return engine::AnswerEvent{engine::AnswerId{n_answers_}, std::move(event)};
}

}  // namespace confab
