// SPDX-License-Identifier: MIT
#include "app/batch/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/batch/batch_input.h"
#include "app/batch/batch_output.h"
#include "app/batch/batch_run.h"
#include "app/chat/backend.h"
#include "app/copy_watch.h"
#include "app/figures.h"
#include "app/manners/caretaker.h"
#include "app/progress_line.h"
#include "app/pump.h"
#include "app/standard_streams.h"
#include "ui/terminal/signals.h"

namespace confab::app {
namespace {

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
