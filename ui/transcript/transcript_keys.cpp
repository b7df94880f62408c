// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_keys.h"

namespace confab::ui {
namespace {

constexpr int kWheelLines = 3;

}  // namespace

bool scroll(TranscriptWindow& window, Command command) {
  switch (command) {
    case Command::wheel_up:
      window.scroll(-kWheelLines);
      return true;
    case Command::wheel_down:
      window.scroll(kWheelLines);
      return true;
    case Command::page_up:
      window.scroll_pages(-1);
      return true;
    case Command::page_down:
      window.scroll_pages(1);
      return true;
    case Command::line_up:
      window.scroll(-1);
      return true;
    case Command::line_down:
      window.scroll(1);
      return true;
    case Command::to_top:
      window.to_top();
      return true;
    case Command::to_bottom:
      window.to_bottom();
      return true;
    default:
      return false;
  }
}

}  // namespace confab::ui
