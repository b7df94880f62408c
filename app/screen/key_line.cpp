// SPDX-License-Identifier: MIT
#include "app/screen/key_line.h"

namespace confab::app {

std::vector<std::string> key_line(const KeyState& state) {
  if (state.focused) return {"Esc back", "y copy", "↑↓ messages", "←→ parts", "/ search", "? keys"};
  if (state.choosing) return {"Enter choose", "↑↓ move", "Tab complete", "Esc close"};
  if (state.generating && state.written) return {"Enter queue", "Esc stop"};
  if (state.generating && state.several)
    return {"Esc stop all", "←→ other answer", "Del stop this one", "type to queue"};
  if (state.generating && state.waiting) return {"Esc stop", "↑ edit the queue", "type to queue"};
  if (state.generating) return {"Esc stop", "type to queue"};
  if (state.editing) return {"Enter ask this instead", "Ctrl+C cancel"};
  if (state.written) return {"Enter send", "Ctrl+J new line", "@ files", "Ctrl+G editor"};
  return {"Enter send", "/ commands", "@ files", "Tab messages", "? keys"};
}

}  // namespace confab::app
