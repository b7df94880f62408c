// SPDX-License-Identifier: MIT
// Of an answer, the first fenced code block alone, without its fences: that of a language, or any.
// The answer is stopped where the block ends. Where there is none, the answer goes to standard
// error, and the exit status says so.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "app/forms/code_finder.h"
#include "app/line/answer_output.h"

namespace confab::app {

class CodeOutput : public AnswerOutput {
 public:
  // Both must outlive it. language: empty: any.
  CodeOutput(ui::PlainWriter& out, SideLines& side, std::string language)
      : out_(out), side_(side), language_(language), finder_(std::move(language)) {}

  Wants text(std::size_t answer, std::string_view text) override;
  void take_back(std::size_t answer) override;
  ExitStatus finish(ExitStatus status) override;

 private:
  ui::PlainWriter& out_;
  SideLines& side_;
  std::string language_;
  CodeFinder finder_;
  std::string answer_;
};

}  // namespace confab::app
