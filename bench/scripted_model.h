// SPDX-License-Identifier: MIT
// A model that computes nothing: its tokens come at a fixed rate from a thread of its own, as a
// real one's do.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/api/chat_model.h"
#include "engine/platform/wake_fd.h"

namespace confab {

class ScriptedModel : public engine::ChatModel {
 public:
  // The text is said over and over, a token each four bytes, until n_tokens have been.
  ScriptedModel(std::string text, double tokens_per_second, int n_tokens);
  ~ScriptedModel() override { thread_.request_stop(); }

  const engine::ModelInfo& info() const noexcept override { return info_; }
  int count_tokens(const std::vector<engine::Turn>& turns,
                   const engine::TemplateSettings&) const override {
    return static_cast<int>(turns.size());
  }
  std::string prompt_text(const std::vector<engine::Turn>&,
                          const engine::TemplateSettings&) const override {
    return {};
  }
  void count(engine::CountRequest) override {}
  // One answer at a time.
  engine::AnswerId generate(engine::GenerateRequest request) override;
  engine::AnswerId score(engine::ScoreRequest) override { return engine::AnswerId::none; }
  void cancel(engine::AnswerId answer) noexcept override;
  void prepare(engine::PrepareRequest) override {}
  std::future<void> unload() override { return {}; }
  void spare_power(bool /*on*/) override {}
  void spare_memory(bool /*on*/) override {}
  std::optional<engine::AnswerEvent> next_event() override;
  int wake_fd() const noexcept override { return wake_.fd(); }

 private:
  void say(const std::stop_token& stop);
  void push(engine::Event event);

  engine::ModelInfo info_;
  std::string text_;
  std::chrono::duration<double> interval_;
  int n_tokens_;
  std::uint64_t n_answers_ = 0;  // so far
  engine::platform::WakeFd wake_;
  std::mutex mutex_;
  std::deque<engine::Event> events_;  // under mutex_
  std::jthread thread_;
};

}  // namespace confab
