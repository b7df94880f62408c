// SPDX-License-Identifier: MIT
// The lists that a person chooses from on the screen.
#pragma once

#include <functional>
#include <string>

#include "app/commands/commands.h"
#include "app/screen/dialog.h"

namespace confab::app {

// What the model reads of the open conversation, message by message: questions are pinned, dropped
// or restored. Beside each message its tokens, with a bar. Throws UserError and ModelError. The
// context must outlive the dialog.
ScreenDialog context_picker(CommandContext& context);

// What is chosen is opened with the command for it. All throw UserError when there is nothing to
// choose from, and StoreError. The context must outlive the dialog.

struct PickerActions {
  std::string theme;                    // the name of the one in use
  std::function<void()> restore_theme;  // brings back the one before a look at others
};

// Conversations: app/screen/conversation_picker.h. Models: what their files tell. Themes: every one
// that is passed over is shown.
ScreenDialog picker_for(PickerKind choice, CommandContext& context, PickerActions actions);

}  // namespace confab::app
