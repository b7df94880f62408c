// SPDX-License-Identifier: MIT
#include "kernels/os_thread.h"

#ifdef __APPLE__
#include <pthread/qos.h>
#endif

#ifdef __linux__
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#endif

namespace confab::kernels {

void hurry() noexcept {
#ifdef __APPLE__
  pthread_set_qos_class_self_np(QOS_CLASS_USER_INITIATED, 0);
#endif
}

#ifdef __linux__

static_assert(CPU_SETSIZE == kMaxProcessors);
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// The wait() of libstdc++ yields before it sleeps. Schedulers that keep accounts (Linux from 6.6
// on) take the rest of the time slice from a thread that yields. Beside another program, a thread
// that yields at every loop hardly runs at all.
void sleep_while(std::atomic<std::uint32_t>& value, std::uint32_t old) noexcept {
  syscall(SYS_futex, &value, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& value) noexcept {
  value.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &value, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

int current_processor() noexcept {
  return sched_getcpu();
}

OsThread OsThread::current() noexcept {
  OsThread thread;
  thread.id_ = static_cast<int>(syscall(SYS_gettid));
  clockid_t clock = 0;
  if (pthread_getcpuclockid(pthread_self(), &clock) == 0) thread.clock_ = clock;
  return thread;
}

std::chrono::nanoseconds OsThread::cpu_time() const noexcept {
  timespec time{};
  clock_gettime(clock_, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

ProcessorSet OsThread::processors() const noexcept {
  ProcessorSet set;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(id_, sizeof mask, &mask) != 0) return set;
  for (std::size_t i = 0; i < set.size(); ++i) set[i] = CPU_ISSET(i, &mask);
  return set;
}

void OsThread::set_processors(const ProcessorSet& set) const noexcept {
  if (set.none()) return;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i]) CPU_SET(i, &mask);
  }
  sched_setaffinity(id_, sizeof mask, &mask);
}

#else

void sleep_while(std::atomic<std::uint32_t>& value, std::uint32_t old) noexcept {
  value.wait(old, std::memory_order_acquire);
}

void wake_all(std::atomic<std::uint32_t>& value) noexcept {
  value.fetch_add(1, std::memory_order_release);
  value.notify_all();
}

int current_processor() noexcept {
  return -1;
}

OsThread OsThread::current() noexcept {
  return {};
}

std::chrono::nanoseconds OsThread::cpu_time() const noexcept {
  return {};
}

ProcessorSet OsThread::processors() const noexcept {
  return {};
}

void OsThread::set_processors(const ProcessorSet&) const noexcept {}

#endif

}  // namespace confab::kernels
