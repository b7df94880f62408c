// SPDX-License-Identifier: MIT
#include "kernels/thread_pool.h"

#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace confab::kernels {
namespace {

using Clock = std::chrono::steady_clock;

// Longer than the caller needs between two loops of a token, far shorter than a time slice: a
// waiting thread that shares its core with another program gives it up soon.
constexpr auto kSpinTime = std::chrono::microseconds(30);

void pause() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// Returns once `value` differs from `old`: watches it for kSpinTime, then sleeps.
template <typename T>
void wait_while_equal(const std::atomic<T>& value, T old) noexcept {
  const auto deadline = Clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
      pause();
    }
  } while (Clock::now() < deadline);
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

}  // namespace

// The loop in progress is `task` and `n_items`, plain fields that the owner writes before it stores
// n_unclaimed (release) and that a worker reads only after it has claimed an item (acquire): while
// a claimed item is unfinished the loop cannot end, so the fields hold still. A worker that comes
// too late finds nothing to claim, and no one has waited for it.
struct ThreadPool::State {
  alignas(64) std::atomic<std::int32_t> n_unclaimed{0};
  alignas(64) std::atomic<std::int32_t> n_unfinished{0};
  // Changes when there may be work, or when `stop` is set.
  alignas(64) std::atomic<std::uint32_t> epoch{0};
  std::atomic<bool> stop{false};
  alignas(64) const FunctionRef<void(int, int)>* task = nullptr;
  std::int32_t n_items = 0;
  std::int64_t n_joins = 0;
  std::vector<std::thread> workers;

  ~State();
  void run_items(int worker) noexcept;
  void work(int worker) noexcept;
};

ThreadPool::State::~State() {
  stop.store(true, std::memory_order_relaxed);
  epoch.fetch_add(1, std::memory_order_release);
  epoch.notify_all();
  for (std::thread& w : workers) w.join();
}

// Claims and runs items until none is left, then reports them all at once.
void ThreadPool::State::run_items(int worker) noexcept {
  std::int32_t n_done = 0;
  std::int32_t left = n_unclaimed.load(std::memory_order_relaxed);
  while (left > 0) {
    if (!n_unclaimed.compare_exchange_weak(left, left - 1, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
      continue;
    }
    (*task)(n_items - left, worker);
    ++n_done;
    left = n_unclaimed.load(std::memory_order_relaxed);
  }
  if (n_done > 0 && n_unfinished.fetch_sub(n_done, std::memory_order_acq_rel) == n_done) {
    n_unfinished.notify_one();
  }
}

void ThreadPool::State::work(int worker) noexcept {
  std::uint32_t seen = 0;
  for (;;) {
    wait_while_equal(epoch, seen);
    seen = epoch.load(std::memory_order_acquire);
    if (stop.load(std::memory_order_relaxed)) return;
    run_items(worker);
  }
}

ThreadPool::ThreadPool(int n_threads) : state_(std::make_unique<State>()) {
  assert(n_threads >= 1);
  state_->workers.reserve(static_cast<std::size_t>(n_threads - 1));
  for (int i = 1; i < n_threads; ++i) {
    state_->workers.emplace_back([state = state_.get(), i] { state->work(i); });
  }
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::n_threads() const noexcept {
  return static_cast<int>(state_->workers.size()) + 1;
}

void ThreadPool::parallel_for(int n_items, FunctionRef<void(int, int)> task) noexcept {
  if (n_items <= 1 || state_->workers.empty()) {
    for (int i = 0; i < n_items; ++i) task(i, 0);
    return;
  }
  State& s = *state_;
  s.task = &task;
  s.n_items = n_items;
  s.n_unfinished.store(n_items, std::memory_order_relaxed);
  s.n_unclaimed.store(n_items, std::memory_order_release);
  s.epoch.fetch_add(1, std::memory_order_release);
  s.epoch.notify_all();
  s.run_items(0);
  for (std::int32_t left; (left = s.n_unfinished.load(std::memory_order_acquire)) != 0;) {
    wait_while_equal(s.n_unfinished, left);
  }
  ++s.n_joins;
}

std::int64_t ThreadPool::n_joins() const noexcept {
  return state_->n_joins;
}

}  // namespace confab::kernels
