// SPDX-License-Identifier: MIT
#include "app/batch/batch_progress.h"

#include <fmt/format.h>

#include "app/figures.h"

namespace confab::app {
namespace {

using Seconds = std::chrono::duration<double>;

std::size_t n_done(const BatchFigures& figures) {
  return figures.n_before + figures.n_now;
}

std::string whole_seconds(Seconds time) {
  return time_text(std::chrono::duration_cast<std::chrono::seconds>(time + Seconds(0.5)));
}

// "1,000 requests".
std::string requests_text(std::size_t n) {
  return counted(static_cast<std::int64_t>(n), "request");
}

std::string speed_text(const BatchFigures& figures, Seconds elapsed) {
  if (figures.n_tokens == 0 || elapsed.count() <= 0) return {};
  return fmt::format("{:.1f} tokens/s", static_cast<double>(figures.n_tokens) / elapsed.count());
}

}  // namespace

int batch_percent(const BatchFigures& figures) noexcept {
  return figures.n_requests == 0 ? 100
                                 : static_cast<int>(n_done(figures) * 100 / figures.n_requests);
}

std::string batch_progress(const BatchFigures& figures, Seconds elapsed) {
  std::string text =
      fmt::format("{} of {} done", grouped(static_cast<std::int64_t>(n_done(figures))),
                  grouped(static_cast<std::int64_t>(figures.n_requests)));
  if (figures.n_failed > 0) text += fmt::format(", {} failed", grouped(figures.n_failed));
  if (const std::string speed = speed_text(figures, elapsed); !speed.empty()) text += ", " + speed;
  if (figures.n_now == 0) return text;
  const double each = elapsed.count() / static_cast<double>(figures.n_now);
  const auto n_left = static_cast<double>(figures.n_requests - n_done(figures));
  return text + fmt::format(", {} left", whole_seconds(Seconds(each * n_left)));
}

std::string batch_summary(const BatchFigures& figures, const std::string& out, Seconds elapsed) {
  const auto n_failed = static_cast<std::size_t>(figures.n_failed);
  std::string text;
  if (n_done(figures) < figures.n_requests)
    text = fmt::format("stopped: {} of {} done; the same command goes on from there",
                       grouped(static_cast<std::int64_t>(n_done(figures))),
                       requests_text(figures.n_requests));
  else if (figures.n_failed == 0)
    text = fmt::format("{} answered in {}", requests_text(figures.n_requests), out);
  else
    text = fmt::format("{} of {} answered, {} failed: see \"error\" in {}",
                       grouped(static_cast<std::int64_t>(figures.n_requests - n_failed)),
                       requests_text(figures.n_requests), grouped(figures.n_failed), out);
  if (figures.n_now == 0) return text;
  const std::string speed = speed_text(figures, elapsed);
  return text + fmt::format(" ({}{}{})", whole_seconds(elapsed), speed.empty() ? "" : ", ", speed);
}

}  // namespace confab::app
