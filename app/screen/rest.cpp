// SPDX-License-Identifier: MIT
#include "app/screen/rest.h"

#include <utility>

namespace confab::app {

bool Rest::wake(Clock::time_point now) noexcept {
  since_ = now;
  return std::exchange(is_unloaded_, false);
}

bool Rest::begin(Clock::time_point now) noexcept {
  const auto end = due();
  if (!end || now < *end) return false;
  return is_unloaded_ = true;
}

std::optional<Rest::Clock::time_point> Rest::due() const noexcept {
  if (after_ == after_.zero() || !since_ || is_unloaded_) return std::nullopt;
  return *since_ + after_;
}

}  // namespace confab::app
