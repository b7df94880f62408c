// SPDX-License-Identifier: MIT
#include "app/chat/turns.h"

#include <utility>

#include "app/chat/question.h"

namespace confab::app {

using sessions::Message;
using sessions::Role;

engine::Turn answer_turn(const Message& answer, const std::string& tokenizer_hash) {
  engine::Turn turn{.message = {"assistant", answer.content, answer.reasoning}};
  if (answer.tokenizer_hash != tokenizer_hash) return turn;
  turn.tokens = answer.tokens;
  turn.answer_begin = answer.answer_begin;
  return turn;
}

std::vector<engine::Turn> turns_of(std::span<const Message> messages,
                                   const std::string& tokenizer_hash) {
  std::vector<engine::Turn> turns;
  for (const Message& message : messages) {
    if (message.role == Role::assistant && message.content.empty()) continue;
    engine::Turn turn =
        message.role == Role::assistant
            ? answer_turn(message, tokenizer_hash)
            : engine::Turn{.message = {std::string(name_of(message.role)), prompt_of(message), ""}};
    if (!turns.empty() && turns.back().message.role == turn.message.role) {
      engine::Turn& before = turns.back();
      before.message.content += "\n\n" + turn.message.content;
      before.tokens.clear();
      before.answer_begin = 0;
    } else {
      turns.push_back(std::move(turn));
    }
  }
  return turns;
}

}  // namespace confab::app
