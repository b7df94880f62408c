// SPDX-License-Identifier: MIT
#include "engine/run/answer_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/prompt/prompt.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {
namespace {

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void check(const GenerateRequest& request, std::span<const Token> prompt) {
  if (request.n_predict < -1) {
    throw ModelError(fmt::format("n_predict: found {}, expected a number from -1 (no limit)",
                                 request.n_predict));
  }
  if (request.reasoning_budget < -1) {
    throw ModelError(fmt::format("reasoning_budget: found {}, expected a number from -1 (no limit)",
                                 request.reasoning_budget));
  }
  if (prompt.empty())
    throw ModelError("prompt: the chat template makes no prompt from these messages");
}

}  // namespace

AnswerState AnswerBeginnings::begin(const GenerateRequest& request,
                                    AnswerState::Clock::time_point requested,
                                    std::stop_token stop_token, AnswerEvents events) const {
  std::vector<Turn> turns = request.turns;
  std::optional<Turn> begun;
  if (request.continues && !turns.empty()) {
    begun = std::move(turns.back());
    turns.pop_back();
  }
  Prompt prompt = prompts.build_prompt(turns, request.settings, stop_token);
  const std::vector<Token> begun_tokens =
      begun ? prompts.begun_answer(*begun, prompt.reasoning_open) : std::vector<Token>{};
  AnswerState answer{std::move(prompt.ids),
                     request.n_predict,
                     requested,
                     std::move(stop_token),
                     events,
                     Sampler(request.sampling, model.hparams.n_vocab, model.tokenizer.get()),
                     AnswerText(*model.tokenizer, joined(stop, request.stop), prompts.reasoning(),
                                prompt.reasoning_open),
                     ReasoningBudget(request.reasoning_budget)};
  if (prompts.reasoning() == nullptr) answer.answer_begin = 0;
  if (auto constraint = constraints.begin(request.shape))
    answer.shape.emplace(std::move(constraint), *model.tokenizer, prompts.reasoning());
  if (answer.shape) answer.text.keep_answer();
  for (const Token token : answer.context) answer.sampler.accept(token);
  answer.context.insert(answer.context.end(), begun_tokens.begin(), begun_tokens.end());
  check(request, answer.context);
  answer.stats.n_prompt = static_cast<int>(answer.context.size());
  for (const Token token : begun_tokens) answer.add(*model.tokenizer, token);
  return answer;
}

// What is sampled is asked about first: most of the time it fits, and no mask is needed. Afterwards
// too, as a mask may have more.
std::optional<Token> AnswerState::sample(std::span<const float> logits) {
  Token token = sampler.sample(logits);
  if (!shape || shape->permits(token, text)) return token;
  for (auto left = shape->permitted(logits, text); !left.empty(); left = shape->without(token)) {
    token = sampler.sample(left);
    if (shape->permits(token, text)) return token;
  }
  return std::nullopt;
}

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
  if (shape) shape->before_adding(text);
  const bool stopped = text.add(token, delta);
  if (shape) shape->added(token, text);
  if (delta.takes_back) answer_begin.reset();
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
  if (has_thought)
    events.push(ReasoningDelta{"", n_tokens(), new_tokens(), true, stats.tokens_per_pass()});
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
  if (!delta.reasoning.empty() || delta.takes_back) {
    has_thought = true;
    events.push(ReasoningDelta{.text = std::move(delta.reasoning),
                               .n_generated = n_tokens(),
                               .tokens = new_tokens(),
                               .tokens_per_pass = stats.tokens_per_pass(),
                               .takes_back = delta.takes_back});
  }
  if (!delta.text.empty()) {
    events.push(
        TextDelta{std::move(delta.text), n_tokens(), new_tokens(), stats.tokens_per_pass()});
  }
}

}  // namespace confab::engine
