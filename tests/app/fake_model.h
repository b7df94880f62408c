// SPDX-License-Identifier: MIT
// A ChatModel that says what a test tells it to, in the order that a real one would.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "engine/api/chat_model.h"

namespace confab::app {

class FakeModel : public engine::ChatModel {
 public:
  FakeModel() {
    info_.name = "fake";
    info_.n_ctx = 2048;
    info_.chat_template = "the file has none: ChatML";
    info_.tokenizer_hash = "hash-1";
  }
  const engine::ModelInfo& info() const noexcept override { return info_; }
  int count_tokens(const std::vector<engine::Turn>& turns,
                   const engine::TemplateSettings&) const override {
    return static_cast<int>(turns.size());
  }
  std::string prompt_text(const std::vector<engine::Turn>& turns,
                          const engine::TemplateSettings&) const override {
    std::string text;
    for (const engine::Turn& turn : turns)
      text += "<" + turn.message.role + ">" + turn.message.content;
    return text;
  }
  void count(engine::CountRequest request) override { counts.push_back(std::move(request)); }
  engine::AnswerId generate(engine::GenerateRequest request) override {
    requests.push_back(std::move(request));
    return last_answer();
  }
  engine::AnswerId score(engine::ScoreRequest request) override {
    scorings.push_back(std::move(request));
    return last_answer();
  }
  void cancel(engine::AnswerId answer) noexcept override {
    ++n_cancelled;
    cancelled.push_back(static_cast<std::size_t>(answer) - 1);
  }
  void prepare(engine::PrepareRequest request) override {
    preparations.push_back(std::move(request));
  }
  std::future<void> unload() override {
    ++n_unloaded;
    return {};
  }
  void spare_power(bool on) override { spared_power.push_back(on); }
  void spare_memory(bool on) override { spared.push_back(on); }
  // The events are of the answer that was asked for last, unless they were told of another one.
  std::optional<engine::AnswerEvent> next_event() override {
    if (!told_.empty()) {
      engine::AnswerEvent event = std::move(told_.front());
      told_.pop_front();
      return event;
    }
    if (events.empty()) return std::nullopt;
    engine::Event event = std::move(events.front());
    events.pop_front();
    const bool is_count = std::holds_alternative<engine::Counted>(event);
    return engine::AnswerEvent{is_count ? engine::AnswerId::none : last_answer(), std::move(event)};
  }
  int wake_fd() const noexcept override { return -1; }

  // An event of the answer to a request, by its place in `requests`.
  void tell(std::size_t request, engine::Event event) {
    told_.push_back({static_cast<engine::AnswerId>(request + 1), std::move(event)});
  }
  engine::ModelInfo& change_info() noexcept { return info_; }
  void set_tokenizer_hash(std::string hash) { info_.tokenizer_hash = std::move(hash); }

  std::vector<engine::GenerateRequest> requests;
  std::vector<engine::ScoreRequest> scorings;
  std::vector<engine::PrepareRequest> preparations;
  std::vector<engine::CountRequest> counts;
  std::deque<engine::Event> events;
  int n_cancelled = 0;
  int n_unloaded = 0;
  std::vector<bool> spared;
  std::vector<bool> spared_power;
  std::vector<std::size_t> cancelled;  // requests

 private:
  engine::AnswerId last_answer() const {
    return static_cast<engine::AnswerId>(requests.size() + scorings.size());
  }

  engine::ModelInfo info_;
  std::deque<engine::AnswerEvent> told_;
};

inline engine::Finished finished(std::vector<engine::Token> tokens,
                                 engine::FinishReason reason = engine::FinishReason::end_of_turn) {
  engine::Finished event{};
  event.reason = reason;
  event.stats.n_prompt = 10;
  event.stats.n_cached = 4;
  event.stats.n_generated = static_cast<int>(tokens.size());
  event.stats.prefill = std::chrono::milliseconds(60);
  event.stats.decode = std::chrono::milliseconds(100);
  event.tokens = std::move(tokens);
  event.n_ctx_used = 10 + event.stats.n_generated;
  return event;
}

}  // namespace confab::app
