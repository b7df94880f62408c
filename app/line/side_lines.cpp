// SPDX-License-Identifier: MIT
#include "app/line/side_lines.h"

#include <string>

#include "app/standard_streams.h"

namespace confab::app {

void SideLines::notice(std::string_view text) {
  if (!quiet_) tell(text);
}

void SideLines::error(std::string_view text) {
  tell(text);
}

void SideLines::line(std::string_view text) {
  clear_progress();
  put_error(std::string(text) + '\n', out_);
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
  tell_error(text, out_);
}

}  // namespace confab::app
