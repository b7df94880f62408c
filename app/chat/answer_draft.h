// SPDX-License-Identifier: MIT
// How an answer grows from what the model tells; one that is gone on with is told again from its
// beginning, and what there was of it is never lost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/events.h"
#include "sessions/conversations/message.h"

namespace confab::app {

class AnswerDraft {
 public:
  AnswerDraft() = default;
  // begun: the answer that is gone on with, as it was.
  explicit AnswerDraft(sessions::Message begun) : begun_(std::move(begun)) {}

  void take(const engine::PrefillProgress& progress) noexcept;
  void take(const engine::ReasoningDelta& delta, sessions::Message& answer);
  void take(const engine::TextDelta& delta, sessions::Message& answer);
  // The answer ends here. Where it was stopped, or failed, before it was where it had been, it
  // becomes what it was.
  void end(sessions::Message& answer);

  // Of the context, by the tokens so far; nullopt: what is told now was counted before.
  std::optional<int> n_ctx_used() const noexcept;
  // The answer is no shorter than what the database has of it.
  bool has_grown(const sessions::Message& answer) const noexcept;

 private:
  void grow(sessions::Message& answer, const std::vector<engine::Token>& tokens);
  void count(int n_generated) noexcept;

  std::optional<sessions::Message> begun_ = {};
  bool retold_ = false;  // the model has begun to tell it again
  int n_prompt_ = 0;     // without what is told of the answer again
  int n_retold_ = 0;     // tokens that have been told again
  int n_told_ = 0;       // tokens after the prompt
  bool counts_ = false;  // n_told_ is known
};

}  // namespace confab::app
