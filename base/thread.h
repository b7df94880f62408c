// SPDX-License-Identifier: MIT
// A thread with an explicit stack size. The defaults are 8 MiB on Linux and 512 KiB on macOS, so a
// thread without an explicit size would run with a stack that nobody has tested.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <stop_token>

namespace confab::base {

// Stacks only reserve address space. Pages take memory once they are touched.
namespace stack {
// For loops over arrays, file access, and library calls such as name resolution and encryption.
inline constexpr std::size_t kUsual = std::size_t{1} << 20;
// For recursion over input written by others: templates, schemas, grammars. The limits on their
// depth keep all of them within a quarter of this.
inline constexpr std::size_t kLanguages = std::size_t{2} << 20;
}  // namespace stack

// Like std::jthread: the destructor requests a stop and joins. Movable.
class Thread {
 public:
  Thread() noexcept = default;
  // Throws std::system_error if the system cannot create a thread. `run` must not throw.
  Thread(std::size_t stack_bytes, std::function<void(const std::stop_token&)> run);
  ~Thread();
  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;

  bool joinable() const noexcept { return is_running_; }
  // For both, joinable() must be true before the call and is false after it.
  void join() noexcept;
  void detach() noexcept;  // the thread must own everything it uses
  void request_stop() noexcept { stop_.request_stop(); }
  std::stop_token get_stop_token() const noexcept { return stop_.get_token(); }

 private:
  std::stop_source stop_{std::nostopstate};
  pthread_t thread_{};
  bool is_running_ = false;
};

}  // namespace confab::base
