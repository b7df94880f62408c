// SPDX-License-Identifier: MIT
#include "app/line/answer_output.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "app/forms/form_check.h"
#include "app/line/side_lines.h"
#include "base/json.h"
#include "engine/platform/memory.h"
#include "ui/text.h"

namespace confab::app {
namespace {

std::unique_ptr<AnswerOutput> make_format(const OnceOptions& options, ui::PlainWriter& out,
                                          SideLines& side) {
  switch (options.output) {
    case OutputFormat::code:
      return std::make_unique<CodeOutput>(out, side, options.language);
    case OutputFormat::json:
      return std::make_unique<JsonOutput>(out);
    case OutputFormat::json_events:
      return std::make_unique<JsonEventsOutput>(out);
    case OutputFormat::text:
      break;
  }
  return std::make_unique<TextOutput>(out);
}

}  // namespace

std::unique_ptr<AnswerOutput> make_output(const OnceOptions& options, ui::PlainWriter& out,
                                          SideLines& side) {
  std::unique_ptr<AnswerOutput> output = make_format(options, out, side);
  if (!options.expected.is_wanted()) return output;
  return std::make_unique<CheckedOutput>(std::move(output), side, options.expected,
                                         options.n_retries);
}

std::string_view name_of(AnswerEnd end) noexcept {
  switch (end) {
    case AnswerEnd::finished:
      return "stop";
    case AnswerEnd::stopped:
      return "interrupted";
    case AnswerEnd::failed:
      return "error";
    case AnswerEnd::length:
      return "length";
    case AnswerEnd::context_full:
      break;
  }
  return "context_full";
}

void TextOutput::begin(const std::string& /*model*/, std::size_t n_answers) {
  n_answers_ = n_answers;
}

Wants TextOutput::text(std::size_t answer, std::string_view text) {
  head(answer);
  return out_.write(text) ? Wants::more : Wants::no_more;
}

void TextOutput::ended(std::size_t answer, const AnswerOutcome& /*outcome*/) {
  head(answer);
}

ExitStatus TextOutput::finish(ExitStatus status) {
  out_.finish();
  return status;
}

// The line that separates several answers.
void TextOutput::head(std::size_t answer) {
  if (n_answers_ < 2 || answer < n_headed_) return;
  out_.finish();
  out_.write(fmt::format("=== answer {} of {} ===\n", answer + 1, n_answers_));
  n_headed_ = answer + 1;
}

namespace {

std::string_view without_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \n") + 1);
}

}  // namespace

Wants CodeOutput::text(std::size_t /*answer*/, std::string_view text) {
  answer_ += text;
  const std::string code = finder_.feed(text);
  if (!code.empty() && !out_.write(code)) return Wants::no_more;
  return finder_.is_complete() ? Wants::no_more : Wants::more;
}

// A started block has already been written.
void CodeOutput::take_back(std::size_t /*answer*/) {
  if (finder_.has_begun()) return;
  answer_.clear();
  finder_ = CodeFinder(language_);
}

ExitStatus CodeOutput::finish(ExitStatus status) {
  if (const std::string code = finder_.finish(); !code.empty()) out_.write(code);
  out_.finish();
  if (finder_.is_complete()) return ExitStatus::success;
  if (finder_.has_begun() || answer_.empty()) return status;
  side_.line(ui::sanitize(without_end(answer_)));
  side_.error(fmt::format("there is no {}code block in this answer",
                          language_.empty() ? "" : language_ + ' '));
  return status == ExitStatus::success || status == ExitStatus::cut_off
             ? ExitStatus::no_valid_answer
             : status;
}

namespace {

using base::Json;

Json stats_object(const engine::GenerateStats& stats) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  return {{"prompt_tokens", stats.n_prompt},
          {"cached_tokens", stats.n_cached},
          {"generated_tokens", stats.n_generated},
          {"ttft_ms", Milliseconds(stats.ttft).count()},
          {"prefill_tps", stats.prefill_tps()},
          {"decode_tps", stats.decode_tps()},
          {"passes", stats.n_passes},
          {"tokens_per_pass", stats.tokens_per_pass()},
          {"lookup_tokens", stats.by_lookup.n_drafted},
          {"lookup_accepted", stats.by_lookup.n_accepted},
          {"draft_tokens", stats.by_model.n_drafted},
          {"draft_accepted", stats.by_model.n_accepted},
          {"heads_tokens", stats.by_heads.n_drafted},
          {"heads_accepted", stats.by_heads.n_accepted}};
}

// How the answer ended, with its figures or its error.
void add_end(Json& object, const AnswerOutcome& outcome) {
  object["finish_reason"] = name_of(outcome.end);
  if (outcome.end == AnswerEnd::failed)
    object["error"] = outcome.fault;
  else
    object["statistics"] = stats_object(outcome.stats);
}

std::string line_of(const Json& object) {
  return object.dump() + '\n';
}

}  // namespace

std::string stats_json(const engine::GenerateStats& stats) {
  Json object = stats_object(stats);
  const engine::platform::MemoryUse use = engine::platform::memory_use();
  object["major_faults_per_token"] = stats.major_faults_per_token();
  object["memory_anonymous_bytes"] = use.anonymous_bytes;
  object["memory_mapped_bytes"] = use.mapped_bytes;
  object["memory_peak_bytes"] = use.peak_bytes;
  return object.dump();
}

void JsonOutput::begin(const std::string& model, std::size_t n_answers) {
  model_ = model;
  answers_.resize(n_answers);
}

void JsonOutput::reasoning(std::size_t answer, std::string_view text) {
  answers_[answer].reasoning += text;
}

void JsonOutput::take_back(std::size_t answer) {
  answers_[answer].reasoning += std::exchange(answers_[answer].text, {});
}

Wants JsonOutput::text(std::size_t answer, std::string_view text) {
  answers_[answer].text += text;
  return Wants::more;
}

void JsonOutput::ended(std::size_t answer, const AnswerOutcome& outcome) {
  answers_[answer].outcome = outcome;
}

void JsonOutput::refused(const std::string& fault) {
  refused_.push_back(fault);
}

ExitStatus JsonOutput::finish(ExitStatus status) {
  const auto add = [](Json& object, const Answer& answer) {
    object["answer"] = answer.text;
    object["reasoning"] = answer.reasoning;
    add_end(object, answer.outcome);
  };
  Json object{{"model", model_}};
  if (answers_.size() == 1) {
    add(object, answers_.front());
    if (!refused_.empty()) object["refused"] = refused_;
    if (!refused_.empty() && answers_.front().text.empty()) object["answer"] = nullptr;
  } else {
    object["answers"] = Json::array();
    for (const Answer& answer : answers_) add(object["answers"].push_back(Json::object()), answer);
  }
  out_.write(line_of(object));
  out_.finish();
  return status;
}

void JsonEventsOutput::begin(const std::string& model, std::size_t n_answers) {
  out_.write(line_of({{"type", "begin"}, {"model", model}, {"answers", n_answers}}));
}

void JsonEventsOutput::prefilled(std::size_t answer, const engine::PrefillProgress& progress) {
  out_.write(line_of({{"type", "prompt"},
                      {"index", answer},
                      {"tokens", progress.n_prompt},
                      {"done", progress.n_done},
                      {"cached", progress.n_cached}}));
}

void JsonEventsOutput::asked_pieces(std::size_t n_done, std::size_t n_pieces) {
  out_.write(line_of({{"type", "pieces"}, {"pieces", n_pieces}, {"done", n_done}}));
}

void JsonEventsOutput::reasoning(std::size_t answer, std::string_view text) {
  if (!text.empty())
    out_.write(line_of({{"type", "reasoning"}, {"index", answer}, {"text", text}}));
}

void JsonEventsOutput::take_back(std::size_t answer) {
  out_.write(line_of({{"type", "taken_back"}, {"index", answer}}));
}

Wants JsonEventsOutput::text(std::size_t answer, std::string_view text) {
  if (text.empty()) return Wants::more;
  const bool is_read = out_.write(line_of({{"type", "text"}, {"index", answer}, {"text", text}}));
  return is_read ? Wants::more : Wants::no_more;
}

void JsonEventsOutput::ended(std::size_t answer, const AnswerOutcome& outcome) {
  Json object{{"type", "end"}, {"index", answer}};
  add_end(object, outcome);
  out_.write(line_of(object));
}

void JsonEventsOutput::refused(const std::string& fault) {
  out_.write(line_of({{"type", "refused"}, {"index", 0}, {"fault", fault}}));
}

ExitStatus JsonEventsOutput::finish(ExitStatus status) {
  out_.finish();
  return status;
}

void CheckedOutput::begin(const std::string& model, std::size_t n_answers) {
  output_->begin(model, n_answers);
}

void CheckedOutput::prefilled(std::size_t answer, const engine::PrefillProgress& progress) {
  output_->prefilled(answer, progress);
}

void CheckedOutput::asked_pieces(std::size_t n_done, std::size_t n_pieces) {
  output_->asked_pieces(n_done, n_pieces);
}

// A refused attempt is kept until the next one starts.
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
