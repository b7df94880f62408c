// SPDX-License-Identifier: MIT
// The full-screen chat: one poll loop over keys, the model's events, signals and the next frame.
#pragma once

#include "app/chat/backend.h"
#include "app/options.h"
#include "app/paths.h"
#include "ui/terminal/signals.h"

namespace confab::app {

// Returns the exit status. Throws like open_backend(), and TerminalError (before anything has been
// written or loaded) when this terminal cannot be used; --plain still can.
int run_screen_chat(const ChatOptions& options, const Paths& paths);
// The same over a backend that is there already, and ends with the chat.
int run_screen_chat(Backend& backend, ui::Signals& signals, const ChatOptions& options,
                    const Paths& paths);

}  // namespace confab::app
