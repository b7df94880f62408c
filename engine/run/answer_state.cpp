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

// First samples from all logits and checks whether the token is permitted. It mostly is, and then
// no mask is needed. Tokens from the masked row are checked too, because a mask may allow too many.
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

// The answer begins with the bytes that the last token made certain. They may be its own, or
// include those of earlier tokens that were held back; or the token belongs to a marker as well.
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

AnswerShape::AnswerShape(std::unique_ptr<Constraint> constraint, const Tokenizer& tokenizer,
                         const ReasoningFormat* format)
    : constraint_(std::move(constraint)),
      tokenizer_(tokenizer),
      format_(format),
      has_header_(format != nullptr && std::ranges::any_of(format->markers, [](const auto& marker) {
                    return marker.begins == PartMarker::Begins::answer;
                  })) {}

bool AnswerShape::is_held(const AnswerText& text) const {
  if (format_ == nullptr) return true;
  return !text.in_reasoning() && (!has_header_ || text.in_answer());
}

// Whether it is a special token that may begin the reasoning.
bool AnswerShape::is_marker(Token token, const AnswerText& text) const {
  if (format_ == nullptr || text.in_answer() || !tokenizer_.piece(token, false).empty())
    return false;
  const std::string_view shown = tokenizer_.piece(token, true);
  return !shown.empty() && format_->mentions(shown);
}

// White space between the reasoning and the answer belongs to neither.
bool AnswerShape::is_left_out(Token token, const AnswerText& text) const {
  return has_thought_ && !text.in_answer() &&
         tokenizer_.piece(token, false).find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Whether the token brings the answer no closer to its end.
bool AnswerShape::is_aside(Token token, const AnswerText& text) const {
  return is_marker(token, text) || is_left_out(token, text);
}

bool AnswerShape::permits(Token token, const AnswerText& text) {
  if (!is_held(text)) return !tokenizer_.is_eog(token);
  return constraint_->allows(token) || (!tokenizer_.is_eog(token) && is_marker(token, text));
}

std::span<const float> AnswerShape::permitted(std::span<const float> logits,
                                              const AnswerText& text) {
  permitted_.assign(logits.begin(), logits.end());
  if (is_held(text)) {
    const TokenMask& mask = constraint_->mask();
    if (mask.is_empty()) return {};
    mask.apply(permitted_);
    return permitted_;
  }
  for (Token token = 0; token < tokenizer_.n_vocab(); ++token)
    if (tokenizer_.is_eog(token))
      permitted_[static_cast<std::size_t>(token)] = -std::numeric_limits<float>::infinity();
  return permitted_;
}

std::span<const float> AnswerShape::without(Token token) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  permitted_[static_cast<std::size_t>(token)] = kNever;
  const bool is_left = std::ranges::any_of(permitted_, [](float logit) { return logit > kNever; });
  return is_left ? std::span<const float>(permitted_) : std::span<const float>();
}

void AnswerShape::before_adding(const AnswerText& text) {
  was_held_ = is_held(text);
  has_thought_ = has_thought_ || text.in_reasoning();
}

void AnswerShape::added(Token token, const AnswerText& text) {
  if (is_closed_ || (was_held_ ? is_aside(token, text) : text.answer_bytes().empty())) return;
  // The token that ended the reasoning or the header may also have begun the answer.
  if (!was_held_ || !tokenizer_.is_eog(token))
    accept(was_held_ ? tokenizer_.piece(token, false) : text.answer_bytes());
  if (constraint_->is_dead())
    throw ModelError("the model began its answer in another shape than it must have");
}

// Tokens of exactly these bytes. nullopt if the tokenizer would change them, as it may if they
// begin or end inside a character, or if it puts a space before every text.
std::optional<std::vector<Token>> AnswerShape::encoded(std::string_view bytes) const {
  std::vector<Token> tokens = tokenizer_.encode(bytes, false);
  std::string text;
  for (const Token token : tokens) text += tokenizer_.piece(token, false);
  return text == bytes ? std::optional(std::move(tokens)) : std::nullopt;
}

// One token per byte. Throws ModelError if a byte has no token.
std::vector<Token> AnswerShape::by_bytes(std::string_view bytes) const {
  std::vector<Token> tokens(bytes.size(), -1);
  for (Token token = 0; token < tokenizer_.n_vocab(); ++token) {
    const std::string_view piece = tokenizer_.piece(token, false);
    if (piece.size() != 1 || tokenizer_.is_eog(token)) continue;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] == piece[0] && tokens[i] < 0) tokens[i] = token;
  }
  if (std::ranges::find(tokens, -1) != tokens.end())
    throw ModelError("the model has no tokens that end an answer of this shape");
  return tokens;
}

std::vector<Token> AnswerShape::tokens_of(std::string_view bytes) const {
  auto whole = encoded(bytes);
  return whole ? std::move(*whole) : by_bytes(bytes);
}

std::vector<Token> AnswerShape::forced(const AnswerText& text) {
  if (!is_held(text)) return {};
  std::string bytes;
  try {
    bytes = constraint_->forced();
  } catch (const ModelError&) {  // what follows here cannot be known
  }
  if (bytes.size() < 2) return {};
  std::vector<Token> tokens = encoded(bytes).value_or(std::vector<Token>{});
  if (!tokens.empty()) tokens.pop_back();
  return tokens;
}

// An earlier result stays valid if it continues as the answer does.
void AnswerShape::accept(std::string_view bytes) {
  constraint_->accept(bytes);
  if (asked_ && asked_->starts_with(bytes)) rest_ = asked_;
  if (rest_ && rest_->starts_with(bytes))
    rest_->erase(0, bytes.size());
  else
    rest_.reset();
  asked_ = rest_;
  n_needed_.reset();
}

const std::string& AnswerShape::rest() {
  if (!rest_) rest_ = constraint_->way_out();
  return *rest_;
}

std::vector<Token> AnswerShape::way_out() {
  return tokens_of(rest());
}

int AnswerShape::n_needed() {
  if (!n_needed_) n_needed_ = static_cast<int>(way_out().size());
  return *n_needed_;
}

std::vector<Token> AnswerShape::close() {
  std::vector<Token> rest = way_out();
  is_closed_ = true;
  return rest;
}

bool AnswerShape::leaves_room(Token token, const AnswerText& text, int n_left) {
  constexpr int kMarkers = 16;  // room to close what a marker opens
  if (tokenizer_.is_eog(token) || !is_held(text)) return true;
  if (is_aside(token, text)) return n_needed() + kMarkers <= n_left;
  return leaves_room_after(tokenizer_.piece(token, false), n_left);
}

bool AnswerShape::leaves_room(std::span<const Token> tokens, int n_left) {
  std::string bytes;
  for (const Token token : tokens) bytes += tokenizer_.piece(token, false);
  return leaves_room_after(bytes, n_left);
}

// No text has more tokens than bytes.
bool AnswerShape::leaves_room_after(std::string_view bytes, int n_left) {
  try {
    const std::string after = rest_ && rest_->starts_with(bytes) ? rest_->substr(bytes.size())
                                                                 : constraint_->way_out(bytes);
    asked_ = std::string(bytes) + after;
    return std::ssize(after) <= n_left || std::ssize(tokens_of(after)) <= n_left;
  } catch (const ModelError&) {  // no end is known from there
    return false;
  }
}

}  // namespace confab::engine
