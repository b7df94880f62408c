// SPDX-License-Identifier: MIT
#include "app/line/checked_output.h"

#include <fmt/format.h>

#include "app/forms/form_check.h"
#include "app/line/side_lines.h"
#include "ui/text.h"

namespace confab::app {
namespace {

std::string_view without_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \n") + 1);
}

}  // namespace

void CheckedOutput::begin(const std::string& model, std::size_t n_answers) {
  output_->begin(model, n_answers);
}

void CheckedOutput::prefilled(std::size_t answer, const engine::PrefillProgress& progress) {
  output_->prefilled(answer, progress);
}

void CheckedOutput::asked_pieces(std::size_t n_done, std::size_t n_pieces) {
  output_->asked_pieces(n_done, n_pieces);
}

// What was refused is kept until the next one begins.
CheckedOutput::Attempt& CheckedOutput::current() {
  if (attempt_.state == Attempt::State::refused) attempt_ = {};
  return attempt_;
}

void CheckedOutput::reasoning(std::size_t /*answer*/, std::string_view text) {
  current().reasoning += text;
  side_.progress(progress_text());
}

void CheckedOutput::take_back(std::size_t /*answer*/) {
  current().reasoning += std::exchange(current().text, {});
}

Wants CheckedOutput::text(std::size_t /*answer*/, std::string_view text) {
  current().text += text;
  side_.progress(progress_text());
  return Wants::more;
}

std::string CheckedOutput::progress_text() const {
  return fmt::format("attempt {} of at most {}", faults_.size() + 1, n_most_);
}

void CheckedOutput::ended(std::size_t /*answer*/, const AnswerOutcome& outcome) {
  Attempt& attempt = current();
  attempt.outcome = outcome;
  if (outcome.end == AnswerEnd::failed || outcome.end == AnswerEnd::stopped) return;
  const bool is_cut_off =
      outcome.end == AnswerEnd::length || outcome.end == AnswerEnd::context_full;
  const std::optional<std::string> fault = fault_of(attempt.text, expected_, is_cut_off);
  attempt.state = fault ? Attempt::State::refused : Attempt::State::accepted;
  if (!fault) return;
  faults_.push_back(*fault);
  output_->refused(*fault);
}

std::optional<std::string> CheckedOutput::asks_again(const std::string& asked) {
  if (attempt_.state != Attempt::State::refused || faults_.size() >= n_most_) return std::nullopt;
  side_.notice(fmt::format("attempt {} of at most {} is refused: {}", faults_.size(), n_most_,
                           faults_.back()));
  return asked_again(asked, faults_);
}

ExitStatus CheckedOutput::finish(ExitStatus status) {
  if (attempt_.state == Attempt::State::accepted) {
    output_->reasoning(0, attempt_.reasoning);
    output_->text(0, content_of(attempt_.text, expected_));
  }
  output_->ended(0, attempt_.outcome);
  status = output_->finish(status);
  return attempt_.state == Attempt::State::refused ? give_up() : status;
}

ExitStatus CheckedOutput::give_up() {
  side_.line(ui::sanitize(without_end(attempt_.text)));
  side_.error(refusal_of(expected_, faults_));
  return ExitStatus::no_valid_answer;
}

}  // namespace confab::app
