// SPDX-License-Identifier: MIT
// The branch of a conversation that is shown, as a Markdown document.
#pragma once

#include <string>
#include <vector>

#include "sessions/conversations/conversation.h"

namespace confab::app {

// Messages stand as they are, below a heading with who said them; attachments and reasoning are in
// blocks that what they contain cannot close.
std::string to_markdown(const sessions::ConversationTree& tree);

// The messages from the first to the head, in order. Shared with the HTML export.
std::vector<const sessions::Message*> shown_path(const sessions::ConversationTree& tree);
// "You", or what answered; valid UTF-8 if the model's name is.
std::string speaker(const sessions::Message& message);

}  // namespace confab::app
