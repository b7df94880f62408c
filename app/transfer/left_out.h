// SPDX-License-Identifier: MIT
// What a file has and its import does not, or has in another place.
#pragma once

namespace confab::app {

struct LeftOut {
  int n_messages = 0;       // from tools, or without text
  int n_conversations = 0;  // with no other messages
  int n_orphans = 0;        // kept, but the message before is not in the file
};

}  // namespace confab::app
