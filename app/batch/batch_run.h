// SPDX-License-Identifier: MIT
// Has a model answer the requests of a batch, several at a time, and writes each answer once it is
// whole. Confined to one thread, and never waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "app/batch/batch_answer.h"
#include "app/batch/batch_input.h"
#include "app/batch/batch_output.h"
#include "engine/api/chat_model.h"

namespace confab::app {

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
    bool ordered = false;
  };
  // The references must outlive the object. Throws UserError when there are answers, but none is to
  // one of these requests.
  BatchRun(engine::ChatModel& model, const BatchInput& input, BatchOutput& output, Options options);

  // Asks for as many answers as may be written at a time. What cannot be asked for is told in the
  // output. Throws as BatchOutput::append().
  void fill();
  // Takes what the model has told so far. Throws likewise, and UserError when the model's own file
  // is at fault: that is no answer to a request.
  void take();
  // Ends the answers that are being written: nothing of them is kept, and no others are asked for.
  void stop();
  // Nothing is being written. Behind fill(): all that there is to do has been done.
  bool is_idle() const noexcept { return in_flight_.empty(); }
  BatchFigures figures() const;

 private:
  struct InFlight {
    std::size_t entry;
    BatchAnswer answer = {};
    int n_tokens = 0;
  };
  struct Line {
    std::string text;
    bool failed;
  };
  void ask(std::size_t entry);
  void end(std::size_t entry, Line line);
  void take(InFlight& of, const engine::Event& event);
  void write_ordered();
  std::size_t next_open(std::size_t entry) const;

  engine::ChatModel& model_;
  const BatchInput& input_;
  BatchOutput& output_;
  Options options_;
  // One for all, so that their prompts are the same on two days.
  std::chrono::sys_seconds now_;
  std::size_t next_ = 0;       // entry to be asked for
  std::size_t unwritten_ = 0;  // the first entry that has no line yet
  bool stopped_ = false;
  std::map<engine::AnswerId, InFlight> in_flight_;
  std::map<std::size_t, Line> held_;  // for the answers before them
  BatchFigures figures_;
};

}  // namespace confab::app
