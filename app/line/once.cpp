// SPDX-License-Identifier: MIT
#include "app/line/once.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/chat/answer_loop.h"
#include "app/chat/backend.h"
#include "app/chat/chat.h"
#include "app/chat/context_advice.h"
#include "app/chat/question.h"
#include "app/chat/report.h"
#include "app/error.h"
#include "app/line/answers_in_turn.h"
#include "app/progress_line.h"
#include "app/pump.h"
#include "engine/api/events.h"
#include "ui/terminal/plain_writer.h"
#include "ui/terminal/signals.h"
#include "ui/text.h"

namespace confab::app {
namespace {

std::string stats_json(const engine::GenerateStats& stats) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  return nlohmann::ordered_json{{"prompt_tokens", stats.n_prompt},
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
                                {"heads_accepted", stats.by_heads.n_accepted}}
      .dump();
}

class OneAnswer : public AnswerSink {
 public:
  OneAnswer(Backend& backend, ui::Signals& signals, const ChatOptions& options)
      : backend_(backend),
        signals_(signals),
        options_(options),
        chat_(*backend.model, backend.store.get(), options) {}

  int run(Question question) {
    if (backend_.store != nullptr)
      if (const auto wanted = wanted_conversation(options_, *backend_.store))
        open_conversation(backend_, chat_, *wanted);
    chat_.send(std::move(question));
    n_answers_ = chat_.n_answers();
    AnswersInTurn in_turn(*this);
    const AnswerOutcome last = AnswerLoop(&chat_, in_turn).run(*backend_.model, [this] {
      wait_readable({backend_.model->wake_fd(), signals_.fd()});
      take_signals();
    });
    progress_.clear();
    out_.finish();
    chat_.save_rest();
    if (ended_.empty()) ended_.push_back(last);  // they were refused
    tell();
    if (status_ != 0) return status_;
    return std::ranges::find(ended_, AnswerEnd::failed, &AnswerOutcome::end) == ended_.end() ? 0
                                                                                             : 1;
  }

  void progress(std::size_t /*answer*/, const AnswerWait& wait) override {
    progress_.show(std::visit([](const auto& of) { return progress_text(of); }, wait));
  }
  // Scripts want the answer; what came before it is kept all the same.
  void reasoning(std::size_t /*answer*/, const engine::ReasoningDelta&) override {
    progress_.clear();
  }
  bool text(std::size_t answer, const engine::TextDelta& delta) override {
    progress_.clear();
    head(answer);
    if (out_.write(delta.text)) return true;
    chat_.stop();
    return false;
  }
  void ended(std::size_t answer, const AnswerOutcome& outcome) override {
    progress_.clear();
    if (outcome.too_long) return;
    head(answer);
    ended_.push_back(outcome);
  }

 private:
  // The line that several answers can be told apart by.
  void head(std::size_t answer) {
    if (n_answers_ < 2 || answer < n_headed_) return;
    out_.finish();
    out_.write(fmt::format("=== answer {} of {} ===\n", answer + 1, n_answers_));
    n_headed_ = answer + 1;
  }

  void tell() {
    for (const AnswerOutcome& outcome : ended_) tell_end(outcome);
    for (const std::string& text :
         {backend_.take_notice(), chat_.take_error(), chat_.take_notice()})
      if (!text.empty()) complain(text);
    for (const AnswerOutcome& outcome : ended_)
      if (options_.stats && outcome.end != AnswerEnd::failed)
        fmt::print(stderr, "{}\n", stats_json(outcome.stats));
  }

  void tell_end(const AnswerOutcome& outcome) {
    const engine::ModelInfo& model = chat_.model_info();
    const std::string which =
        ended_.size() > 1 ? fmt::format("answer {}: ", outcome.answer + 1) : "";
    if (outcome.end == AnswerEnd::failed)
      complain(which + outcome.fault + (outcome.too_long ? "; " + larger_context(model) : ""));
    if (outcome.end == AnswerEnd::context_full)
      complain(fmt::format("{}the context of {} tokens is full, so the answer ends here; {}", which,
                           model.n_ctx, larger_context(model)));
  }

  static void complain(std::string_view text) {
    fmt::print(stderr, "confab: {}\n", ui::sanitize(text));
  }

  void take_signals() {
    for (const int signal : signals_.take()) {
      if (signal == SIGTSTP) stop_process();
      if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP) continue;
      status_ = 128 + signal;  // 130 for SIGINT
      chat_.stop();
    }
  }

  void stop_process() {
    progress_.clear();
    signals_.stop_process();
  }

  Backend& backend_;
  ui::Signals& signals_;
  const ChatOptions& options_;
  Chat chat_;
  ui::PlainWriter out_{STDOUT_FILENO};
  ProgressLine progress_;
  std::size_t n_answers_ = 1;
  std::size_t n_headed_ = 0;  // of several answers
  std::vector<AnswerOutcome> ended_;
  int status_ = 0;  // that a signal asks for
};

}  // namespace

int run_once(const ChatOptions& options, const Paths& paths) {
  Question question = read_question(options);
  if (question.text.empty() && question.attachments.empty())
    throw UsageError("-p needs a question: confab -p \"QUESTION\", or pipe one into confab -p");

  ui::Signals signals;  // before the model's threads
  const bool continues = options.continue_last || options.resume.has_value();
  Backend backend = open_backend(options, paths, continues);
  if (const std::string notice = backend.take_notice(); !notice.empty())
    fmt::print(stderr, "confab: {}\n", ui::sanitize(notice));
  const int status = OneAnswer(backend, signals, options).run(std::move(question));
  backend.close();
  return status;
}

}  // namespace confab::app
