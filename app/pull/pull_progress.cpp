// SPDX-License-Identifier: MIT
#include "app/pull/pull_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/figures.h"

namespace confab::app {
namespace {

constexpr std::chrono::seconds kWindow{8};  // that the rate is of
constexpr std::chrono::seconds kEarly{1};   // too short to say a rate
constexpr double kMostSeconds = 100 * 3600;

}  // namespace

void PullProgress::set(std::uint64_t bytes_done, Clock::time_point now) {
  if (bytes_done < done_) samples_.clear();  // it began anew
  done_ = std::min(bytes_done, bytes_);
  samples_.push_back({now, done_});
  while (samples_.front().time < now - kWindow) samples_.pop_front();
}

int PullProgress::percent() const noexcept {
  return bytes_ == 0
             ? 100
             : static_cast<int>(100.0 * static_cast<double>(done_) / static_cast<double>(bytes_));
}

std::string PullProgress::text() const {
  std::string text = fmt::format("{} of {}", size_text(done_), size_text(bytes_));
  if (samples_.empty() || samples_.back().time - samples_.front().time < kEarly) return text;
  const std::chrono::duration<double> time = samples_.back().time - samples_.front().time;
  const double rate =
      static_cast<double>(samples_.back().bytes - samples_.front().bytes) / time.count();
  text += fmt::format(", {}/s", size_text(static_cast<std::uint64_t>(rate)));
  const double left = rate > 0 ? static_cast<double>(bytes_ - done_) / rate : kMostSeconds;
  if (left >= kMostSeconds) return text;
  return text + fmt::format(", {} left",
                            time_text(std::chrono::seconds(static_cast<std::int64_t>(left) + 1)));
}

}  // namespace confab::app
