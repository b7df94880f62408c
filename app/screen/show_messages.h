// SPDX-License-Identifier: MIT
// Shows the messages of a chat on the screen.
#pragma once

#include "app/commands/commands.h"
#include "ui/transcript/transcript.h"

namespace confab::app {

// Adds all messages except an answer in progress.
void show_messages(ui::Transcript& transcript, const Chat& chat);

// Puts "2/3" above each message that has siblings, and marks where the model's memory starts.
// Database errors go to the console.
void label_messages(ui::Transcript& transcript, CommandContext& context);

}  // namespace confab::app
