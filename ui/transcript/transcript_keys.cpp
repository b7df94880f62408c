// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_keys.h"

namespace confab::ui {
namespace {

constexpr int kWheelLines = 3;

}  // namespace

bool scroll(TranscriptView& transcript, Command command) {
  switch (command) {
    case Command::wheel_up:
      transcript.scroll(-kWheelLines);
      return true;
    case Command::wheel_down:
      transcript.scroll(kWheelLines);
      return true;
    case Command::page_up:
      transcript.scroll_pages(-1);
      return true;
    case Command::page_down:
      transcript.scroll_pages(1);
      return true;
    case Command::line_up:
      transcript.scroll(-1);
      return true;
    case Command::line_down:
      transcript.scroll(1);
      return true;
    case Command::to_top:
      transcript.to_top();
      return true;
    case Command::to_bottom:
      transcript.to_bottom();
      return true;
    default:
      return false;
  }
}

}  // namespace confab::ui
