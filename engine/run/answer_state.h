// SPDX-License-Identifier: MIT
// An answer while it is being written: what has been sampled, what of it is text, what has been
// told, and how long it took.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/constrain/constraint.h"
#include "engine/events/event_queue.h"
#include "engine/platform/pressure.h"
#include "engine/prompt/answer_text.h"
#include "engine/prompt/reasoning_budget.h"
#include "engine/run/sampler.h"

namespace confab::engine {

class PromptBuilder;
class Tokenizer;
struct Model;

// Holds an answer to the shape that was asked for, while its tokens are sampled. What the model
// thinks before is free, and so are the markers around that; only the end has to wait for the
// answer.
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

struct AnswerState {
  using Clock = std::chrono::steady_clock;

  std::vector<Token> context;  // the prompt, then what follows it
  int n_predict;               // -1: no limit
  Clock::time_point requested;
  std::stop_token stop;
  AnswerEvents events;
  Sampler sampler;
  AnswerText text;
  ReasoningBudget budget;
  std::vector<Token> tokens = {};
  std::size_t n_told = 0;                        // of the tokens, with the deltas so far
  bool has_thought = false;                      // text of the reasoning has been told
  std::optional<std::size_t> answer_begin = {};  // the first token of the answer
  GenerateStats stats = {};
  std::int64_t faults_before = platform::major_faults();
  Clock::time_point first_token = {};
  std::optional<AnswerShape> shape = {};  // that it must have

  // The token after a row of logits [n_vocab], in the shape that the answer must have; nullopt: no
  // token is known to go on in it. Throws ModelError.
  std::optional<Token> sample(std::span<const float> logits);
  // So many of the best of the row are enough for that; 0: all are needed.
  int n_enough() const { return shape ? 0 : sampler.n_enough(); }
  bool is_in_shape() const { return !shape || shape->may_end(); }
  // Nothing can follow in this shape.
  bool must_end() const { return shape && shape->must_end(); }
  // Counts a token that has just been sampled.
  void count();
  // Adds a token that was sampled, or given; true when it completes a stop string.
  bool add(const Tokenizer& tokenizer, Token token);
  // Where the answer begins, as Finished has it.
  int begin_for_events() const;
  bool is_over_budget() const { return text.in_reasoning() && budget.is_spent(text.at_boundary()); }
  bool is_stopped() const { return stop.stop_requested(); }
  bool is_full_length() const { return n_predict >= 0 && stats.n_generated >= n_predict; }
  // The markers after the reasoning are tokens of the answer like those that are sampled.
  void close_reasoning(const Tokenizer& tokenizer, std::span<const Token> markers);
  // Tells what was held back, at the end.
  void finish_text();

 private:
  void find_begin(const Tokenizer& tokenizer);
  int n_tokens() const { return static_cast<int>(tokens.size()); }
  std::vector<Token> new_tokens();
  void push(AnswerDelta delta);
};

// What answers begin with; all must outlive the object.
struct AnswerBeginnings {
  const Model& model;
  const PromptBuilder& prompts;
  const std::vector<std::string>& stop;  // besides those of the request
  Constraints& constraints;

  // The prompt, and what there is already of an answer that is gone on with. Throws ModelError, and
  // Stopped while the template is rendered.
  AnswerState begin(const GenerateRequest& request, AnswerState::Clock::time_point requested,
                    std::stop_token stop, AnswerEvents events) const;
};

}  // namespace confab::engine
