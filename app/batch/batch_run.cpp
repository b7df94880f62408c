// SPDX-License-Identifier: MIT
#include "app/batch/batch_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/error.h"
#include "app/forms/form_check.h"
#include "app/parameters.h"
#include "base/json.h"

namespace confab::app {
namespace {

using base::Json;

const char* finish_reason(engine::FinishReason reason) {
  return is_cut_off(reason) ? "length" : "stop";
}

Json beginning(const BatchEntry& entry) {
  if (entry.openai)
    return {{"id", fmt::format("batch_req_{}", entry.line)}, {"custom_id", Json::parse(entry.id)}};
  Json json{{"line", entry.line}};
  if (!entry.id.empty()) json["id"] = Json::parse(entry.id);
  return json;
}

// An OpenAI line without a custom_id is identified by its number instead.
bool is_told_by_id(const BatchEntry& entry) {
  return entry.openai && !entry.id.empty();
}

Json completion(const BatchEntry& entry, const BatchAnswer& answer, const std::string& model,
                std::int64_t created) {
  const engine::GenerateStats& stats = answer.stats;
  Json message{{"role", "assistant"}, {"content", answer.text}};
  if (!answer.reasoning.empty()) message["reasoning_content"] = answer.reasoning;
  const Json choice{{"index", 0},
                    {"message", std::move(message)},
                    {"logprobs", nullptr},
                    {"finish_reason", finish_reason(answer.reason)}};
  const Json usage{{"prompt_tokens", stats.n_prompt},
                   {"completion_tokens", stats.n_generated},
                   {"total_tokens", stats.n_prompt + stats.n_generated},
                   {"prompt_tokens_details", {{"cached_tokens", stats.n_cached}}}};
  return {{"id", fmt::format("chatcmpl-{}", entry.line)},
          {"object", "chat.completion"},
          {"created", created},
          {"model", model},
          {"choices", Json::array({choice})},
          {"usage", usage}};
}

constexpr const char* kMoreTokens = "; give more max_tokens";

std::chrono::sys_seconds seconds_now() {
  return std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
}

}  // namespace

bool is_cut_off(engine::FinishReason reason) noexcept {
  return reason == engine::FinishReason::length || reason == engine::FinishReason::context_full;
}

std::string answer_line(const BatchEntry& entry, const BatchAnswer& answer,
                        const std::string& model, std::int64_t created) {
  Json json = beginning(entry);
  if (entry.openai) {
    json["response"] = {{"status_code", 200},
                        {"request_id", fmt::format("req_{}", entry.line)},
                        {"body", completion(entry, answer, model, created)}};
    json["error"] = nullptr;
    return json.dump();
  }
  json["answer"] = answer.text;
  if (!answer.reasoning.empty()) json["reasoning"] = answer.reasoning;
  json["finish_reason"] = finish_reason(answer.reason);
  json["statistics"] = {{"prompt_tokens", answer.stats.n_prompt},
                        {"cached_tokens", answer.stats.n_cached},
                        {"generated_tokens", answer.stats.n_generated}};
  if (!answer.refused.empty()) json["refused"] = answer.refused;
  return json.dump();
}

std::string error_line(const BatchEntry& entry, const std::string& fault) {
  if (!is_told_by_id(entry)) {
    Json json{{"line", entry.line}};
    if (!entry.id.empty()) json["id"] = Json::parse(entry.id);
    json["error"] = fault;
    return json.dump();
  }
  Json json = beginning(entry);
  json["response"] = nullptr;
  json["error"] = {{"code", "request_failed"}, {"message", fault}};
  return json.dump();
}

BatchRun::BatchRun(engine::ChatModel& model, const BatchInput& input, BatchOutput& output,
                   Options options)
    : model_(model), input_(input), output_(output), options_(options), now_(seconds_now()) {
  const auto has = [&](const BatchEntry& entry) { return output_.has(entry); };
  figures_.n_requests = input_.entries().size();
  figures_.n_before = static_cast<std::size_t>(std::ranges::count_if(input_.entries(), has));
  if (figures_.n_before == 0 && !output_.is_empty())
    throw UserError(
        fmt::format("{}: has the answers to other requests; give another file", output_.path()));
  next_ = next_open(0);
}

// The first entry, starting with this one, that has no line yet.
std::size_t BatchRun::next_open(std::size_t entry) const {
  while (entry < input_.entries().size() && output_.has(input_.entries()[entry])) ++entry;
  return entry;
}

void BatchRun::fill() {
  const auto n_parallel = static_cast<std::size_t>(options_.n_parallel);
  while (!stopped_ && in_flight_.size() < n_parallel && next_ < input_.entries().size()) {
    const std::size_t entry = std::exchange(next_, next_open(next_ + 1));
    begin(entry);
  }
}

void BatchRun::begin(std::size_t entry, const std::vector<std::string>& faults) {
  try {
    ask(entry, faults);
  } catch (const UserError& fault) {
    end(entry, {error_line(input_.entries()[entry], fault.what()), true});
  }
}

// Throws UserError if the request cannot be asked.
void BatchRun::ask(std::size_t entry, const std::vector<std::string>& faults) {
  const BatchRequest request = input_.request(input_.entries()[entry]);
  if (!request.fault.empty()) throw UserError(request.fault);
  const engine::ModelInfo& model = model_.info();
  const AnswerOptions options = with_recommended(request.options, model.sampling, model.stop);
  std::vector<std::string> stop = request.stop;
  stop.insert(stop.end(), options.stop.begin(), options.stop.end());
  const engine::AnswerId id =
      model_.generate({.turns = with_system(turns_of(request, faults), model.system),
                       .sampling = options.sampling,
                       .chosen = chosen_parameters(options),
                       .n_predict = options.n_predict,
                       .reasoning_budget = options.reasoning_budget,
                       .stop = std::move(stop),
                       .settings = {.now = now_, .thinking = options.thinking},
                       .shape = options.shape});
  in_flight_.emplace(id, InFlight{.entry = entry,
                                  .expected = request.expected,
                                  .n_retries = request.n_retries,
                                  .answer = {.refused = faults}});
}

void BatchRun::take() {
  while (const auto told = model_.next_event()) {
    const auto found = in_flight_.find(told->answer);
    if (found == in_flight_.end()) continue;
    take(found->second, told->event);
    if (engine::is_end(told->event)) in_flight_.erase(found);
  }
}

void BatchRun::take(InFlight& of, const engine::Event& event) {
  const BatchEntry& entry = input_.entries()[of.entry];
  if (const auto* text = std::get_if<engine::TextDelta>(&event)) {
    of.answer.text += text->text;
    of.n_tokens = text->n_generated;
  }
  if (const auto* thought = std::get_if<engine::ReasoningDelta>(&event)) {
    engine::append(*thought, of.answer.reasoning, of.answer.text);
    of.n_tokens = thought->n_generated;
  }
  if (const auto* failed = std::get_if<engine::Failed>(&event)) {
    if (failed->message.starts_with(model_.info().path + ": ")) {
      write();
      throw UserError(failed->message);
    }
    if (failed->is_unreachable) {
      lost_ = failed->message;
      return stop();
    }
    const std::string advice = failed->shape_too_long ? kMoreTokens : "";
    end(of.entry, {error_line(entry, failed->message + advice), true});
  }
  if (const auto* finished = std::get_if<engine::Finished>(&event)) finish(of, *finished);
}

void BatchRun::finish(InFlight& of, const engine::Finished& finished) {
  if (finished.reason == engine::FinishReason::cancelled) return;
  const BatchEntry& entry = input_.entries()[of.entry];
  BatchAnswer& answer = of.answer;
  answer.reason = finished.reason;
  answer.stats = finished.stats;
  figures_.n_tokens += finished.stats.n_generated;
  if (!finished.is_in_shape) {
    const std::string fault =
        finished.reason == engine::FinishReason::end_of_turn
            ? "the engine ended its answer without the shape that was asked for"
            : fmt::format("the answer was cut off before it had its shape{}, or a larger -c",
                          kMoreTokens);
    return end(of.entry, {error_line(entry, fault), true});
  }
  if (of.expected.is_wanted()) {
    if (auto fault = fault_of(answer.text, of.expected, is_cut_off(answer.reason))) {
      answer.refused.push_back(*std::move(fault));
      if (stopped_) return;
      if (std::ssize(answer.refused) <= of.n_retries) return begin(of.entry, answer.refused);
      return end(of.entry, {error_line(entry, refusal_of(of.expected, answer.refused)), true});
    }
    answer.text = std::string(content_of(answer.text, of.expected));
  }
  end(of.entry,
      {answer_line(entry, answer, model_.info().name, seconds_now().time_since_epoch().count()),
       false});
}

void BatchRun::end(std::size_t entry, Line line) {
  ended_.emplace_back(entry, std::move(line));
}

void BatchRun::write() {
  for (; !ended_.empty(); ended_.pop_front()) write(ended_.front().first, ended_.front().second);
}

void BatchRun::write(std::size_t entry, const Line& line) {
  output_.append(input_.entries()[entry], line.text, line.failed);
  ++figures_.n_now;
}

void BatchRun::stop() {
  stopped_ = true;
  for (const auto& [id, of] : in_flight_) model_.cancel(id);
}

BatchFigures BatchRun::figures() const {
  BatchFigures figures = figures_;
  figures.n_failed = output_.n_failed();
  for (const auto& [id, of] : in_flight_) figures.n_tokens += of.n_tokens;
  return figures;
}

}  // namespace confab::app
