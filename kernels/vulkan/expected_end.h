// SPDX-License-Identifier: MIT
// When commands that run again and again are expected to end, from how long they took the last
// time. Times are from when they were given to the device.
#pragma once

#include <algorithm>
#include <chrono>

namespace confab::kernels::vulkan {

class ExpectedEnd {
 public:
  // When to look for the end, again and again, and when to leave it to the driver to say so. Both
  // are 0 where nothing is known.
  std::chrono::nanoseconds from() const noexcept { return took_ - around(); }
  std::chrono::nanoseconds until() const noexcept { return took_ + around(); }

  // The end was seen. was_running: they still ran when first looked at. Where they did not, it says
  // how late somebody looked, which is no guide to when to look the next time: it would be as late.
  void seen(std::chrono::nanoseconds took, bool was_running) noexcept {
    took_ = was_running ? took : std::chrono::nanoseconds{0};
  }

 private:
  std::chrono::nanoseconds around() const noexcept {
    return std::min<std::chrono::nanoseconds>(took_ / 4, std::chrono::microseconds(500));
  }

  std::chrono::nanoseconds took_{0};
};

}  // namespace confab::kernels::vulkan
