// SPDX-License-Identifier: MIT
// A value shared between threads, which can only be reached under its lock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace confab::sessions {

template <class T>
class Locked {
 public:
  // Calls f(T&) under the lock, then wakes all waiters. f must not keep a reference.
  template <class F>
  auto with(F f) {
    const Wake wake{changed_};  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    return f(value_);
  }
  // Sleeps until ready(const T&). Returns false if a stop was requested, or the time ran out,
  // before that.
  template <class Ready>
  bool wait(const std::stop_token& stop, Ready ready) {
    std::unique_lock lock(mutex_);
    return changed_.wait(lock, stop, [&] { return ready(std::as_const(value_)); });
  }
  template <class Ready>
  bool wait_for(std::chrono::milliseconds timeout, Ready ready) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return ready(std::as_const(value_)); });
  }

 private:
  struct Wake {
    std::condition_variable_any& changed;
    ~Wake() { changed.notify_all(); }
  };

  std::mutex mutex_;
  std::condition_variable_any changed_;
  T value_{};
};

}  // namespace confab::sessions
