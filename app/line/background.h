// SPDX-License-Identifier: MIT
// What goes on beside the line chat: a download, an engine elsewhere that is waited for.
#pragma once

#include <functional>

#include "ui/input/plain_reader.h"

namespace confab::app {

struct CommandContext;

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

}  // namespace confab::app
