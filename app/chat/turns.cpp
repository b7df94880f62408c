// SPDX-License-Identifier: MIT
#include "app/chat/turns.h"

#include <utility>

#include "app/chat/context_window.h"
#include "app/chat/question.h"
#include "app/chat/summary.h"

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

namespace {

void add_turn(std::vector<engine::Turn>& turns, engine::Turn turn) {
  if (turns.empty() || turns.back().message.role != turn.message.role)
    return turns.push_back(std::move(turn));
  engine::Turn& before = turns.back();
  before.message.content += "\n\n" + turn.message.content;
  before.tokens.clear();
  before.answer_begin = 0;
}

}  // namespace

std::vector<engine::Turn> turns_of(std::span<const Message> messages,
                                   const std::string& tokenizer_hash) {
  std::vector<engine::Turn> turns;
  const bool has_system = !messages.empty() && messages.front().role == Role::system;
  const std::span<const Message> said = messages.subspan(has_system ? 1 : 0);
  const std::string note = memory_of(said).note;
  std::string system = has_system ? prompt_of(messages.front()) : "";
  if (!note.empty()) system = system_with_summary(system, note);
  if (has_system || !note.empty())
    turns.push_back({.message = {std::string(name_of(Role::system)), std::move(system), ""}});
  const std::vector<bool> reads = is_read(said);
  for (std::size_t i = 0; i < said.size(); ++i) {
    const Message& message = said[i];
    if (!reads[i] || (message.role == Role::assistant && message.content.empty())) continue;
    add_turn(turns, message.role == Role::assistant
                        ? answer_turn(message, tokenizer_hash)
                        : engine::Turn{.message = {std::string(name_of(message.role)),
                                                   prompt_of(message), ""}});
  }
  return turns;
}

}  // namespace confab::app
