// SPDX-License-Identifier: MIT
#include "app/copy_watch.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "app/progress_line.h"
#include "app/pump.h"
#include "app/standard_streams.h"

namespace confab::app {

bool StartWait::operator()(int fd, const std::string& what) {
  constexpr std::chrono::milliseconds kSoon{300};  // a wait this short needs no explanation
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

std::string copy_text(std::uint64_t n, std::uint64_t all) {
  if (n == 0) return "testing the programs of the graphics processor";
  return fmt::format("copying the weights to the graphics processor: {} %",
                     std::min<std::uint64_t>(100, 100 * n / std::max<std::uint64_t>(1, all)));
}

WatchCopying watch_copying(ui::Signals& signals, OnInterrupt on_interrupt) {
  return [&signals, on_interrupt] {
    const auto line = std::make_shared<ProgressLine>();
    return [&signals, on_interrupt, line](std::uint64_t n, std::uint64_t all) {
      line->show(copy_text(n, all));
      const int status = status_asked_for(signals);
      if (status == 128 + SIGINT && on_interrupt == OnInterrupt::goes_on) throw CopyStopped();
      if (status != 0) throw Interrupted(status);
    };
  };
}

AtStart waits_at_start(ui::Signals& signals, OnInterrupt on_interrupt) {
  return {.wait = StartWait(signals, on_interrupt),
          .watch_copying = watch_copying(signals, OnInterrupt::ends)};
}

}  // namespace confab::app
