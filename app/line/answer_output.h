// SPDX-License-Identifier: MIT
// What of the answers of `confab -p` goes to standard output: a class a format.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/chat/answer_loop.h"
#include "app/exit_status.h"
#include "app/options.h"
#include "ui/terminal/plain_writer.h"

namespace confab::app {

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
                                          class SideLines& side);

// "stop", "length", "context_full", "interrupted", "error".
std::string_view name_of(AnswerEnd end) noexcept;
// Figures of an answer as one line of JSON.
std::string stats_json(const engine::GenerateStats& stats);

}  // namespace confab::app
