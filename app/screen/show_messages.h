// SPDX-License-Identifier: MIT
// What was said in a chat, put on the screen.
#pragma once

#include "app/commands/commands.h"
#include "ui/transcript/transcript.h"

namespace confab::app {

// All messages but an answer that is being generated.
void show_messages(ui::Transcript& transcript, const Chat& chat);

// "2/3" above each message that has siblings, and where the model's memory begins. What the
// database says of a fault is told to the console.
void label_messages(ui::Transcript& transcript, CommandContext& context);

}  // namespace confab::app
