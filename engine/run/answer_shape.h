// SPDX-License-Identifier: MIT
// Holds an answer to the shape that was asked for, while its tokens are sampled. What the model
// thinks before is free, and so are the markers around that; only the end has to wait for the
// answer.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/constrain/constraint.h"
#include "engine/prompt/answer_text.h"

namespace confab::engine {

class Tokenizer;

class AnswerShape {
 public:
  // `tokenizer` must outlive the object, and so must the format; nullptr: the model does not
  // reason.
  AnswerShape(std::unique_ptr<Constraint> constraint, const Tokenizer& tokenizer,
              const ReasoningFormat* format);

  // Whether the token may come next after this text.
  bool permits(Token token, const AnswerText& text);
  // The logits [n_vocab] with -infinity for tokens that may not, all but those after which only the
  // rest of what has to come is longer than a limit allows; empty: none may. Borrowed until the
  // next call.
  std::span<const float> permitted(std::span<const float> logits, const AnswerText& text);
  // The same again, without this token.
  std::span<const float> without(Token token);
  // The token is to be added to the text; it has been.
  void before_adding(const AnswerText& text);
  void added(Token token, const AnswerText& text);
  // The answer is whole; nothing can follow.
  bool may_end() const noexcept { return is_closed_ || constraint_->may_end(); }
  bool must_end() const noexcept { return constraint_->must_end(); }
  // Tokens that must come next, where there are some; what may become one token with what follows
  // is left to the model.
  std::vector<Token> forced(const AnswerText& text);
  // Tokens of a short text that ends the answer in its shape, from where it is now, and how many
  // these are. Throw ModelError where none is found.
  std::vector<Token> way_out();
  int n_needed();
  // The same: they are to be added, unchecked, and the answer has its shape.
  std::vector<Token> close();
  // Whether n_left tokens are enough for the end once this one has been added to the text, or these
  // to the answer. True while the model thinks: n_needed() does not change meanwhile.
  bool leaves_room(Token token, const AnswerText& text, int n_left);
  bool leaves_room(std::span<const Token> tokens, int n_left);

 private:
  bool is_held(const AnswerText& text) const;
  bool is_marker(Token token, const AnswerText& text) const;
  bool is_left_out(Token token, const AnswerText& text) const;
  bool is_aside(Token token, const AnswerText& text) const;
  void accept(std::string_view bytes);
  const std::string& rest();
  bool leaves_room_after(std::string_view bytes, int n_left);
  std::optional<std::vector<Token>> encoded(std::string_view bytes) const;
  std::vector<Token> by_bytes(std::string_view bytes) const;
  std::vector<Token> tokens_of(std::string_view bytes) const;

  std::unique_ptr<Constraint> constraint_;
  const Tokenizer& tokenizer_;
  const ReasoningFormat* format_;
  bool has_header_;           // markers come before the answer too
  bool was_held_ = false;     // before the token that is being added
  bool has_thought_ = false;  // there was reasoning before it
  // Texts that end the answer, from where it is now; the second is of what has been asked about.
  std::optional<std::string> rest_ = {}, asked_ = {};
  std::optional<int> n_needed_ = {};  // tokens of `rest_`
  bool is_closed_ = false;
  std::vector<float> permitted_;  // [n_vocab]
};

}  // namespace confab::engine
