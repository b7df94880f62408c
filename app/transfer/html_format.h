// SPDX-License-Identifier: MIT
// The branch of a conversation that is shown, as one HTML page that needs nothing else.
#pragma once

#include <string>

#include "sessions/conversations/conversation.h"

namespace confab::app {

// Answers are rendered from Markdown, everything else is plain text. All text is escaped: HTML in
// it is shown as it was written, nothing in it is run or loaded from elsewhere.
std::string to_html(const sessions::ConversationTree& tree);

}  // namespace confab::app
