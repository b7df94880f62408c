// SPDX-License-Identifier: MIT
// Has a model answer the requests of a batch, several at a time, and writes each answer once it is
// whole. One that is not as its request expects is asked for again. Confined to one thread, and
// never waits.
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
#include "engine/api/chat_model.h"
#include "engine/api/events.h"

namespace confab::app {

// The answer to a request of a batch as a line of JSON, in the format that the request has: one of
// confab's, or of OpenAI's batches.
struct BatchAnswer {
  std::string text = {};
  std::string reasoning = {};
  engine::FinishReason reason{};
  engine::GenerateStats stats = {};
  std::vector<std::string> refused = {};  // what was wrong with the answers before
};

// By the limit of tokens, or the context's.
bool is_cut_off(engine::FinishReason reason) noexcept;

// {"line", "id", "answer", "reasoning", "finish_reason", "statistics", "refused"}, or {"id",
// "custom_id", "response": {...}, "error": null}. `created`: seconds since 1970.
std::string answer_line(const BatchEntry& entry, const BatchAnswer& answer,
                        const std::string& model, std::int64_t created);
// {"line", "id", "error"}, or {"id", "custom_id", "response": null, "error": {...}}.
std::string error_line(const BatchEntry& entry, const std::string& fault);

struct BatchFigures {
  std::size_t n_requests = 0;
  std::size_t n_before = 0;   // of them, how many had been answered before
  std::size_t n_now = 0;      // and how many are answered since
  int n_failed = 0;           // of both
  std::int64_t n_tokens = 0;  // written since, those of answers that are not whole among them
};

class BatchRun {
 public:
  struct Options {
    int n_parallel = 1;
  };
  // The references must outlive the object. Throws UserError when there are answers, but none is to
  // one of these requests.
  BatchRun(engine::ChatModel& model, const BatchInput& input, BatchOutput& output, Options options);

  // Takes what the model has told so far. Throws UserError when the model's own file is at fault:
  // that is no answer to a request, and those before it are written.
  void take();
  // Asks for as many answers as may be written at a time.
  void fill();
  // Writes the lines of what has been answered, or cannot be asked for. Behind fill(), so that the
  // model has work while the disk has. Throws as BatchOutput::append().
  void write();
  // Ends the answers that are being written: nothing of them is kept, and no others are asked for.
  void stop();
  // No answer is being written. Behind fill(): all have been.
  bool is_idle() const noexcept { return in_flight_.empty(); }
  BatchFigures figures() const;
  // Why the engine cannot be asked any more, which has stopped the run; empty: it can.
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
  // One for all, so that their prompts are the same on two days.
  std::chrono::sys_seconds now_;
  std::size_t next_ = 0;  // entry to be asked for
  bool stopped_ = false;
  std::string lost_ = {};
  std::map<engine::AnswerId, InFlight> in_flight_;
  std::deque<std::pair<std::size_t, Line>> ended_;  // by entry; to be written
  BatchFigures figures_;
};

}  // namespace confab::app
