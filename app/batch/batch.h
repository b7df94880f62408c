// SPDX-License-Identifier: MIT
// `confab batch`: answers a file of requests, several at a time, into another file. Progress and
// errors go to stderr.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/batch/batch_input.h"
#include "app/batch/batch_output.h"
#include "app/options.h"
#include "app/paths.h"
#include "engine/api/chat_model.h"
#include "engine/api/events.h"

namespace confab::app {

// The answer to a request. It is written as one line of JSON in the format of the request: confab's
// own, or OpenAI's batch format.
struct BatchAnswer {
  std::string text = {};
  std::string reasoning = {};
  engine::FinishReason reason{};
  engine::GenerateStats stats = {};
  std::vector<std::string> refused = {};  // what was wrong with earlier answers
};

// Whether the answer was cut off by the token limit or the end of the context.
bool is_cut_off(engine::FinishReason reason) noexcept;

// The line is {"line", "id", "answer", "reasoning", "finish_reason", "statistics", "refused"}, or
// {"id", "custom_id", "response": {...}, "error": null}. `created`: seconds since 1970.
std::string answer_line(const BatchEntry& entry, const BatchAnswer& answer,
                        const std::string& model, std::int64_t created);
// The line is {"line", "id", "error"}, or {"id", "custom_id", "response": null, "error": {...}}.
std::string error_line(const BatchEntry& entry, const std::string& fault);

struct BatchFigures {
  std::size_t n_requests = 0;
  std::size_t n_before = 0;   // requests that had been answered before
  std::size_t n_now = 0;      // requests answered since then
  int n_failed = 0;           // failed requests among both
  std::int64_t n_tokens = 0;  // tokens generated since then, including unfinished answers
};

// Lets a model answer the requests of a batch, several at a time, and writes each answer once it is
// complete. An answer that is not as its request expects is requested again. Confined to one
// thread; never waits.
class BatchRun {
 public:
  struct Options {
    int n_parallel = 1;
  };
  // The references must outlive the object. Throws UserError if the output has answers, but none
  // belongs to one of these requests.
  BatchRun(engine::ChatModel& model, const BatchInput& input, BatchOutput& output, Options options);

  // Processes the model's events so far. Throws UserError if the model's own file is at fault: that
  // is not an answer to a request. Finished answers are written first.
  void take();
  // Requests as many answers as may be generated at a time.
  void fill();
  // Writes the lines of requests that have been answered, or cannot be asked. Call it after fill(),
  // so that the model works while the disk does. Throws as BatchOutput::append() does.
  void write();
  // Cancels the answers in progress without keeping anything of them, and requests no others.
  void stop();
  // Whether no answer is in progress. After fill() this means that all requests are done.
  bool is_idle() const noexcept { return in_flight_.empty(); }
  BatchFigures figures() const;
  // Why the engine is unreachable, which has stopped the run; empty: it is reachable.
  const std::string& lost() const noexcept { return lost_; }

 private:
  struct InFlight {
    std::size_t entry;
    Expectation expected = {};
    int n_retries = 0;
    BatchAnswer answer = {};
    int n_tokens = 0;
  };
  struct Line {
    std::string text;
    bool failed;
  };
  void begin(std::size_t entry, const std::vector<std::string>& faults = {});
  void ask(std::size_t entry, const std::vector<std::string>& faults);
  void take(InFlight& of, const engine::Event& event);
  void finish(InFlight& of, const engine::Finished& finished);
  void end(std::size_t entry, Line line);
  void write(std::size_t entry, const Line& line);
  std::size_t next_open(std::size_t entry) const;

  engine::ChatModel& model_;
  const BatchInput& input_;
  BatchOutput& output_;
  Options options_;
  // One time for all requests, so that a run over midnight gives all prompts the same date.
  std::chrono::sys_seconds now_;
  std::size_t next_ = 0;  // next entry to ask
  bool stopped_ = false;
  std::string lost_ = {};
  std::map<engine::AnswerId, InFlight> in_flight_;
  std::deque<std::pair<std::size_t, Line>> ended_;  // lines waiting to be written, by entry
  BatchFigures figures_;
};

// The progress of the batch. `elapsed` is the time since it began.
int batch_percent(const BatchFigures& figures) noexcept;
// "120 of 1,000 answered, 3 failed, 45.2 tokens/s, 3:12 min left".
std::string batch_progress(const BatchFigures& figures, std::chrono::duration<double> elapsed);
// Describes what the output file contains at the end.
std::string batch_summary(const BatchFigures& figures, const std::string& out,
                          std::chrono::duration<double> elapsed);

// Returns the exit status: 0 if all requests have an answer, 1 if some failed, 130 if interrupted.
// After an interruption the file is still complete up to there, and the same command resumes.
// Throws as open_backend() does, and UserError if a file is not as it should be.
int run_batch(const BatchOptions& options, const Paths& paths);

}  // namespace confab::app
