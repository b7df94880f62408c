// SPDX-License-Identifier: MIT
// When commands that run again and again are expected to end, from how long they took the last
// time. Times are from when they were given to the device.
#pragma once

#include <algorithm>
#include <chrono>

namespace confab::kernels::vulkan {

class ExpectedEnd {
 public:
  using Duration = std::chrono::nanoseconds;

  // When to look for the end, again and again, and when to leave it to the driver to say so. Both
  // are 0 where nothing is known.
  Duration from() const noexcept {
    return std::max(Duration{0}, took_ - around() - (is_rough_ ? kMost : Duration{0}) - oversleep_);
  }
  Duration until() const noexcept { return took_ + around(); }

  // How the end was seen: they had ended when first looked at; while it was looked for; or the
  // driver said so, which wakes a thread some time later.
  enum class How { late, looking, told };
  // first_look: when, at from() or, since sleepers are not woken at once, after it.
  void seen(Duration took, Duration first_look, How how) noexcept {
    const Duration slept_over = from() > Duration{0} ? first_look - from() : Duration{0};
    oversleep_ = std::clamp(slept_over, oversleep_ * 7 / 8, kMost);
    // Who looked late knows how late, which is no guide to the next time: it would be as late.
    took_ = how == How::late ? Duration{0} : took;
    is_rough_ = how == How::told;
  }

 private:
  static constexpr Duration kMost = std::chrono::microseconds(500);  // is worth to be awake for

  Duration around() const noexcept { return std::min(took_ / 4, kMost); }

  Duration took_{0};
  Duration oversleep_{0};  // lately
  bool is_rough_ = false;  // took_: it may have been less
};

}  // namespace confab::kernels::vulkan
