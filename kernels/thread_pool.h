// SPDX-License-Identifier: MIT
// A team of threads that work on one loop at a time.
//
// Three words describe how work is cut, here and in all of kernels/ and engine/. An item is the
// work of one call of a loop's task. A slice is a range [begin, end) of one dimension: items of a
// loop, rows of a matrix, codes of a row, positions of a sequence, bytes of a file. A tile is a
// rectangle, rows by tokens or queries by positions, that a kernel holds in registers or cache at
// once. Other nouns are those of the field: a block of a number format or of the cache, a chunk of
// a prompt, a group of heads or of experts, a part of a split file.
//
// The calling thread is worker 0. Each worker starts with its own contiguous slice of the items, in
// order, and then takes items from the ends of the others' slices, so a worker that lost its core
// does not hold up the loop. Between loops workers spin briefly, then sleep, and an idle program
// uses no CPU. Thread class: any thread except a worker may call a loop. Loops of several threads
// take turns, so models that are loaded side by side can share a team.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace confab::kernels {

// A borrowed callable, two words in size. The object it refers to must outlive it.
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
  // n_threads >= 1 includes the caller. Throws std::system_error if a thread cannot be created.
  explicit ThreadPool(int n_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int n_threads() const noexcept;
  // From now on only the first n workers, 1 <= n <= n_threads(), take part in loops. The others
  // sleep, and loops do not wake them. Initially all workers are active.
  void set_active(int n) noexcept;
  // Calls task(item, worker) once for each item in [0, n_items), with worker in [0, n_threads()),
  // and returns when all calls have returned. Workers see writes made before the call, and the
  // caller sees theirs afterwards. The task must not throw.
  void parallel_for(int n_items, FunctionRef<void(int item, int worker)> task) noexcept;
  // The same in slices of at most max_items items: calls task(begin, end, worker) for slices that
  // together cover [0, n_items). A worker takes half of what is left of a slice at a time, so that
  // there are few calls and the last ones are short.
  void parallel_slices(int n_items, int max_items,
                       FunctionRef<void(int begin, int end, int worker)> task) noexcept;
  // How many loops the team has joined since it was created, that is, how many barriers were paid
  // for.
  std::int64_t n_joins() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The number of performance cores that this process may use, at least 1. Respects the affinity mask
// and the cgroup quota. The team works best with one thread per core.
int usable_cores() noexcept;

}  // namespace confab::kernels
