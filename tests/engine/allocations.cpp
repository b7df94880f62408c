// SPDX-License-Identifier: MIT
#include "tests/engine/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CONFAB_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CONFAB_SANITIZED
#endif

#ifdef CONFAB_SANITIZED

std::optional<long> confab::engine::n_allocations() noexcept {
  return std::nullopt;
}
std::optional<std::size_t> confab::engine::n_allocated_bytes() noexcept {
  return std::nullopt;
}
std::optional<std::size_t> confab::engine::n_allocated_bytes_here() noexcept {
  return std::nullopt;
}

#else

namespace {
// relaxed: only numbers, read when the counted work has ended
std::atomic<long> count = 0;
std::atomic<std::size_t> bytes = 0;
thread_local std::size_t bytes_here = 0;

void record(std::size_t n) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(n, std::memory_order_relaxed);
  bytes_here += n;
}
}  // namespace

std::optional<long> confab::engine::n_allocations() noexcept {
  return count.load(std::memory_order_relaxed);
}
std::optional<std::size_t> confab::engine::n_allocated_bytes() noexcept {
  return bytes.load(std::memory_order_relaxed);
}
std::optional<std::size_t> confab::engine::n_allocated_bytes_here() noexcept {
  return bytes_here;
}

void* operator new(std::size_t n) {
  record(n);
  if (void* p = std::malloc(n == 0 ? 1 : n)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t n, std::align_val_t alignment) {
  record(n);
  const auto a = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(a, (n + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}

#endif
