// SPDX-License-Identifier: MIT
// Holds an answer back until it has the form that is expected of it, and asks for another one while
// it has not. Only what is accepted goes on; where nothing is, the last answer goes to standard
// error, and the exit status says so. One answer at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/expectation.h"
#include "app/line/answer_output.h"

namespace confab::app {

class CheckedOutput : public AnswerOutput {
 public:
  // `output` gets the answer that is accepted. It is asked for n_retries times more at most. The
  // lines beside it must outlive the output.
  CheckedOutput(std::unique_ptr<AnswerOutput> output, SideLines& side, Expectation expected,
                int n_retries)
      : output_(std::move(output)),
        side_(side),
        expected_(std::move(expected)),
        n_most_(static_cast<std::size_t>(n_retries) + 1) {}

  void begin(const std::string& model, std::size_t n_answers) override;
  bool in_turn() const override { return output_->in_turn(); }
  void prefilled(std::size_t answer, const engine::PrefillProgress& progress) override;
  void asked_pieces(std::size_t n_done, std::size_t n_pieces) override;
  void reasoning(std::size_t answer, std::string_view text) override;
  Wants text(std::size_t answer, std::string_view text) override;
  void take_back(std::size_t answer) override;
  void ended(std::size_t answer, const AnswerOutcome& outcome) override;
  std::optional<std::string> asks_again(const std::string& asked) override;
  ExitStatus finish(ExitStatus status) override;

 private:
  // The answer that is being written, or was the last to be.
  struct Attempt {
    enum class State { written, accepted, refused };
    std::string text = {};
    std::string reasoning = {};
    AnswerOutcome outcome = {};
    State state = State::written;
  };

  Attempt& current();
  std::string progress_text() const;
  ExitStatus give_up();

  std::unique_ptr<AnswerOutput> output_;
  SideLines& side_;
  Expectation expected_;
  std::size_t n_most_;
  std::vector<std::string> faults_;  // of the attempts that were refused
  Attempt attempt_;
};

}  // namespace confab::app
