// SPDX-License-Identifier: MIT
// A team of threads that share one loop at a time.
//
// Three words say how work is cut, here and in all of kernels/ and engine/. An item is what one
// call of a loop's task does. A slice is neighbours of one dimension, [begin, end): items of a
// loop, rows of a matrix, codes of a row, positions of a sequence, bytes of a file. A tile is a
// rectangle, rows by tokens or queries by positions, that a kernel holds in registers or cache at
// once. Other nouns are names that the field has: a block of a number format or of the cache, a
// chunk of a prompt, a group of heads or of experts, a part of a split file.
//
// The calling thread is worker 0. Each worker starts in a contiguous slice of the items of its own,
// in their order, and then takes from the ends of the others' slices, so that a worker that lost
// its core holds up nobody; between loops workers spin briefly, then sleep, and an idle program
// uses no CPU. Thread class: a loop may be called from any thread but a worker; loops of several
// threads take turns, so that models that are loaded side by side can share a team.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace confab::kernels {

// A borrowed callable, two words; what it refers to must outlive it.
template <typename Signature>
class FunctionRef;
template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>) FunctionRef(F&& f)
  noexcept  // NOLINT: implicit, so that a lambda can be passed
      : object_(const_cast<void*>(static_cast<const void*>(&f))),
        call_([](void* o, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(o))(args...);
        }) {}
  R operator()(Args... args) const { return call_(object_, args...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

class ThreadPool {
 public:
  // n_threads >= 1 counts the caller. Throws std::system_error when a thread cannot be made.
  explicit ThreadPool(int n_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int n_threads() const noexcept;
  // Only the first n workers, of 1 to n_threads(), take part in the loops from now on; the others
  // sleep, and no loop wakes them. All do at first.
  void set_active(int n) noexcept;
  // Calls task(item, worker) once for each item in [0, n_items), worker in [0, n_threads());
  // returns when all have returned. Writes made before the call are seen by the workers, theirs by
  // the caller after it. The task must not throw.
  void parallel_for(int n_items, FunctionRef<void(int item, int worker)> task) noexcept;
  // The same in slices, each of at most max_items: calls task(begin, end,
  // worker) for slices that together are [0, n_items). A worker takes half of what is left of a
  // slice at a time, so that calls are few and the last ones short.
  void parallel_slices(int n_items, int max_items,
                       FunctionRef<void(int begin, int end, int worker)> task) noexcept;
  // How many times the team has been joined since it was made: the barriers paid for.
  std::int64_t n_joins() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Performance cores that this process may use, each counted once: affinity mask and cgroup quota
// respected; at least 1. A thread for each serves the team best.
int usable_cores() noexcept;

}  // namespace confab::kernels
