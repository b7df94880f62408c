// SPDX-License-Identifier: MIT
#include "app/batch/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "app/batch/batch_input.h"
#include "app/batch/batch_output.h"
#include "app/chat/backend.h"
#include "app/copy_watch.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/forms/form_check.h"
#include "app/manners/caretaker.h"
#include "app/parameters.h"
#include "app/progress_line.h"
#include "app/pump.h"
#include "app/standard_streams.h"
#include "base/json.h"
#include "ui/terminal/signals.h"

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

using Seconds = std::chrono::duration<double>;

std::size_t n_done(const BatchFigures& figures) {
  return figures.n_before + figures.n_now;
}

std::string whole_seconds(Seconds time) {
  return time_text(std::chrono::duration_cast<std::chrono::seconds>(time + Seconds(0.5)));
}

// "1,000 requests".
std::string requests_text(std::size_t n) {
  return counted(static_cast<std::int64_t>(n), "request");
}

std::string speed_text(const BatchFigures& figures, Seconds elapsed) {
  if (figures.n_tokens == 0 || elapsed.count() <= 0) return {};
  return fmt::format("{:.1f} tokens/s", static_cast<double>(figures.n_tokens) / elapsed.count());
}

using Clock = std::chrono::steady_clock;

constexpr int kUsualParallel = 8;
constexpr std::chrono::milliseconds kRedraw{500};

void tell_notice(Backend& backend) {
  if (const std::string notice = backend.take_notice(); !notice.empty()) tell_error(notice);
}

// Returns the exit status that a signal asks for, or 0.
int answer_all(BatchRun& run, engine::ChatModel& model, Caretaker& care, ui::Signals& signals,
               Clock::time_point begin) {
  ProgressLine progress;
  int status = 0;
  care.ask();
  for (run.fill(); !run.is_idle(); run.fill()) {
    run.write();
    const BatchFigures figures = run.figures();
    progress.show(batch_percent(figures), batch_progress(figures, Clock::now() - begin));
    wait_readable({model.wake_fd(), signals.fd(), care.fd()},
                  std::min(kRedraw, care.timeout().value_or(kRedraw)));
    care.look(true);
    if (const int asked = status_asked_for(signals); asked != 0) {
      status = asked;
      run.stop();
    }
    run.take();
  }
  run.write();
  return status;
}

// Drafts pay off only for a single answer. Nothing is saved, since the blocks of all these prompts
// would push those of conversations out of the prompt cache.
ChatOptions backend_options(const BatchOptions& options, int n_parallel) {
  ChatOptions chat = options.chat;
  chat.save = false;
  chat.model.n_parallel = n_parallel;
  chat.model.fewer = !options.n_parallel;
  if (n_parallel > 1 && !chat.model.draft.wanted) chat.model.drafts = false;
  return chat;
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

int batch_percent(const BatchFigures& figures) noexcept {
  return figures.n_requests == 0 ? 100
                                 : static_cast<int>(n_done(figures) * 100 / figures.n_requests);
}

std::string batch_progress(const BatchFigures& figures, Seconds elapsed) {
  std::string text =
      fmt::format("{} of {} done", grouped(static_cast<std::int64_t>(n_done(figures))),
                  grouped(static_cast<std::int64_t>(figures.n_requests)));
  if (figures.n_failed > 0) text += fmt::format(", {} failed", grouped(figures.n_failed));
  if (const std::string speed = speed_text(figures, elapsed); !speed.empty()) text += ", " + speed;
  if (figures.n_now == 0) return text;
  const double each = elapsed.count() / static_cast<double>(figures.n_now);
  const auto n_left = static_cast<double>(figures.n_requests - n_done(figures));
  return text + fmt::format(", {} left", whole_seconds(Seconds(each * n_left)));
}

std::string batch_summary(const BatchFigures& figures, const std::string& out, Seconds elapsed) {
  const auto n_failed = static_cast<std::size_t>(figures.n_failed);
  std::string text;
  if (n_done(figures) < figures.n_requests)
    text = fmt::format("stopped: {} of {} done; the same command goes on from there",
                       grouped(static_cast<std::int64_t>(n_done(figures))),
                       requests_text(figures.n_requests));
  else if (figures.n_failed == 0)
    text = fmt::format("{} answered in {}", requests_text(figures.n_requests), out);
  else
    text = fmt::format("{} of {} answered, {} failed: see \"error\" in {}",
                       grouped(static_cast<std::int64_t>(figures.n_requests - n_failed)),
                       requests_text(figures.n_requests), grouped(figures.n_failed), out);
  if (figures.n_now == 0) return text;
  const std::string speed = speed_text(figures, elapsed);
  return text + fmt::format(" ({}{}{})", whole_seconds(elapsed), speed.empty() ? "" : ", ", speed);
}

int run_batch(const BatchOptions& options, const Paths& paths) {
  const BatchInput input(options.in, options.chat);
  BatchOutput output(options.out, options.in);
  const int n_wanted = std::min(options.n_parallel.value_or(kUsualParallel),
                                static_cast<int>(input.entries().size()));
  ui::Signals signals;  // created before the model's threads
  Backend backend = open_backend(backend_options(options, n_wanted), paths, false,
                                 waits_at_start(signals, OnInterrupt::ends));
  tell_notice(backend);
  // A remote engine queues the requests that it does not process at once.
  const bool is_elsewhere = !backend.model->info().place.empty();
  const int n_parallel = is_elsewhere ? n_wanted : backend.model->info().n_parallel;
  if (n_parallel < n_wanted)
    tell_error(fmt::format("memory is enough for {} answers at a time", n_parallel));
  const Clock::time_point begin = Clock::now();
  BatchRun run(*backend.model, input, output, {.n_parallel = n_parallel});
  Caretaker care(backend, options.chat.save ? paths.log : "");
  const int status = answer_all(run, *backend.model, care, signals, begin);
  if (options.ordered) output.put_in_order(input.entries());
  const BatchFigures figures = run.figures();
  if (!run.lost().empty()) tell_error(run.lost());
  tell_error(batch_summary(figures, options.out, Clock::now() - begin));
  tell_notice(backend);
  backend.close();
  if (status != 0) return status;
  return figures.n_failed == 0 && run.lost().empty() ? 0 : 1;
}

}  // namespace confab::app
