// SPDX-License-Identifier: MIT
#include "engine/run/answer_state.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "engine/text/tokenizer.h"

namespace confab::engine {

void AnswerState::count() {
  const Clock::time_point now = Clock::now();
  if (stats.n_generated++ == 0) {
    first_token = now;
    stats.ttft = now - requested;
  }
  stats.decode = now - first_token;
}

bool AnswerState::add(const Tokenizer& tokenizer, Token token) {
  sampler.accept(token);
  tokens.push_back(token);
  if (text.in_reasoning()) budget.count();
  AnswerDelta delta;
  const bool stopped = text.add(token, delta);
  find_begin(tokenizer);
  push(std::move(delta));
  return stopped;
}

// The answer begins with the bytes that the last token made certain. They are its own, or of the
// tokens before it as well, which were held back; or a token belongs to a marker and the answer.
void AnswerState::find_begin(const Tokenizer& tokenizer) {
  constexpr std::size_t kMaxHeld = 64;
  const std::string_view bytes = text.answer_bytes();
  if (answer_begin || bytes.empty()) return;
  answer_begin = std::numeric_limits<std::size_t>::max();
  std::string tail;
  const std::size_t first = tokens.size() - std::min(tokens.size(), kMaxHeld);
  for (std::size_t i = tokens.size(); i > first && tail != bytes; --i) {
    tail.insert(0, tokenizer.piece(tokens[i - 1], false));
    if (tail == bytes) answer_begin = i - 1;
  }
}

int AnswerState::begin_for_events() const {
  const std::size_t begin = answer_begin.value_or(tokens.size());
  return begin > tokens.size() ? -1 : static_cast<int>(begin);
}

void AnswerState::close_reasoning(const Tokenizer& tokenizer, std::span<const Token> markers) {
  budget.close();
  if (has_thought) events.push(ReasoningDelta{"", n_tokens(), new_tokens(), true});
  for (const Token token : markers) add(tokenizer, token);
}

void AnswerState::finish_text() {
  AnswerDelta rest;
  text.finish(rest);
  push(std::move(rest));
}

std::vector<Token> AnswerState::new_tokens() {
  const std::size_t begin = std::exchange(n_told, tokens.size());
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.end()};
}

void AnswerState::push(AnswerDelta delta) {
  if (!delta.reasoning.empty()) {
    has_thought = true;
    events.push(ReasoningDelta{std::move(delta.reasoning), n_tokens(), new_tokens()});
  }
  if (!delta.text.empty()) {
    events.push(TextDelta{std::move(delta.text), n_tokens(), new_tokens()});
  }
}

}  // namespace confab::engine
