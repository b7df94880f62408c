// SPDX-License-Identifier: MIT
// The lists on the screen to choose from.
#pragma once

#include <functional>
#include <string>

#include "app/commands/commands.h"
#include "app/screen/dialog.h"

namespace confab::app {

// Lists what the model reads of the open conversation, message by message with its tokens and a
// bar. Questions can be pinned, dropped or restored. Throws UserError and ModelError. The context
// must outlive the dialog.
ScreenDialog context_picker(CommandContext& context);

// A choice is carried out by its command. All pickers throw UserError if there is nothing to choose
// from, and StoreError. The context must outlive the dialog.

struct PickerActions {
  std::string theme;                    // the name of the current theme
  std::function<void()> restore_theme;  // undoes the preview of other themes
};

// Conversations: app/screen/conversation_picker.h. Models: with a description from their files.
// Themes: each is previewed as it is passed.
ScreenDialog picker_for(PickerKind choice, CommandContext& context, PickerActions actions);

}  // namespace confab::app
