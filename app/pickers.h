// SPDX-License-Identifier: MIT
// The lists that a person chooses from on the screen.
#pragma once

#include <functional>
#include <string>

#include "app/commands.h"
#include "app/screen_dialog.h"

namespace confab::app {

// What is chosen is opened with the command for it. All throw UserError when there is nothing to
// choose from, and StoreError. The context must outlive the dialog.

// Titles by their letters, then messages with the words that are typed; the end of the conversation
// beside the list.
ScreenDialog conversation_picker(CommandContext& context);
ScreenDialog model_picker(CommandContext& context);
// Every theme that is passed over is shown; `restore` brings back the one before.
ScreenDialog theme_picker(CommandContext& context, std::function<void()> restore);
// All commands; one without arguments is run, another put into `write`.
ScreenDialog command_picker(CommandContext& context, std::function<void(const std::string&)> write);

}  // namespace confab::app
