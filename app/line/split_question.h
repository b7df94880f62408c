// SPDX-License-Identifier: MIT
// A question about more text than the context holds, asked about pieces of it that fit, several at
// once; what is left to ask is to merge their answers. In several rounds where these are too long
// together.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/chat/chat_state.h"
#include "app/line/fitting.h"
#include "engine/api/chat_model.h"

namespace confab::app {

class SplitQuestion {
 public:
  // How many of a round's pieces have been answered; first with none.
  using Told = std::function<void(std::size_t n_done, std::size_t n_pieces)>;

  // All must outlive it. Nothing of the chat is changed, and it awaits no answer meanwhile. `wait`
  // sleeps until the model tells more; false: the question is given up.
  SplitQuestion(engine::ChatModel& model, const ChatState& chat, std::function<bool()> wait,
                Told told)
      : model_(model),
        chat_(chat),
        fitting_(model, chat),
        wait_(std::move(wait)),
        told_(std::move(told)) {}

  // The question itself where it fits, else the one that merges; nullopt: given up. Throws
  // TooLongError where pieces do not help, UserError when a piece cannot be answered.
  std::optional<Question> reduce(Question question);

 private:
  // What a piece may take, in tokens: several of them share the memory of one context.
  struct Budget {
    int prompt;
    int answer;
  };
  Budget budget(const Question& question) const;
  TooLongError no_room(int n_tokens) const;
  std::vector<Question> cut(const Question& question, const Budget& budget) const;
  std::optional<std::vector<std::string>> ask(const std::vector<Question>& pieces, int n_predict);
  engine::GenerateRequest request(const Question& piece, int n_predict) const;

  engine::ChatModel& model_;
  const ChatState& chat_;
  Fitting fitting_;
  std::function<bool()> wait_;
  Told told_;
};

}  // namespace confab::app
