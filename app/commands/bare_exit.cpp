// SPDX-License-Identifier: MIT
#include "app/commands/bare_exit.h"

#include <fmt/format.h>

#include <utility>

namespace confab::app {

std::string BareExit::advice(const Chat& chat, const std::string& text) {
  if (text != "exit" && text != "quit") return "";
  if (!chat.messages().empty() || std::exchange(told_, text) == text) return "";
  return fmt::format("{} Send \"{}\" again to ask the model.", kToLeave, text);
}

}  // namespace confab::app
