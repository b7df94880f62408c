// SPDX-License-Identifier: MIT
#include "engine/platform/fault_guard.h"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <limits>

#include "engine/locked.h"

namespace confab::engine::platform {
namespace {

constexpr int kNoneLost = std::numeric_limits<int>::max();

// The data that the signal handler reads. `begin` is 0 while the entry is free, and is written
// last.
struct Guarded {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::size_t> n_bytes{0};
  std::atomic<std::size_t> slot_bytes{0};
  std::atomic<int> first_lost{kNoneLost};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free &&
              std::atomic<std::size_t>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

std::array<Guarded, FaultGuard::kMaxGuards> all;
struct sigaction former {};          // the action before ours
std::atomic<bool> passed_on{false};  // a fault that is not ours went to `former`
struct Changing {};                  // guards the free entries and the signal action
Locked<Changing> changing;

bool replace(Guarded& guarded, std::uintptr_t begin, std::uintptr_t address) noexcept {
  const std::size_t slot_bytes = guarded.slot_bytes, n_bytes = guarded.n_bytes;
  if (address - begin >= n_bytes) return false;
  const std::size_t slot = (address - begin) / slot_bytes;
  const std::size_t offset = slot * slot_bytes;
  if (::mmap(reinterpret_cast<void*>(begin + offset), std::min(slot_bytes, n_bytes - offset),
             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED) {
    return false;
  }
  int known = guarded.first_lost;
  while (static_cast<int>(slot) < known &&
         !guarded.first_lost.compare_exchange_weak(known, static_cast<int>(slot))) {
  }
  return true;
}

// Passes the signal to the previous action, but only once. If that action reinstalls ours or
// returns to the same fault, the second fault kills the process.
void pass_on(int signal, siginfo_t* info, void* context) {
  const bool is_function = former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN;
  if (is_function && !passed_on.exchange(true)) {
    if ((former.sa_flags & SA_SIGINFO) != 0) return former.sa_sigaction(signal, info, context);
    return former.sa_handler(signal);
  }
  ::signal(signal, SIG_DFL);
  if (info->si_code <= 0) ::raise(signal);  // a real fault happens again by itself
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Guarded& guarded : all) {
    const std::uintptr_t begin = guarded.begin;
    if (info->si_code > 0 && begin != 0 && address >= begin && replace(guarded, begin, address)) {
      errno = saved_errno;
      return;
    }
  }
  errno = saved_errno;
  pass_on(signal, info, context);
}

}  // namespace

FaultGuard::FaultGuard(std::byte* begin, std::size_t n_bytes, std::size_t slot_bytes) noexcept
    : place_(-1) {
  if (n_bytes == 0) return;
  place_ = changing.with([&](Changing&) {
    auto* free = std::ranges::find(all, 0U, [](const Guarded& g) { return g.begin.load(); });
    if (free == all.end()) return -1;
    free->n_bytes = n_bytes;
    free->slot_bytes = slot_bytes;
    free->first_lost = kNoneLost;
    free->begin = reinterpret_cast<std::uintptr_t>(begin);
    return static_cast<int>(free - all.begin());
  });
}

FaultGuard::~FaultGuard() {
  if (place_ >= 0) all[static_cast<std::size_t>(place_)].begin = 0;
}

void FaultGuard::cut(std::size_t n_bytes) noexcept {
  if (place_ >= 0) all[static_cast<std::size_t>(place_)].n_bytes = n_bytes;
}

bool FaultGuard::arm() noexcept {
  if (place_ < 0) return false;
  return changing.with([](Changing&) {
    struct sigaction current {};
    if (::sigaction(SIGBUS, nullptr, &current) != 0) return false;
    if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_bus_error) return true;
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    former = current;  // before the handler can run
    passed_on = false;
    return ::sigaction(SIGBUS, &action, nullptr) == 0;
  });
}

std::optional<int> FaultGuard::take_lost() noexcept {
  if (!has_lost()) return std::nullopt;
  return all[static_cast<std::size_t>(place_)].first_lost.exchange(kNoneLost);
}

bool FaultGuard::has_lost() const noexcept {
  return place_ >= 0 && all[static_cast<std::size_t>(place_)].first_lost.load(
                            std::memory_order_relaxed) != kNoneLost;
}

}  // namespace confab::engine::platform
