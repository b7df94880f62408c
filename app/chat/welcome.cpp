// SPDX-License-Identifier: MIT
#include "app/chat/welcome.h"

#include <fmt/format.h>

namespace confab::app {

std::string demo_welcome() {
  return "A tiny demo model, often wrong. To load a real one: confab -m MODEL.gguf";
}

std::string context_full_text(int n_ctx) {
  return fmt::format(
      "The context of {} tokens is full: the answer ends here. /new starts afresh; -c gives a "
      "larger context.",
      n_ctx);
}

std::string end_note(AnswerEnd end, const Chat& chat) {
  return end == AnswerEnd::context_full ? context_full_text(chat.model_info().n_ctx)
                                        : chat.unfinished_note();
}

std::string too_long_text(const std::string& fault) {
  return fault +
         "; ask something shorter, or make room with /forget or /compact; -c at the start gives a "
         "larger context";
}

}  // namespace confab::app
