// SPDX-License-Identifier: MIT
#include "app/start_wait.h"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <optional>

#include "app/progress_line.h"
#include "app/pump.h"
#include "app/standard_streams.h"

namespace confab::app {

bool StartWait::operator()(int fd, const std::string& what) {
  constexpr std::chrono::milliseconds kSoon{300};  // nobody asks what is waited for
  const bool is_told = told_ == what;
  wait_readable({fd, signals_.fd()},
                is_told ? std::nullopt : std::optional<std::chrono::milliseconds>(kSoon));
  if (const int status = status_asked_for(signals_); status != 0) {
    if (status == 128 + SIGINT && goes_on_) return false;
    throw Interrupted(status);
  }
  if (is_told || is_readable(fd)) return true;
  told_ = what;
  tell_error(fmt::format("{}; Ctrl+C {}", what, goes_on_ ? "goes on without it" : "stops that"));
  return true;
}

}  // namespace confab::app
