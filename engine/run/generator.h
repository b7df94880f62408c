// SPDX-License-Identifier: MIT
// Writes answers: builds the prompt, reuses prefixes, runs the prefill, then goes token by token
// until something ends the answer. Answers in flight share passes: the prompt of one is read along
// with the next tokens of others. No answer depends on the others.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/api/chat_model.h"
#include "engine/cache/prefix_cache.h"
#include "engine/constrain/constraint.h"
#include "engine/events/event_queue.h"
#include "engine/prompt/prompt.h"
#include "engine/run/chunk_size.h"
#include "engine/run/drafting.h"

namespace confab::kernels {
class ThreadPool;
}

namespace confab::engine {

struct AnswerState;
struct Model;

class Generator {
 public:
  using Clock = std::chrono::steady_clock;
  // The parts that the generator works with. All must outlive it.
  struct Parts {
    const Model& model;
    const PromptBuilder& prompts;
    PrefixCache& cache;
    std::vector<std::string> stop = {};  // in addition to those of the request
    // Sources of drafts. If there are any, the decoder must return logits for DraftLength::kMost +
    // 1 rows, or for n_batch if that is fewer, and must be able to take back each row.
    DraftSources& drafts;
    // Samples for the answers of a pass in parallel. With nullptr they are sampled in turn, with
    // the same result.
    kernels::ThreadPool* team = nullptr;
  };
  explicit Generator(Parts parts);
  ~Generator();

  // Begins an answer. Its events come from step(), or at once if it cannot begin. `requested` is
  // when it was asked for. Prompts are read in parallel; a prompt with the same start as one that
  // is being read waits for the shared part.
  void start(const GenerateRequest& request, Clock::time_point requested, std::stop_token stop,
             AnswerEvents events);
  // Whether answers are in flight.
  bool is_busy() const noexcept { return !tasks_.empty(); }
  // Runs one pass for the answers in flight, and sends progress, text and ends. A failure ends only
  // the answers that it concerns, and the generator stays usable. If the model file changes
  // meanwhile, nothing computed after the change is kept.
  void step();
  // Sends this remark with each answer in flight.
  void remark(const std::string& text);
  // Computes the start that all likely next prompts share, until stopped. Must not be called while
  // answers are in flight. Throws ModelError.
  void prepare(const PrepareRequest& request, const std::stop_token& stop);

 private:
  struct Task;
  struct Pass;
  struct Rows;
  int n_in_flight() const;
  Task* next_to_admit() const;
  void admit();
  const Pass& plan_pass();
  void add_draft(Task& task);
  RunEnd run(const Pass& pass);
  void sample_side_by_side(const Pass& pass);
  void make_way();
  Rows rows_of(std::size_t run) const;
  void take(Task& task, const Rows& rows);
  bool begins(Task& task, const Rows& rows);
  std::optional<FinishReason> take_rows(Task& task, const Rows& rows);
  std::optional<FinishReason> next_token(Task& task, const Rows& row, bool& goes_on);
  std::optional<FinishReason> close_reasoning(Task& task);
  std::optional<Failed> refusal(AnswerState& answer) const;
  int n_left(const AnswerState& answer) const;
  std::optional<Failed> shape_refusal(AnswerState& answer) const;
  bool must_close_reasoning(AnswerState& answer) const;
  std::optional<FinishReason> closes_shape(Task& task);
  bool adds_what_must_follow(Task& task);
  void append(Task& task, Token token);
  void finish(Task& task, FinishReason reason);
  void fail(Task& task, const std::string& message);
  void remove_ended();
  void check_weights();
  void read_ahead(CachedSequence& cached, std::span<const Token> prompt,
                  const std::stop_token& stop);

  Parts parts_;
  Decoder& decoder_;
  Constraints constraints_;
  ChunkSize chunk_;
  Drafting drafting_;
  const Task* drafted_ = nullptr;             // the task whose context the drafts continue
  std::vector<std::unique_ptr<Task>> tasks_;  // in the order they were started
  std::unique_ptr<Pass> pass_;                // the last pass; its memory is reused
  std::chrono::duration<double> pass_time_ = {};
  bool is_full_ = false;  // there were too few pages for all that wanted to begin
};

// The tokens that the prompts of all questions with the request's draft begin with. Throws
// ModelError and Stopped as PromptBuilder does. Public for its test.
std::vector<Token> likely_prompt(const PromptBuilder& prompts, const PrepareRequest& request,
                                 const std::stop_token& stop);

}  // namespace confab::engine
