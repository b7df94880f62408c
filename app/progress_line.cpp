// SPDX-License-Identifier: MIT
#include "app/progress_line.h"

#include <fmt/format.h>
#include <signal.h>

#include "app/standard_streams.h"
#include "ui/terminal/terminal_device.h"
#include "ui/text.h"

namespace confab::app {
namespace {

constexpr ui::Cols kTextCols{70};

}  // namespace

ProgressLine::ProgressLine(std::FILE* out) : ProgressLine(out, ui::may_redraw(fileno(out))) {}

void ProgressLine::show(int percent, std::string_view text) {
  const std::string safe = ui::sanitize(text);
  write(fmt::format("{:3} %  {}", percent, ui::ellipsize(safe, kTextCols)));
}

void ProgressLine::show(std::string_view text) {
  const std::string safe = ui::sanitize(text);
  write(ui::ellipsize(safe, kTextCols));
}

void ProgressLine::write(std::string line) {
  if (!redraws_ || line == shown_) return;
  put_error(fmt::format("\r{}\x1b[K", line), out_);
  shown_ = std::move(line);
}

void ProgressLine::clear() noexcept {
  if (shown_.empty()) return;
  put_error("\r\x1b[K", out_);
  shown_.clear();
}

int status_asked_for(ui::Signals& signals) {
  for (const int signal : signals.take()) {
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) return 128 + signal;
    if (signal == SIGTSTP) signals.stop_process();
  }
  return 0;
}

}  // namespace confab::app
