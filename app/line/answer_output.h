// SPDX-License-Identifier: MIT
// The output of `confab -p` on standard output: one class for each format.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/chat/answer_loop.h"
#include "app/exit_status.h"
#include "app/expectation.h"
#include "app/forms/code_finder.h"
#include "app/options.h"
#include "ui/terminal/plain_writer.h"

namespace confab::app {

class SideLines;

// Whether the output wants more of the answer. The answer is stopped if the reader is gone or the
// code block is complete.
enum class Wants { more, no_more };

// The events of one answer come in order: first its pieces, then its end.
class AnswerOutput {
 public:
  virtual ~AnswerOutput() = default;
  // The first call. Answers are numbered from 0.
  virtual void begin(const std::string& /*model*/, std::size_t /*n_answers*/) {}
  // Returns true if the answers have to come one after the other.
  virtual bool in_turn() const { return true; }

  virtual void prefilled(std::size_t /*answer*/, const engine::PrefillProgress& /*progress*/) {}
  // The question did not fit, and is being asked in pieces.
  virtual void asked_pieces(std::size_t /*n_done*/, std::size_t /*n_pieces*/) {}
  virtual void reasoning(std::size_t /*answer*/, std::string_view /*text*/) {}
  virtual Wants text(std::size_t answer, std::string_view text) = 0;
  // The answer's text so far was reasoning: see ReasoningDelta.
  virtual void take_back(std::size_t /*answer*/) {}
  virtual void ended(std::size_t /*answer*/, const AnswerOutcome& /*outcome*/) {}
  // Called when all answers have ended. Returns the question to ask instead of `asked` for another
  // answer, or nullopt if no other answer is wanted.
  virtual std::optional<std::string> asks_again(const std::string& /*asked*/) {
    return std::nullopt;
  }
  // The caller has checked an answer and rejected it.
  virtual void refused(const std::string& /*fault*/) {}
  // The last call, with the run's status. Returns the exit status to use.
  virtual ExitStatus finish(ExitStatus status) { return status; }
};

// Both `out` and `side`, for standard error, must outlive the output.
std::unique_ptr<AnswerOutput> make_output(const OnceOptions& options, ui::PlainWriter& out,
                                          SideLines& side);

// "stop", "length", "context_full", "interrupted", "error".
std::string_view name_of(AnswerEnd end) noexcept;
// An answer's figures as one line of JSON.
std::string stats_json(const engine::GenerateStats& stats);

// The answer as the model writes it. Several answers follow each other, each below a line with its
// number.
class TextOutput : public AnswerOutput {
 public:
  explicit TextOutput(ui::PlainWriter& out) : out_(out) {}  // must outlive it

  void begin(const std::string& model, std::size_t n_answers) override;
  Wants text(std::size_t answer, std::string_view text) override;
  void ended(std::size_t answer, const AnswerOutcome& outcome) override;
  ExitStatus finish(ExitStatus status) override;

 private:
  void head(std::size_t answer);

  ui::PlainWriter& out_;
  std::size_t n_answers_ = 1;
  std::size_t n_headed_ = 0;
};

// Writes only the answer's first fenced code block in a language (or in any), without its fences.
// Stops the answer where the block ends. If there is no such block, the answer goes to standard
// error and the exit status says so.
class CodeOutput : public AnswerOutput {
 public:
  // Both must outlive it. An empty `language` accepts any.
  CodeOutput(ui::PlainWriter& out, SideLines& side, std::string language)
      : out_(out), side_(side), language_(language), finder_(std::move(language)) {}

  Wants text(std::size_t answer, std::string_view text) override;
  void take_back(std::size_t answer) override;
  ExitStatus finish(ExitStatus status) override;

 private:
  ui::PlainWriter& out_;
  SideLines& side_;
  std::string language_;
  CodeFinder finder_;
  std::string answer_;
};

// Writes all answers as one JSON object at the end. JsonEventsOutput writes an object per line as
// things happen. docs/reference.md lists the fields.
class JsonOutput : public AnswerOutput {
 public:
  explicit JsonOutput(ui::PlainWriter& out) : out_(out) {}  // must outlive it

  void begin(const std::string& model, std::size_t n_answers) override;
  void reasoning(std::size_t answer, std::string_view text) override;
  Wants text(std::size_t answer, std::string_view text) override;
  void take_back(std::size_t answer) override;
  void ended(std::size_t answer, const AnswerOutcome& outcome) override;
  void refused(const std::string& fault) override;
  ExitStatus finish(ExitStatus status) override;

 private:
  struct Answer {
    std::string text = {};
    std::string reasoning = {};
    AnswerOutcome outcome = {};
  };

  ui::PlainWriter& out_;
  std::string model_;
  std::vector<Answer> answers_;
  std::vector<std::string> refused_;  // why earlier answers were refused
};

class JsonEventsOutput : public AnswerOutput {
 public:
  explicit JsonEventsOutput(ui::PlainWriter& out) : out_(out) {}  // must outlive it

  void begin(const std::string& model, std::size_t n_answers) override;
  bool in_turn() const override { return false; }
  void prefilled(std::size_t answer, const engine::PrefillProgress& progress) override;
  void asked_pieces(std::size_t n_done, std::size_t n_pieces) override;
  void reasoning(std::size_t answer, std::string_view text) override;
  Wants text(std::size_t answer, std::string_view text) override;
  void take_back(std::size_t answer) override;
  void ended(std::size_t answer, const AnswerOutcome& outcome) override;
  void refused(const std::string& fault) override;
  ExitStatus finish(ExitStatus status) override;

 private:
  ui::PlainWriter& out_;
};

// Holds an answer back until it has the expected form, and asks again if it does not. Only an
// accepted answer is passed on. If none is accepted, the last one goes to standard error and the
// exit status says so. Supports one answer at a time.
class CheckedOutput : public AnswerOutput {
 public:
  // `output` gets the accepted answer. At most n_retries more answers are asked for. `side` must
  // outlive this object.
  CheckedOutput(std::unique_ptr<AnswerOutput> output, SideLines& side, Expectation expected,
                int n_retries)
      : output_(std::move(output)),
        side_(side),
        expected_(std::move(expected)),
        n_most_(static_cast<std::size_t>(n_retries) + 1) {}

  void begin(const std::string& model, std::size_t n_answers) override;
  bool in_turn() const override { return output_->in_turn(); }
  void prefilled(std::size_t answer, const engine::PrefillProgress& progress) override;
  void asked_pieces(std::size_t n_done, std::size_t n_pieces) override;
  void reasoning(std::size_t answer, std::string_view text) override;
  Wants text(std::size_t answer, std::string_view text) override;
  void take_back(std::size_t answer) override;
  void ended(std::size_t answer, const AnswerOutcome& outcome) override;
  std::optional<std::string> asks_again(const std::string& asked) override;
  ExitStatus finish(ExitStatus status) override;

 private:
  // The answer in progress, or the last one.
  struct Attempt {
    enum class State { written, accepted, refused };
    std::string text = {};
    std::string reasoning = {};
    AnswerOutcome outcome = {};
    State state = State::written;
  };

  Attempt& current();
  std::string progress_text() const;
  ExitStatus give_up();

  std::unique_ptr<AnswerOutput> output_;
  SideLines& side_;
  Expectation expected_;
  std::size_t n_most_;
  std::vector<std::string> faults_;  // of the refused attempts
  Attempt attempt_;
};

}  // namespace confab::app
