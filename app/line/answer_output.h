// SPDX-License-Identifier: MIT
// What of the answers of `confab -p` goes to standard output: a class a format.
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

// Whether somebody still wants more: a reader that is gone, or a code block that is complete, ends
// the answer.
enum class Wants { more, no_more };

// What is told of one answer comes in its order: its pieces, then its end.
class AnswerOutput {
 public:
  virtual ~AnswerOutput() = default;
  // The first call; the answers are numbered from 0.
  virtual void begin(const std::string& /*model*/, std::size_t /*n_answers*/) {}
  // Whether the answers are to come one after the other.
  virtual bool in_turn() const { return true; }

  virtual void prefilled(std::size_t /*answer*/, const engine::PrefillProgress& /*progress*/) {}
  // Of a question that did not fit and is asked in pieces.
  virtual void asked_pieces(std::size_t /*n_done*/, std::size_t /*n_pieces*/) {}
  virtual void reasoning(std::size_t /*answer*/, std::string_view /*text*/) {}
  virtual Wants text(std::size_t answer, std::string_view text) = 0;
  // The text of the answer so far was reasoning: see ReasoningDelta.
  virtual void take_back(std::size_t /*answer*/) {}
  virtual void ended(std::size_t /*answer*/, const AnswerOutcome& /*outcome*/) {}
  // Of what was asked, when all answers have ended: how it is to be asked again, for an answer in
  // the place of this one; nullopt: it is not.
  virtual std::optional<std::string> asks_again(const std::string& /*asked*/) {
    return std::nullopt;
  }
  // Somebody else has checked an answer, and holds it back.
  virtual void refused(const std::string& /*fault*/) {}
  // The last call, with how it ended; returns what the exit status is to be.
  virtual ExitStatus finish(ExitStatus status) { return status; }
};

// The writer, and what goes to standard error instead of it, must outlive the output.
std::unique_ptr<AnswerOutput> make_output(const OnceOptions& options, ui::PlainWriter& out,
                                          SideLines& side);

// "stop", "length", "context_full", "interrupted", "error".
std::string_view name_of(AnswerEnd end) noexcept;
// Figures of an answer as one line of JSON.
std::string stats_json(const engine::GenerateStats& stats);

// The answer as the model writes it; several below each other, each under a line with its number.
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

// Of an answer, the first fenced code block alone, without its fences: that of a language, or any.
// The answer is stopped where the block ends. Where there is none, the answer goes to standard
// error, and the exit status says so.
class CodeOutput : public AnswerOutput {
 public:
  // Both must outlive it. language: empty: any.
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

// The answers as JSON: one object when all is known, or an object a line as things happen. The
// fields are in docs/reference.md.
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
  std::vector<std::string> refused_;  // why answers before this one were
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

// Holds an answer back until it has the form that is expected of it, and asks for another one while
// it has not. Only what is accepted goes on; where nothing is, the last answer goes to standard
// error, and the exit status says so. One answer at a time.
class CheckedOutput : public AnswerOutput {
 public:
  // `output` gets the answer that is accepted. It is asked for n_retries times more at most. The
  // lines beside it must outlive the output.
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
  // The answer that is being written, or was the last to be.
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
  std::vector<std::string> faults_;  // of the attempts that were refused
  Attempt attempt_;
};

}  // namespace confab::app
