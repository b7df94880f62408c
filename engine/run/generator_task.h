// SPDX-License-Identifier: MIT
// What a generator holds of each answer in flight, and of a pass: for its own files.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/cache/prefix_cache.h"
#include "engine/run/answer_state.h"
#include "engine/run/generator.h"

namespace confab::engine {

// What a pass gave of the rows of an answer: all logits of each, or the best.
struct Generator::Rows {
  std::span<const float> logits;
  std::span<const TopLogit> top;

  bool are_none() const { return logits.empty() && top.empty(); }
  // The i-th of n.
  Rows row(std::size_t i, std::size_t n) const {
    const std::size_t n_all = logits.size() / n, n_top = top.size() / n;
    return {logits.subspan(i * n_all, n_all), top.subspan(i * n_top, n_top)};
  }
};

// An answer in flight. Its sequence holds the beginning of its context: what is not there yet is
// run, and what follows from it is sampled.
struct Generator::Task {
  AnswerState answer;
  SequenceUse use;
  CachedSequence* cached = nullptr;  // nullptr: it waits
  bool writes = false;               // the prompt has been read
  bool ended = false;
  Clock::time_point begun = {};  // to be read
  // Of the pass: the tokens that are run, of which the last ones are a draft.
  std::vector<Token> rows = {};
  int n_drafted = 0;
  bool is_alone = false;
  std::optional<Token> sampled = {};  // from its row of logits, if it was already

  int n_run() const { return cached->sequence->n_tokens(); }
  int n_pending() const { return static_cast<int>(answer.context.size()) - n_run(); }
  // The next token depends on nothing but its row of logits and its sampler.
  bool may_be_sampled_apart() const {
    return writes && n_drafted == 0 && !answer.shape && !answer.is_full_length() &&
           !answer.is_over_budget() && !answer.is_stopped();
  }
  // As AnswerState::sample() has it.
  std::optional<Token> sample(const Rows& row) {
    if (row.top.empty()) return answer.sample(row.logits);
    return answer.sampler.sample(row.top);
  }
  // Of the row that the prompt ends with, all are looked at.
  int n_enough() const { return writes ? answer.n_enough() : 0; }
  void show(int n_done) const {
    if (!writes)
      answer.events.push(PrefillProgress{n_done, answer.stats.n_prompt, answer.stats.n_cached});
  }
};

struct Generator::Pass {
  std::vector<Task*> tasks = {};
  std::vector<SequenceRun> runs = {};
  bool reads = false;  // there is a piece of a prompt
  int n_rows = 0;

  void begin() {
    tasks.clear();
    runs.clear();
    reads = false;
    n_rows = 0;
  }
  bool is_stopped() const {
    return std::ranges::all_of(tasks, [](const Task* task) { return task->answer.is_stopped(); });
  }
};

}  // namespace confab::engine
