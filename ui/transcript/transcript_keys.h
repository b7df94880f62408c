// SPDX-License-Identifier: MIT
// Scrolling through a conversation by keys.
#pragma once

#include "ui/input/keymap.h"
#include "ui/transcript/transcript_view.h"

namespace confab::ui {

// False: the command is none of scrolling.
bool scroll(TranscriptView& transcript, Command command);

}  // namespace confab::ui
