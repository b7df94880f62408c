// SPDX-License-Identifier: MIT
#include "app/line/json_output.h"

#include <chrono>
#include <utility>

#include "base/json.h"
#include "engine/platform/memory.h"

namespace confab::app {
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

// How an answer ended, and what it took or what went wrong.
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

}  // namespace confab::app
