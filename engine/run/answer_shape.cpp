// SPDX-License-Identifier: MIT
#include "engine/run/answer_shape.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "engine/error.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {

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

// A special token that may begin the reasoning.
bool AnswerShape::is_marker(Token token, const AnswerText& text) const {
  if (format_ == nullptr || text.in_answer() || !tokenizer_.piece(token, false).empty())
    return false;
  const std::string_view shown = tokenizer_.piece(token, true);
  return !shown.empty() && format_->mentions(shown);
}

// White space between the reasoning and the answer is of neither.
bool AnswerShape::is_left_out(Token token, const AnswerText& text) const {
  return has_thought_ && !text.in_answer() &&
         tokenizer_.piece(token, false).find_first_not_of(" \t\r\n") == std::string_view::npos;
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
    if (mask.is_empty())
      throw ModelError(
          "the model has no token that goes on in the shape that the answer must have");
    mask.apply(permitted_);
    return permitted_;
  }
  for (Token token = 0; token < tokenizer_.n_vocab(); ++token)
    if (tokenizer_.is_eog(token))
      permitted_[static_cast<std::size_t>(token)] = -std::numeric_limits<float>::infinity();
  return permitted_;
}

std::span<const float> AnswerShape::without(Token token) {
  permitted_[static_cast<std::size_t>(token)] = -std::numeric_limits<float>::infinity();
  return permitted_;
}

void AnswerShape::before_adding(const AnswerText& text) {
  was_held_ = is_held(text);
  has_thought_ = has_thought_ || text.in_reasoning();
}

void AnswerShape::added(Token token, const AnswerText& text) {
  if (was_held_ && !is_marker(token, text) && !is_left_out(token, text)) constraint_->accept(token);
  // The token that ended the reasoning, or the header, may have begun the answer as well.
  if (!was_held_) constraint_->accept(text.answer_bytes());
  if (constraint_->is_dead())
    throw ModelError("the model began its answer in another shape than it must have");
}

// Tokens of just these bytes; nullopt: the tokenizer makes others of them, as it may where they
// begin or end inside of a character, or where it puts a space before all text.
std::optional<std::vector<Token>> AnswerShape::encoded(std::string_view bytes) const {
  std::vector<Token> tokens = tokenizer_.encode(bytes, false);
  std::string text;
  for (const Token token : tokens) text += tokenizer_.piece(token, false);
  return text == bytes ? std::optional(std::move(tokens)) : std::nullopt;
}

// A token for each byte; empty: some byte has none.
std::vector<Token> AnswerShape::by_bytes(std::string_view bytes) const {
  std::vector<Token> tokens(bytes.size(), -1);
  for (Token token = 0; token < tokenizer_.n_vocab(); ++token) {
    const std::string_view piece = tokenizer_.piece(token, false);
    if (piece.size() != 1 || tokenizer_.is_eog(token)) continue;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] == piece[0] && tokens[i] < 0) tokens[i] = token;
  }
  if (std::ranges::find(tokens, -1) != tokens.end()) tokens.clear();
  return tokens;
}

std::vector<Token> AnswerShape::forced(const AnswerText& text) {
  if (!is_held(text)) return {};
  const std::string bytes = constraint_->forced();
  if (bytes.size() < 2) return {};
  std::vector<Token> tokens = encoded(bytes).value_or(std::vector<Token>{});
  if (!tokens.empty()) tokens.pop_back();
  return tokens;
}

std::vector<Token> AnswerShape::way_out(const AnswerText& text, int n_left) {
  if (!is_held(text)) return {};
  // How far the end is changes slowly; it is looked for now and then, and each time when it is
  // near.
  constexpr int kNear = 64, kEvery = 16;
  const bool is_near = n_left <= kNear + static_cast<int>(2 * n_needed_);
  if (!is_near && n_until_look_-- > 0) return {};
  n_until_look_ = kEvery;
  const std::string bytes = constraint_->way_out();
  auto whole = encoded(bytes);
  std::vector<Token> tokens = whole ? std::move(*whole) : by_bytes(bytes);
  n_needed_ = tokens.size();
  const auto n = static_cast<int>(n_needed_);
  has_fitted_ |= n <= n_left;
  if (n < n_left || !has_fitted_) return {};
  return tokens;
}

}  // namespace confab::engine
