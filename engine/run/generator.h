// SPDX-License-Identifier: MIT
// Writes answers: prompts, prefix reuse, prefill, then token by token until something ends them.
// Answers in flight share passes: one's prompt is read beside the tokens of others. What an answer
// becomes does not depend on those beside it.
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
  // What the generator works with; all must outlive it.
  struct Parts {
    const Model& model;
    const PromptBuilder& prompts;
    PrefixCache& cache;
    std::vector<std::string> stop = {};  // besides those of the request
    // What may follow. Where there are any, the decoder gives the logits of as many rows as
    // DraftLength::kMost + 1, or the batch has, and can take each of them back.
    DraftSources& drafts;
    // Samples for answers of one pass side by side; nullptr: one after the other, which is the
    // same.
    kernels::ThreadPool* team = nullptr;
  };
  explicit Generator(Parts parts);
  ~Generator();

  // Begins an answer, whose events come from step(), or at once where there is none. `requested` is
  // when it was asked for. Prompts are read side by side; one that begins as another one that is
  // being read waits for what they have in common.
  void start(const GenerateRequest& request, Clock::time_point requested, std::stop_token stop,
             AnswerEvents events);
  // Whether answers are in flight.
  bool is_busy() const noexcept { return !tasks_.empty(); }
  // One pass for the answers in flight: pushes progress, text and ends. What fails is the end of
  // those that it is of, and the generator can be used again. Of a model file that was changed
  // meanwhile nothing is kept that was computed since.
  void step();
  // Tells it with each answer.
  void remark(const std::string& text);
  // Computes what all next prompts will begin with that the request allows, until stopped; while no
  // answer is in flight. Throws ModelError.
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
  const Task* drafted_ = nullptr;             // whose context the drafts are of
  std::vector<std::unique_ptr<Task>> tasks_;  // in the order of their start
  std::unique_ptr<Pass> pass_;                // the last one; its memory serves the next
  std::chrono::duration<double> pass_time_ = {};
  bool is_full_ = false;  // there were too few pages for all that wanted to begin
};

// What the prompts of all questions that begin with the request's draft begin with. Throws
// ModelError, and Stopped, as PromptBuilder does.
std::vector<Token> likely_prompt(const PromptBuilder& prompts, const PrepareRequest& request,
                                 const std::stop_token& stop);

}  // namespace confab::engine
