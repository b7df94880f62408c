// SPDX-License-Identifier: MIT
#include "app/line/side_lines.h"

#include <fmt/format.h>

#include "ui/text.h"

namespace confab::app {

void SideLines::notice(std::string_view text) {
  if (!quiet_) tell(text);
}

void SideLines::error(std::string_view text) {
  tell(text);
}

void SideLines::line(std::string_view text) {
  clear_progress();
  fmt::print(out_, "{}\n", text);
}

void SideLines::progress(std::string_view text) {
  if (!quiet_) progress_.show(text);
}

void SideLines::waiting(std::string_view progress, std::string_view reason) {
  if (progress_.redraws()) return this->progress(progress);
  if (reason_ == reason) return;
  reason_ = reason;
  notice(progress);
}

void SideLines::tell(std::string_view text) {
  if (text.empty()) return;
  clear_progress();
  fmt::print(out_, "confab: {}\n", ui::sanitize(text));
}

}  // namespace confab::app
