// SPDX-License-Identifier: MIT
// The line-by-line chat, for pipes, dumb terminals, screen readers and --plain. Answers go to
// stdout, everything else to stderr.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "app/chat/answer_loop.h"
#include "app/options.h"
#include "app/paths.h"
#include "ui/input/plain_reader.h"

namespace confab::app {

struct CommandContext;

// Reports the progress of a long wait in whole lines, for output that cannot be redrawn: the first
// after kFirst, the others every kInterval. The caller passes the time.
class WaitNotes {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kFirst{3};
  static constexpr std::chrono::seconds kInterval{10};

  void begin(Clock::time_point now);  // a question has been asked
  // Returns the line that is due now, or nullopt.
  std::optional<std::string> take(const AnswerWait& wait, Clock::time_point now);

 private:
  Clock::time_point due_{};
};

// Background work of the line chat: a download, or waiting for a remote engine.

// Reports a download while the person types: each quarter of it, and its end. The context must
// outlive the watch.
ui::PlainReader::Watch download_watch(CommandContext& context);

// Waits until fd is readable or something else has happened. Returns false if the chat is to end.
using WaitBeside = std::function<bool(int fd)>;
// Waits for the end of the download, when nobody types.
void await_download(CommandContext& context, const WaitBeside& wait);
// Waits until the chosen model is ready or has failed, and reports a longer wait. Then sends the
// question that waited for it.
void await_model(CommandContext& context, const WaitBeside& wait);

// Returns the exit status. Throws like open_backend().
int run_plain_chat(const ChatOptions& options, const Paths& paths);

}  // namespace confab::app
