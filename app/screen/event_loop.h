// SPDX-License-Identifier: MIT
// The full-screen chat: one poll loop for keys, the model's events, signals and the next frame.
#pragma once

#include "app/chat/backend.h"
#include "app/options.h"
#include "app/paths.h"
#include "ui/terminal/signals.h"

namespace confab::app {

// Returns the exit status. Throws like open_backend(). Throws TerminalError, before anything is
// written or loaded, if the terminal cannot be used; --plain still works then.
int run_screen_chat(const ChatOptions& options, const Paths& paths);
// The same with an open backend, which is closed at the end.
int run_screen_chat(Backend& backend, ui::Signals& signals, const ChatOptions& options,
                    const Paths& paths);

}  // namespace confab::app
