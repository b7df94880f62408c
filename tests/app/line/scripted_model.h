// SPDX-License-Identifier: MIT
// A model with answers that are written down: the first request gets the first, and so on.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/app/fake_model.h"

namespace confab::app {

class ScriptedModel : public FakeModel {
 public:
  struct Answer {
    std::string text;
    engine::FinishReason reason = engine::FinishReason::end_of_turn;
    std::vector<engine::ReasoningDelta> thoughts = {};  // after the text
  };
  explicit ScriptedModel(std::vector<Answer> answers) : answers_(std::move(answers)) {}
  ~ScriptedModel() override { close(always_readable_); }

  engine::AnswerId generate(engine::GenerateRequest request) override {
    const std::size_t i = requests.size();
    const engine::AnswerId id = FakeModel::generate(std::move(request));
    EXPECT_LT(i, answers_.size());
    if (i >= answers_.size()) {
      tell(i, engine::Failed{"nothing more is written down"});
      return id;
    }
    if (!answers_[i].text.empty()) tell(i, engine::TextDelta{answers_[i].text, 1});
    for (const engine::ReasoningDelta& thought : answers_[i].thoughts) tell(i, thought);
    tell(i, finished({1}, answers_[i].reason));
    return id;
  }
  int wake_fd() const noexcept override { return always_readable_; }

 private:
  std::vector<Answer> answers_;
  int always_readable_ = open("/dev/null", O_RDONLY);
};

}  // namespace confab::app
