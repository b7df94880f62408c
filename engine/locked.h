// SPDX-License-Identifier: MIT
// A value shared by threads. It can only be accessed with its mutex held.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace confab::engine {

template <typename T>
class Locked {
 public:
  // Calls fn(value) and wakes the thread that waits for the value to change. The result must not
  // refer to the value.
  template <typename Fn>
  auto with(Fn fn) {
    const std::lock_guard lock(mutex_);
    auto result = fn(value_);
    changed_.notify_one();
    return result;
  }
  // Sleeps until ready(value), then calls fn(value). Only one thread may wait.
  template <typename Ready, typename Fn>
  auto wait(Ready ready, Fn fn) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, &ready] { return ready(std::as_const(value_)); });
    return fn(value_);
  }
  // The same with a time limit. Calls fn(value, whether it is ready).
  template <typename Ready, typename Fn>
  auto wait_for(std::chrono::milliseconds most, Ready ready, Fn fn) {
    std::unique_lock lock(mutex_);
    const bool is_ready =
        changed_.wait_for(lock, most, [this, &ready] { return ready(std::as_const(value_)); });
    return fn(value_, is_ready);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  T value_{};
};

}  // namespace confab::engine
