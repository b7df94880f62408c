// SPDX-License-Identifier: MIT
// The lists on the screen to choose from.
#pragma once

#include <functional>
#include <string>

#include "app/commands/commands.h"
#include "app/screen/dialog.h"

namespace confab::app {

// Lists the saved conversations, to open, rename, pin or delete one. Matches titles by their
// letters and messages by their words. Beside the list, it shows the place found and the end of the
// conversation. The open conversation has a dot, pinned ones a star. If several share a title,
// their first words follow it. The choice is opened with /resume. Throws UserError if there are no
// conversations, and StoreError. The context must outlive the dialog.
ScreenDialog conversation_picker(CommandContext& context);

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

// Models are listed with a description from their files. Each theme is previewed as it is passed.
ScreenDialog picker_for(PickerKind choice, CommandContext& context, PickerActions actions);

}  // namespace confab::app
