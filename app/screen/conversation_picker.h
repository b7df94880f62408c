// SPDX-License-Identifier: MIT
// The list of saved conversations, to open, rename, pin or delete one.
#pragma once

#include "app/commands/commands.h"
#include "app/screen/dialog.h"

namespace confab::app {

// Matches titles by their letters and messages by their words. Beside the list, it shows the place
// found and the end of the conversation. The open conversation has a dot, pinned ones a star. If
// several share a title, their first words follow it. The choice is opened with /resume. Throws
// UserError if there are no conversations, and StoreError. The context must outlive the dialog.
ScreenDialog conversation_picker(CommandContext& context);

}  // namespace confab::app
