// SPDX-License-Identifier: MIT
#include "base/thread.h"

#include <memory>
#include <system_error>
#include <utility>

namespace confab::base {
namespace {

// Frames of an instrumented build are several times larger.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kFrames = 4;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::size_t kFrames = 4;
#else
constexpr std::size_t kFrames = 1;
#endif
#else
constexpr std::size_t kFrames = 1;
#endif

struct Start {
  std::function<void(const std::stop_token&)> run;
  std::stop_token stop;
};

void* run_thread(void* given) noexcept {
  const std::unique_ptr<Start> start(static_cast<Start*>(given));
  start->run(start->stop);
  return nullptr;
}

void check(int error, const char* doing) {
  if (error != 0) throw std::system_error(error, std::generic_category(), doing);
}

}  // namespace

Thread::Thread(std::size_t stack_bytes, std::function<void(const std::stop_token&)> run) : stop_() {
  auto start = std::make_unique<Start>(Start{std::move(run), stop_.get_token()});
  pthread_attr_t attributes;
  check(pthread_attr_init(&attributes), "cannot start a thread");
  int error = pthread_attr_setstacksize(&attributes, kFrames * stack_bytes);
  if (error == 0) error = pthread_create(&thread_, &attributes, run_thread, start.get());
  pthread_attr_destroy(&attributes);
  check(error, "cannot start a thread");
  (void)start.release();  // now owned by the thread
  is_running_ = true;
}

Thread::~Thread() {
  if (!is_running_) return;
  stop_.request_stop();
  join();
}

Thread::Thread(Thread&& other) noexcept
    : stop_(std::exchange(other.stop_, std::stop_source(std::nostopstate))),
      thread_(other.thread_),
      is_running_(std::exchange(other.is_running_, false)) {}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this == &other) return *this;
  Thread gone(std::move(*this));
  stop_ = std::exchange(other.stop_, std::stop_source(std::nostopstate));
  thread_ = other.thread_;
  is_running_ = std::exchange(other.is_running_, false);
  return *this;
}

void Thread::detach() noexcept {
  pthread_detach(thread_);
  is_running_ = false;
}

void Thread::join() noexcept {
  pthread_join(thread_, nullptr);
  is_running_ = false;
}

}  // namespace confab::base
