// SPDX-License-Identifier: MIT
// Whether the context holds a question, by exact tokens, and the question without the middle of its
// longest files where it does not.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/chat/chat_state.h"
#include "app/error.h"
#include "engine/api/chat_model.h"

namespace confab::app {

class Fitting {
 public:
  // Both must outlive it.
  Fitting(const engine::ChatModel& model, const ChatState& chat) : model_(model), chat_(chat) {}

  int n_ctx() const noexcept { return model_.info().n_ctx; }
  // Tokens of the prompt that the question makes, with what has been said before it.
  int count(const Question& question) const;
  // Tokens that are kept free for an answer where there is a choice: as many as it may have.
  int room(const Question& question) const;
  bool fits_with_answer(const Question& question) const;

  // Throws TooLongError where not even a word of an answer would fit.
  void require(const Question& question) const;
  // "the prompt has 9,120 tokens, 931 more than fit; ...": with the room that it was to leave.
  TooLongError too_long(int n_tokens, int room, std::string_view advice) const;

  // Room for the answer is made in the middle of the longest files, at line ends, as much as is
  // needed and no more; `tell` gets a line that names them. Throws TooLongError where that does not
  // do.
  Question truncated(Question question, const std::function<void(std::string_view)>& tell) const;

 private:
  const engine::ChatModel& model_;
  const ChatState& chat_;
};

}  // namespace confab::app
