// SPDX-License-Identifier: MIT
// The chat line by line: for pipes, dumb terminals, screen readers and --plain. Answers go to
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

// How far a long wait for an answer is, in whole lines for where nothing is drawn over: the first
// after a while, the others now and then. Time is passed in.
class WaitNotes {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kFirst{3};
  static constexpr std::chrono::seconds kInterval{10};

  void begin(Clock::time_point now);  // a question has been asked
  // The line that is due; nullopt: none is.
  std::optional<std::string> take(const AnswerWait& wait, Clock::time_point now);

 private:
  Clock::time_point due_{};
};

// What goes on beside the line chat: a download, an engine elsewhere that is waited for.

// Tells of a download while a line is typed: its end, and each quarter of it. The context must
// outlive the watch.
ui::PlainReader::Watch download_watch(CommandContext& context);

// Waits until fd is readable, or something else has happened. False: the chat is to end.
using WaitBeside = std::function<bool(int fd)>;
// Where nobody types anything: until the download is over.
void await_download(CommandContext& context, const WaitBeside& wait);
// Until the model that was chosen is there, or is not; tells it where that takes its time. A
// question that waited for it is sent.
void await_model(CommandContext& context, const WaitBeside& wait);

// Returns the exit status. Throws like open_backend().
int run_plain_chat(const ChatOptions& options, const Paths& paths);

}  // namespace confab::app
