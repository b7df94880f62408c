// SPDX-License-Identifier: MIT
// An answer while it is being written: its tokens, its text, what was reported of it, and how long
// it took.
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
#include "engine/prompt/reasoning_stream.h"
#include "engine/run/sampler.h"

namespace confab::engine {

class PromptBuilder;
class Tokenizer;
struct Model;

// Keeps an answer in the requested shape while its tokens are sampled. The reasoning before it and
// the markers around that are free; only the end of the turn has to wait for the answer.
class AnswerShape {
 public:
  // `tokenizer` and `format` must outlive the object. `format` is nullptr if the model does not
  // reason.
  AnswerShape(std::unique_ptr<Constraint> constraint, const Tokenizer& tokenizer,
              const ReasoningFormat* format);

  // Whether the token may come next after this text.
  bool permits(Token token, const AnswerText& text);
  // The logits [n_vocab], with -infinity for tokens that may not come next. Tokens
  // are not excluded merely because what must follow them exceeds a limit. Empty if no token may
  // come. Borrowed until the next call.
  std::span<const float> permitted(std::span<const float> logits, const AnswerText& text);
  // The same row, without this token.
  std::span<const float> without(Token token);
  // Call one before the token is added to the text, the other after it.
  void before_adding(const AnswerText& text);
  void added(Token token, const AnswerText& text);
  // may_end(): the answer is complete. must_end(): nothing can follow.
  bool may_end() const noexcept { return is_closed_ || constraint_->may_end(); }
  bool must_end() const noexcept { return constraint_->must_end(); }
  // Tokens that must come next, if there are any. Leaves out the last one, because it may become
  // one token with the text that follows.
  std::vector<Token> forced(const AnswerText& text);
  // way_out() returns the tokens of a short text that completes the answer from here; n_needed()
  // returns how many there are. Both throw ModelError if no such text is found.
  std::vector<Token> way_out();
  int n_needed();
  // Like way_out(). The caller adds the tokens unchecked, and the answer then has its shape.
  std::vector<Token> close();
  // Whether n_left tokens are enough to complete the answer after this token, or these tokens, have
  // been added. True during the reasoning, which does not change n_needed().
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
  bool has_header_;           // there are also markers before the answer
  bool was_held_ = false;     // before the token that is being added
  bool has_thought_ = false;  // there was reasoning before it
  // Texts that complete the answer: rest_ from here, asked_ from where leaves_room() last looked.
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
  std::size_t n_told = 0;    // how many of the tokens the deltas so far have carried
  bool has_thought = false;  // some reasoning has been reported
  std::optional<std::size_t> answer_begin = {};  // the first token of the answer
  GenerateStats stats = {};
  std::int64_t faults_before = platform::major_faults();
  Clock::time_point first_token = {};
  std::optional<AnswerShape> shape = {};  // the shape that it must have

  // Samples the next token from a row of logits [n_vocab], within the shape that the answer must
  // have. Returns nullopt if no token is known to continue it. Throws ModelError.
  std::optional<Token> sample(std::span<const float> logits);
  // How many of the best logits of a row sample() needs; 0: all.
  int n_enough() const { return shape ? 0 : sampler.n_enough(); }
  bool is_in_shape() const { return !shape || shape->may_end(); }
  // Nothing can follow in this shape.
  bool must_end() const { return shape && shape->must_end(); }
  // Counts a token that has just been sampled.
  void count();
  // Adds a token that was sampled or given. Returns true if it completes a stop string.
  bool add(const Tokenizer& tokenizer, Token token);
  // Finished::answer_begin.
  int begin_for_events() const;
  bool is_over_budget() const { return text.in_reasoning() && budget.is_spent(text.at_boundary()); }
  bool is_stopped() const { return stop.stop_requested(); }
  bool is_full_length() const { return n_predict >= 0 && stats.n_generated >= n_predict; }
  // Closes the reasoning. Its end markers become tokens of the answer, as if they had been sampled.
  void close_reasoning(const Tokenizer& tokenizer, std::span<const Token> markers);
  // At the end, reports the text that was held back.
  void finish_text();

 private:
  void find_begin(const Tokenizer& tokenizer);
  int n_tokens() const { return static_cast<int>(tokens.size()); }
  std::vector<Token> new_tokens();
  void push(AnswerDelta delta);
};

// Everything needed to begin an answer. All must outlive the object.
struct AnswerBeginnings {
  const Model& model;
  const PromptBuilder& prompts;
  const std::vector<std::string>& stop;  // in addition to those of the request
  Constraints& constraints;

  // Builds the prompt, and restores the answer so far if the request continues one. Throws
  // ModelError, and Stopped if it is stopped while the template is rendered.
  AnswerState begin(const GenerateRequest& request, AnswerState::Clock::time_point requested,
                    std::stop_token stop, AnswerEvents events) const;
};

}  // namespace confab::engine
