// SPDX-License-Identifier: MIT
// The answer as the model writes it; several below each other, each under a line with its number.
#pragma once

#include "app/line/answer_output.h"

namespace confab::app {

class TextOutput : public AnswerOutput {
 public:
  explicit TextOutput(ui::PlainWriter& out) : out_(out) {}  // must outlive it

  void begin(const std::string& model, std::size_t n_answers) override;
  Wants text(std::size_t answer, std::string_view text) override;
  void ended(std::size_t answer, const AnswerOutcome& outcome) override;
  ExitStatus finish(ExitStatus status) override;

 private:
  void head(std::size_t answer);

  ui::PlainWriter& out_;
  std::size_t n_answers_ = 1;
  std::size_t n_headed_ = 0;
};

}  // namespace confab::app
