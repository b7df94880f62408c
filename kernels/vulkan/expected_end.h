// SPDX-License-Identifier: MIT
// Predicts when commands that run repeatedly will end, from how long they took the last time. Times
// are measured from submission to the device.
#pragma once

#include <algorithm>
#include <chrono>

namespace confab::kernels::vulkan {

class ExpectedEnd {
 public:
  using Duration = std::chrono::nanoseconds;

  // When to start polling for the end, and when to stop and let the driver wake the thread. Both
  // are 0 if nothing is known.
  Duration from() const noexcept {
    return std::max(Duration{0}, took_ - around() - (is_rough_ ? kMost : Duration{0}) - oversleep_);
  }
  Duration until() const noexcept { return took_ + around(); }

  // How the end was noticed. `late`: the commands had ended at the first look. `looking`: they
  // ended while we polled. `told`: the driver woke the thread, which takes some time.
  enum class How { late, looking, told };
  // first_look is the time of the first look: from(), or later because sleeping threads wake late.
  void seen(Duration took, Duration first_look, How how) noexcept {
    const Duration slept_over = from() > Duration{0} ? first_look - from() : Duration{0};
    oversleep_ = std::clamp(slept_over, oversleep_ * 7 / 8, kMost);
    // After a late first look, `took` only says how late it was. Using it would make the next look
    // as late.
    took_ = how == How::late ? Duration{0} : took;
    is_rough_ = how == How::told;
  }

 private:
  // longest time that we stay awake
  static constexpr Duration kMost = std::chrono::microseconds(500);

  Duration around() const noexcept { return std::min(took_ / 4, kMost); }

  Duration took_{0};
  Duration oversleep_{0};  // recent value
  bool is_rough_ = false;  // took_ may be too large
};

}  // namespace confab::kernels::vulkan
