// SPDX-License-Identifier: MIT
// Passes on several answers that are written at once, one after the other, as lines require. Events
// of later answers wait for their turn. A single answer passes straight through.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/chat/answer_loop.h"

namespace confab::app {

class AnswersInTurn : public AnswerSink {
 public:
  explicit AnswersInTurn(AnswerSink& sink) : sink_(sink) {}  // must outlive it

  void progress(std::size_t answer, const AnswerWait& wait) override;
  void reasoning(std::size_t answer, const engine::ReasoningDelta& delta) override;
  bool text(std::size_t answer, const engine::TextDelta& delta) override;
  void ended(std::size_t answer, const AnswerOutcome& outcome) override;
  void counted(const engine::Counted& counted) override { sink_.counted(counted); }

 private:
  struct Waiting {
    engine::ReasoningDelta reasoning = {};
    engine::TextDelta text = {};
    std::optional<AnswerOutcome> end = {};
  };
  Waiting& waiting(std::size_t answer);
  void tell(std::size_t answer);

  AnswerSink& sink_;
  std::size_t turn_ = 0;
  std::vector<Waiting> waiting_;
};

}  // namespace confab::app
