// SPDX-License-Identifier: MIT
// A thread with a stack of a stated size. What systems give by default is 8 MiB on Linux and 512
// KiB on macOS, so a thread that says nothing has a stack that nobody has tried it with.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <stop_token>

namespace confab::base {

// Stacks are address space: only pages that were touched take memory.
namespace stack {
// Loops over arrays, files, what libraries do to resolve names and to encrypt.
inline constexpr std::size_t kUsual = std::size_t{1} << 20;
// What others have written and is walked in depth: templates, schemas, grammars. All of it has
// limits that fit in a quarter of this.
inline constexpr std::size_t kLanguages = std::size_t{2} << 20;
}  // namespace stack

// As std::jthread: it is asked to stop and joined when the object goes. Movable.
class Thread {
 public:
  Thread() noexcept = default;
  // Throws std::system_error if the system gives no thread. `run` must not throw.
  Thread(std::size_t stack_bytes, std::function<void(const std::stop_token&)> run);
  ~Thread();
  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;

  bool joinable() const noexcept { return is_running_; }
  // For both, joinable() must hold before the call, and is false after it.
  void join() noexcept;
  void detach() noexcept;  // the thread must own all that it uses
  void request_stop() noexcept { stop_.request_stop(); }
  std::stop_token get_stop_token() const noexcept { return stop_.get_token(); }

 private:
  std::stop_source stop_{std::nostopstate};
  pthread_t thread_{};
  bool is_running_ = false;
};

}  // namespace confab::base
