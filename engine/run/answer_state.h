// SPDX-License-Identifier: MIT
// An answer while it is being written: what has been sampled, what of it is text, what has been
// told, and how long it took.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/events/event_queue.h"
#include "engine/platform/pressure.h"
#include "engine/prompt/answer_text.h"
#include "engine/prompt/reasoning_stream.h"
#include "engine/run/answer_shape.h"
#include "engine/run/sampler.h"

namespace confab::engine {

class PromptBuilder;
class Tokenizer;
struct Model;

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
