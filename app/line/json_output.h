// SPDX-License-Identifier: MIT
// The answers as JSON: one object when all is known, or an object a line as things happen. The
// fields are in docs/reference.md.
#pragma once

#include <string>
#include <vector>

#include "app/line/answer_output.h"

namespace confab::app {

class JsonOutput : public AnswerOutput {
 public:
  explicit JsonOutput(ui::PlainWriter& out) : out_(out) {}  // must outlive it

  void begin(const std::string& model, std::size_t n_answers) override;
  void reasoning(std::size_t answer, std::string_view text) override;
  Wants text(std::size_t answer, std::string_view text) override;
  void take_back(std::size_t answer) override;
  void ended(std::size_t answer, const AnswerOutcome& outcome) override;
  void refused(const std::string& fault) override;
  ExitStatus finish(ExitStatus status) override;

 private:
  struct Answer {
    std::string text = {};
    std::string reasoning = {};
    AnswerOutcome outcome = {};
  };

  ui::PlainWriter& out_;
  std::string model_;
  std::vector<Answer> answers_;
  std::vector<std::string> refused_;  // why answers before this one were
};

class JsonEventsOutput : public AnswerOutput {
 public:
  explicit JsonEventsOutput(ui::PlainWriter& out) : out_(out) {}  // must outlive it

  void begin(const std::string& model, std::size_t n_answers) override;
  bool in_turn() const override { return false; }
  void prefilled(std::size_t answer, const engine::PrefillProgress& progress) override;
  void asked_pieces(std::size_t n_done, std::size_t n_pieces) override;
  void reasoning(std::size_t answer, std::string_view text) override;
  Wants text(std::size_t answer, std::string_view text) override;
  void take_back(std::size_t answer) override;
  void ended(std::size_t answer, const AnswerOutcome& outcome) override;
  void refused(const std::string& fault) override;
  ExitStatus finish(ExitStatus status) override;

 private:
  ui::PlainWriter& out_;
};

}  // namespace confab::app
