// SPDX-License-Identifier: MIT
#include "app/copy_watch.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <memory>

#include "app/progress_line.h"

namespace confab::app {

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
