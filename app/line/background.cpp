// SPDX-License-Identifier: MIT
#include "app/line/background.h"

#include <fmt/format.h>

#include "app/chat/backend.h"
#include "app/commands/commands.h"
#include "app/commands/model.h"
#include "app/commands/route.h"
#include "app/pump.h"

namespace confab::app {
namespace {

constexpr int kTold = 25;                        // percent
constexpr std::chrono::milliseconds kSoon{300};  // nobody asks what is waited for

}  // namespace

ui::PlainReader::Watch download_watch(CommandContext& context) {
  Pulling& pulling = context.pulling;
  return {.fd = [&pulling] { return pull_fd(pulling); },
          .has_news =
              [&pulling] {
                const int before = pulling.state.percent;
                pulling.state = pulling.running->state();
                return pulling.is_over() || pulling.state.percent / kTold > before / kTold;
              },
          .tell =
              [&context] {
                if (context.pulling.is_over()) return end_pull(context);
                context.console.notice(pull_text(context.pulling));
              }};
}

void await_download(CommandContext& context, const WaitBeside& wait) {
  while (context.pulling.running != nullptr && wait(pull_fd(context.pulling))) take_pull(context);
}

void await_model(CommandContext& context, const WaitBeside& wait) {
  if (context.backend == nullptr || !context.backend->awaited) return;
  Backend& backend = *context.backend;
  wait_readable({awaited_fd(backend)}, kSoon);
  std::string told;
  for (;;) {
    attempt(context, [&] { take_awaited(backend, context.chat); });
    if (!backend.awaited) break;
    if (const std::string text = backend.awaited->engine->text(); text != told) {
      context.console.notice(fmt::format("{}; Ctrl+C stops that", text));
      told = text;
    }
    if (!wait(awaited_fd(backend))) backend.awaited->engine->stop();
  }
  if (auto question = take_ready(context)) context.chat.send(*std::move(question));
}

}  // namespace confab::app
