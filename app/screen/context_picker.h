// SPDX-License-Identifier: MIT
// What the model reads of the open conversation, message by message: questions are pinned, dropped
// or restored.
#pragma once

#include "app/commands/commands.h"
#include "app/screen/dialog.h"

namespace confab::app {

// Beside each message its tokens, with a bar. Throws UserError and ModelError. The context must
// outlive the dialog.
ScreenDialog context_picker(CommandContext& context);

}  // namespace confab::app
