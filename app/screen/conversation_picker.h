// SPDX-License-Identifier: MIT
// The list of saved conversations: one is opened, renamed, pinned or deleted.
#pragma once

#include "app/commands/commands.h"
#include "app/screen/dialog.h"

namespace confab::app {

// Titles by their letters, then messages with the words that are typed; beside the list the place
// that was found, and the end of the conversation. The open one has a dot, pinned ones have a star.
// Titles that several have are followed by their first words. What is chosen is opened with
// /resume. Throws UserError when there is nothing to choose from, and StoreError. The context must
// outlive the dialog.
ScreenDialog conversation_picker(CommandContext& context);

}  // namespace confab::app
