// SPDX-License-Identifier: MIT
// Scrolling through a conversation by keys.
#pragma once

#include "ui/input/keymap.h"
#include "ui/transcript/transcript_window.h"

namespace confab::ui {

// False: the command is none of scrolling.
bool scroll(TranscriptWindow& window, Command command);

}  // namespace confab::ui
