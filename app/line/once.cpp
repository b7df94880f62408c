// SPDX-License-Identifier: MIT
#include "app/line/once.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/chat/attach.h"
#include "app/chat/backend.h"
#include "app/chat/chat.h"
#include "app/chat/report.h"
#include "app/error.h"
#include "app/progress_line.h"
#include "app/pump.h"
#include "ui/terminal/plain_writer.h"
#include "ui/terminal/signals.h"
#include "ui/text.h"

namespace confab::app {
namespace {

std::string stats_json(const engine::GenerateStats& stats) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  return nlohmann::ordered_json{
      {"prompt_tokens", stats.n_prompt},       {"cached_tokens", stats.n_cached},
      {"generated_tokens", stats.n_generated}, {"ttft_ms", Milliseconds(stats.ttft).count()},
      {"prefill_tps", stats.prefill_tps()},    {"decode_tps", stats.decode_tps()}}
      .dump();
}

class OneAnswer {
 public:
  OneAnswer(Backend& backend, ui::Signals& signals, const ChatOptions& options)
      : backend_(backend),
        signals_(signals),
        options_(options),
        chat_(*backend.model, backend.store.get(), options) {}

  int run(std::vector<sessions::Attachment> attachments) {
    if (backend_.store != nullptr)
      if (const auto wanted = wanted_conversation(options_, *backend_.store)) chat_.open(*wanted);
    chat_.send(*options_.prompt, std::move(attachments));
    while (chat_.generating()) {
      wait_readable({backend_.model->wake_fd(), signals_.fd()});
      take_signals();
      while (const auto event = backend_.model->next_event()) take(*event);
    }
    progress_.clear();
    out_.finish();
    chat_.save_rest();
    tell();
    if (options_.stats && chat_.last()) fmt::print(stderr, "{}\n", stats_json(chat_.last()->stats));
    return status_;
  }

 private:
  void tell() {
    for (const std::string& text : {chat_.take_error(), chat_.take_notice()})
      if (!text.empty()) fmt::print(stderr, "confab: {}\n", ui::sanitize(text));
  }

  void take_signals() {
    for (const int signal : signals_.take()) {
      if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP) continue;
      status_ = 128 + signal;  // 130 for SIGINT
      chat_.stop();
    }
  }

  void take(const engine::Event& event) {
    chat_.take(event);
    if (const auto* progress = std::get_if<engine::PrefillProgress>(&event)) {
      progress_.show(progress_text(*progress));
    } else if (const auto* load = std::get_if<engine::LoadProgress>(&event)) {
      progress_.show(progress_text(*load));
    } else if (std::holds_alternative<engine::ReasoningDelta>(event)) {
      progress_.clear();  // scripts want the answer; what came before it is kept all the same
    } else if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
      progress_.clear();
      if (!out_.write(delta->text)) chat_.stop();  // nobody reads any more
    } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
      progress_.clear();
      fmt::print(stderr, "confab: {}\n", ui::sanitize(failed->message));
      status_ = 1;
    } else if (const auto* finished = std::get_if<engine::Finished>(&event)) {
      if (finished->reason == engine::FinishReason::context_full)
        fmt::print(stderr,
                   "confab: the context of {} tokens is full: the answer ends here; -c "
                   "gives a larger one\n",
                   chat_.model_info().n_ctx);
    }
  }

  Backend& backend_;
  ui::Signals& signals_;
  const ChatOptions& options_;
  Chat chat_;
  ui::PlainWriter out_{STDOUT_FILENO};
  ProgressLine progress_;
  int status_ = 0;
};

}  // namespace

int run_once(const ChatOptions& options, const Paths& paths) {
  std::vector<sessions::Attachment> attached;
  const bool names_stdin =
      std::find(options.files.begin(), options.files.end(), "-") != options.files.end();
  if (!names_stdin) attached = read_piped_input();
  for (const std::string& file : options.files) attached.push_back(read_attachment(file));
  if (options.prompt->empty() && attached.empty())
    throw UsageError("-p: the prompt is empty; see confab --help");

  ui::Signals signals;  // before the model's threads
  const bool continues = options.continue_last || options.resume.has_value();
  Backend backend = open_backend(options, paths, continues);
  if (const std::string notice = backend.take_notice(); !notice.empty())
    fmt::print(stderr, "confab: {}\n", ui::sanitize(notice));
  const int status = OneAnswer(backend, signals, options).run(std::move(attached));
  backend.close();
  return status;
}

}  // namespace confab::app
