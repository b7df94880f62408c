// SPDX-License-Identifier: MIT
// Scores texts as a prompt's answer: reads the prompt, or has it from the cache, then runs the
// tokens of the texts on forks of it, those of several texts in a pass. Shares the decoder and the
// cache with the answers that a Generator writes; what they become does not depend on each other.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/api/requests.h"
#include "engine/cache/prefix_cache.h"
#include "engine/events/event_queue.h"
#include "engine/prompt/prompt.h"
#include "engine/run/chunk_size.h"

namespace confab::engine {

struct Model;

class Scorer {
 public:
  // All must outlive the object; so must it the last run of the cache, to which it gives its pages
  // up when there are none left.
  struct Parts {
    const Model& model;
    const PromptBuilder& prompts;
    PrefixCache& cache;
  };
  explicit Scorer(Parts parts);
  ~Scorer();

  // Begins a scoring, whose events come from step(), or at once where there is nothing to do. Those
  // that were asked for before it come first.
  void start(const ScoreRequest& request, std::stop_token stop, AnswerEvents events);
  bool is_busy() const noexcept { return !tasks_.empty(); }
  // One pass. alone: no answers are being written, whose pages it could wait for. What fails is the
  // end of the scoring that it is of.
  void step(bool alone);

 private:
  struct Task;
  struct Branch;
  void end_stopped();
  void advance(Task& task);
  void read(Task& task);
  void take_prompt(Task& task, std::span<const float> logits);
  void score(Task& task);
  void plan(Task& task);
  bool has_fork(Task& task, std::size_t path);
  void take_rows(Task& task);
  void drop_used(Task& task) noexcept;
  RunEnd run(Task& task, std::span<const SequenceRun> runs, bool shows);
  void make_way(bool alone);
  bool give_up() noexcept;
  void finish(Task& task);
  void fail(Task& task, const std::string& message);
  int widest() const noexcept;

  Parts parts_;
  Decoder& decoder_;
  ChunkSize chunk_;
  std::vector<Token> ends_;                   // the tokens that end an answer
  std::vector<std::unique_ptr<Task>> tasks_;  // in the order of their start
  bool is_running_ = false;                   // a pass of it, which needs its own pages
};

}  // namespace confab::engine
