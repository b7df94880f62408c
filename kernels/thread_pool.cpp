// SPDX-License-Identifier: MIT
#include "kernels/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <mutex>
#include <span>
#include <vector>

#include "base/thread.h"
#include "kernels/os_thread.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace confab::kernels {
namespace {

using Clock = std::chrono::steady_clock;

// Two cache lines: x86 prefetches them as a pair, and Apple's processors have lines of this size.
constexpr std::size_t kApart = 128;

// Longer than the owner needs between two loops of a token, and much shorter than a time slice.
constexpr auto kSpinTime = std::chrono::microseconds(50);

// A helper that holds a step and has run for less than half of this time has lost its processor.
constexpr auto kSampleTime = std::chrono::microseconds(20);

void pause() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// Spins until done() returns true. Returns false if that takes longer than `limit`.
template <typename F>
bool spin_until(const F& done, Clock::duration limit) noexcept {
  const auto start = Clock::now();
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      pause();
    }
  } while (Clock::now() - start < limit);
  return false;
}

// The steps [begin, end) of loop `epoch` that are left to claim in one worker's slice. Stored in
// one word, so that a claim is a single exchange, which fails if another loop has started.
struct Claim {
  std::uint32_t epoch;
  std::uint32_t begin, end;
};
constexpr std::uint32_t kMaxSteps = 0xffff;

constexpr std::uint64_t word_of(Claim c) noexcept {
  return std::uint64_t{c.epoch} << 32 | std::uint64_t{c.begin} << 16 | c.end;
}
constexpr Claim claim_of(std::uint64_t word) noexcept {
  return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word >> 16) & 0xffffU,
          static_cast<std::uint32_t>(word) & 0xffffU};
}

using Task = FunctionRef<void(int, int, int)>;

// A step is step_items items; the last step of a loop may have fewer.
struct Loop {
  const Task* task = nullptr;
  int n_items = 0;
  int step_items = 1;
  int max_items = 1;  // per call

  void run(std::uint32_t begin, std::uint32_t end, int worker) const noexcept {
    int first = static_cast<int>(begin) * step_items;
    const int steps_end = static_cast<int>(end - 1) * step_items;
    const int last = steps_end + std::min(step_items, n_items - steps_end);
    for (int n = 0; first < last; first += n) {
      n = std::min(max_items, last - first);
      (*task)(first, first + n, worker);
    }
  }
};

// One worker's slice of the current loop. `loop` is a plain field. The owner writes it before
// storing `left` (release). Others read it only between claiming a step (acquire) and reporting
// that step as done, and the loop cannot end before that report, so the field does not change
// meanwhile. A worker that comes too late finds nothing to claim, and nobody has waited for it.
struct alignas(kApart) Slice {
  std::atomic<std::uint64_t> left{0};
  std::atomic<std::uint32_t> max_steps{1};  // per claim; written before `left`
  Loop loop;
};

// Claims half of what is left of a slice, within the limits of the loop, so that claims get smaller
// towards the end. The slice's own worker claims from the beginning, other workers from the end.
// The result's [begin, end) is what was claimed; it is empty if nothing was left.
Claim claim_steps(Slice& slice, std::uint32_t epoch, bool own) noexcept {
  std::uint64_t left = slice.left.load(std::memory_order_acquire);
  for (;;) {
    const Claim c = claim_of(left);
    if (c.epoch != epoch || c.begin == c.end) return {epoch, 0, 0};
    // The limit may belong to a later loop, but then the exchange fails.
    const std::uint32_t most = slice.max_steps.load(std::memory_order_relaxed);
    const std::uint32_t n = std::clamp((c.end - c.begin) / 2, 1U, most);
    const std::uint32_t cut = own ? c.begin + n : c.end - n;
    const Claim rest = own ? Claim{epoch, cut, c.end} : Claim{epoch, c.begin, cut};
    if (slice.left.compare_exchange_weak(left, word_of(rest), std::memory_order_acquire))
      return own ? Claim{epoch, c.begin, cut} : Claim{epoch, cut, c.end};
  }
}

// A helper's progress in a loop: epoch << 32 | steps << 1 | kWake. The helper sets epoch and steps.
// The owner sets kWake when it goes to sleep.
struct alignas(kApart) Report {
  static constexpr std::uint64_t kWake = 1;
  std::atomic<std::uint64_t> word{0};

  static std::uint32_t steps(std::uint64_t word, std::uint32_t epoch) noexcept {
    return word >> 32 == epoch ? static_cast<std::uint32_t>(word) >> 1 : 0;
  }
};

// Where a worker is, for other workers to look at if it gets stuck.
struct alignas(kApart) Whereabouts {
  OsThread thread;                   // written before in_loop is first set
  std::atomic<bool> in_loop{false};  // while true, it may hold steps
  std::atomic<int> processor{-1};
  std::chrono::nanoseconds cpu_time{};  // the owner's notes about a stranded helper
  ProcessorSet processors;

  void arrive() noexcept {
    const int here = current_processor();
    if (processor.load(std::memory_order_relaxed) != here)
      processor.store(here, std::memory_order_relaxed);
  }
};

}  // namespace

// If two workers share a processor, or a worker shares one with another program, the loop must not
// wait for the scheduler's time slices to pass:
// - A helper that finds itself on the owner's processor moves to one without a worker.
// - A helper that holds a step and has lost its processor is moved to the owner's processor, where
//   the owner only waits, and is sent away again afterwards.
struct ThreadPool::State {
  explicit State(int n_threads);
  ~State();

  void publish(int n_items, int max_items, const Task& task) noexcept;
  std::uint32_t run_steps(int worker, std::uint32_t epoch) noexcept;
  void report(int worker, std::uint32_t epoch, std::uint32_t n_steps) noexcept;
  void finish(std::uint32_t n_others) noexcept;
  std::span<Report> active_reports() noexcept {
    return std::span(reports).first(n_active.load(std::memory_order_relaxed));
  }
  void bring_stranded(std::uint32_t wake_up) noexcept;
  void send_off() noexcept;
  std::uint32_t wait_for_loop(int worker, std::uint32_t seen) noexcept;
  bool is_active(int worker) const noexcept {
    return static_cast<std::uint32_t>(worker) < n_active.load(std::memory_order_relaxed);
  }
  void keep_off_owner(const Whereabouts& helper) noexcept;
  void work(int worker) noexcept;

  std::vector<Slice> slices;             // one per worker
  std::vector<Report> reports;           // one per worker; the owner's is unused
  std::vector<Whereabouts> whereabouts;  // one per worker
  bool has_room = false;                 // the process may use at least one processor per worker
  std::uint32_t epoch = 0;               // of the current loop, or of the last one
  std::uint32_t n_steps = 0;
  std::int64_t n_joins = 0;
  std::vector<base::Thread> helpers;
  // Only the owner writes it. A helper that reads an old value is woken either by the next change
  // or by the next loop.
  std::atomic<std::uint32_t> n_active;
  std::atomic<std::uint32_t> activations{0};  // sleeping inactive helpers watch this
  // any_asleep: whether a helper has gone to sleep since the last wake-up. wake_ups: sleeping
  // helpers watch this.
  alignas(kApart) std::atomic<std::uint32_t> any_asleep{0};
  std::atomic<std::uint32_t> wake_ups{0};
  std::atomic<bool> stop{false};
  alignas(kApart) std::atomic<std::uint32_t> owner_wake_ups{0};  // the sleeping owner watches this
  // The thread that calls a loop is the owner while the loop runs. On its own cache line, away from
  // what helpers read.
  alignas(kApart) std::mutex turn;
};

ThreadPool::State::State(int n_threads)
    : slices(static_cast<std::size_t>(n_threads)),
      reports(slices.size()),
      whereabouts(slices.size()),
      has_room(OsThread::current().processors().count() >= slices.size()),
      n_active(static_cast<std::uint32_t>(n_threads)) {}

ThreadPool::State::~State() {
  stop.store(true, std::memory_order_release);
  wake_all(wake_ups);
  wake_all(activations);
  for (base::Thread& h : helpers) h.join();
}

void ThreadPool::State::publish(int n_items, int max_items, const Task& task) noexcept {
  const int step_items = (n_items - 1) / static_cast<int>(kMaxSteps) + 1;
  n_steps = static_cast<std::uint32_t>((n_items - 1) / step_items + 1);
  const auto n_slices = std::min(n_active.load(std::memory_order_relaxed), n_steps);
  ++epoch;
  whereabouts[0].arrive();
  for (std::uint32_t w = n_slices; w-- > 0;) {
    slices[w].loop = {&task, n_items, step_items, max_items};
    slices[w].max_steps.store(static_cast<std::uint32_t>(std::max(1, max_items / step_items)),
                              std::memory_order_relaxed);
    slices[w].left.store(word_of({epoch, n_steps * w / n_slices, n_steps * (w + 1) / n_slices}),
                         std::memory_order_release);
  }
  // A helper that goes to sleep writes this variable before it looks at its slice again. So either
  // we see the helper here, or it sees what was stored above.
  if (any_asleep.exchange(0, std::memory_order_acq_rel) != 0) wake_all(wake_ups);
}

// Runs what is left of the worker's own slice, then of the others' slices.
std::uint32_t ThreadPool::State::run_steps(int worker, std::uint32_t of_epoch) noexcept {
  std::uint32_t n_done = 0;
  const std::size_t n = slices.size();
  for (std::size_t i = 0; i < n; ++i) {
    Slice& slice = slices[(static_cast<std::size_t>(worker) + i) % n];
    for (Claim c; (c = claim_steps(slice, of_epoch, i == 0)).begin != c.end;) {
      slice.loop.run(c.begin, c.end, worker);
      n_done += c.end - c.begin;
      if (worker != 0) report(worker, of_epoch, n_done);
    }
  }
  return n_done;
}

void ThreadPool::State::report(int worker, std::uint32_t of_epoch, std::uint32_t n) noexcept {
  std::atomic<std::uint64_t>& word = reports[static_cast<std::size_t>(worker)].word;
  const std::uint64_t now = std::uint64_t{of_epoch} << 32 | std::uint64_t{n} << 1;
  const std::uint64_t before = word.exchange(now, std::memory_order_acq_rel);
  if ((before & Report::kWake) != 0) wake_all(owner_wake_ups);
}

// Returns when the helpers have reported n_others steps of the loop.
void ThreadPool::State::finish(std::uint32_t n_others) noexcept {
  const auto all_done = [&] {
    std::uint32_t n = 0;
    for (const Report& r : active_reports())
      n += Report::steps(r.word.load(std::memory_order_acquire), epoch);
    return n == n_others;
  };
  if (spin_until(all_done, kSpinTime)) return;
  for (;;) {
    const std::uint32_t before = owner_wake_ups.load(std::memory_order_acquire);
    std::uint32_t n = 0;
    for (Report& r : active_reports())
      n += Report::steps(r.word.fetch_or(Report::kWake, std::memory_order_acq_rel), epoch);
    if (n == n_others) return;
    bring_stranded(before);
    sleep_while(owner_wake_ups, before);
    send_off();
  }
}

// Moves helpers that hold steps but do not run to this processor, unless one of them reports in the
// meantime.
void ThreadPool::State::bring_stranded(std::uint32_t wake_up) noexcept {
  const int here = current_processor();
  if (here < 0 || here >= kMaxProcessors) return;
  const auto in_loop = [](const Whereabouts& w) {
    return w.in_loop.load(std::memory_order_acquire);
  };
  for (Whereabouts& w : whereabouts) {
    if (in_loop(w)) w.cpu_time = w.thread.cpu_time();
  }
  const auto reported = [&] { return owner_wake_ups.load(std::memory_order_acquire) != wake_up; };
  if (spin_until(reported, kSampleTime)) return;
  for (Whereabouts& w : whereabouts) {
    if (!in_loop(w) || w.thread.cpu_time() - w.cpu_time > kSampleTime / 2) continue;
    w.processors = w.thread.processors();
    if (w.processors.none()) continue;  // unknown, so we could not send it back
    w.thread.set_processors(ProcessorSet{}.set(static_cast<std::size_t>(here)));
  }
}

// Lets the helpers that were moved here run on all their processors again, but moves them off this
// one first.
void ThreadPool::State::send_off() noexcept {
  const int here = current_processor();
  for (Whereabouts& w : whereabouts) {
    if (w.processors.none()) continue;
    w.thread.set_processors(ProcessorSet(w.processors).reset(static_cast<std::size_t>(here)));
    w.thread.set_processors(w.processors);
    w.processors.reset();
  }
}

// Waits for a loop other than `seen` that has a slice for this worker, and returns its epoch.
// Watches for kSpinTime, then sleeps until the next loop or, if the worker is not active, until it
// may have become active. Returns `seen` if the team is stopping.
std::uint32_t ThreadPool::State::wait_for_loop(int worker, std::uint32_t seen) noexcept {
  const Slice& slice = slices[static_cast<std::size_t>(worker)];
  const auto given = [&] { return claim_of(slice.left.load(std::memory_order_acquire)).epoch; };
  spin_until([&] { return given() != seen; }, kSpinTime);
  while (given() == seen) {
    const std::uint32_t before = wake_ups.load(std::memory_order_acquire);
    const std::uint32_t activations_before = activations.load(std::memory_order_acquire);
    const bool active = is_active(worker);
    if (active) any_asleep.exchange(1, std::memory_order_acq_rel);
    if (given() != seen) break;
    if (stop.load(std::memory_order_acquire)) return seen;
    active ? sleep_while(wake_ups, before) : sleep_while(activations, activations_before);
  }
  return given();
}

// Moves a helper from the owner's processor to one without a worker.
void ThreadPool::State::keep_off_owner(const Whereabouts& helper) noexcept {
  const int here = helper.processor.load(std::memory_order_relaxed);
  if (!has_room || here != whereabouts[0].processor.load(std::memory_order_relaxed)) return;
  const ProcessorSet all = helper.thread.processors();
  ProcessorSet free = all;
  for (const Whereabouts& w : whereabouts) {
    const auto taken = static_cast<unsigned>(w.processor.load(std::memory_order_relaxed));
    if (taken < free.size()) free.reset(taken);
  }
  if (free.none()) return;
  helper.thread.set_processors(free);
  helper.thread.set_processors(all);
}

void ThreadPool::State::work(int worker) noexcept {
  Whereabouts& self = whereabouts[static_cast<std::size_t>(worker)];
  self.thread = OsThread::current();
  std::uint32_t seen = 0;
  for (;;) {
    const std::uint32_t next = wait_for_loop(worker, seen);
    if (next == seen) return;
    seen = next;
    self.arrive();
    keep_off_owner(self);
    self.in_loop.store(true, std::memory_order_release);
    run_steps(worker, seen);
    self.in_loop.store(false, std::memory_order_relaxed);
  }
}

ThreadPool::ThreadPool(int n_threads) : state_(std::make_unique<State>(n_threads)) {
  assert(n_threads >= 1);
  state_->helpers.reserve(static_cast<std::size_t>(n_threads - 1));
  for (int i = 1; i < n_threads; ++i) {
    state_->helpers.emplace_back(base::stack::kUsual,
                                 [state = state_.get(), i](const std::stop_token&) {
                                   hurry();
                                   state->work(i);
                                 });
  }
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::n_threads() const noexcept {
  return static_cast<int>(state_->slices.size());
}

void ThreadPool::set_active(int n) noexcept {
  assert(n >= 1 && n <= n_threads());
  State& s = *state_;
  const std::scoped_lock turn(s.turn);
  if (s.n_active.exchange(static_cast<std::uint32_t>(n), std::memory_order_relaxed) !=
      static_cast<std::uint32_t>(n))
    wake_all(s.activations);
}

void ThreadPool::parallel_for(int n_items, FunctionRef<void(int, int)> task) noexcept {
  parallel_slices(n_items, 1, [&](int item, int, int worker) { task(item, worker); });
}

void ThreadPool::parallel_slices(int n_items, int max_items,
                                 FunctionRef<void(int, int, int)> task) noexcept {
  assert(max_items >= 1);
  State& s = *state_;
  if (n_items <= 1 || s.n_active.load(std::memory_order_relaxed) == 1) {
    for (int i = 0; i < n_items; i += max_items) task(i, std::min(n_items, i + max_items), 0);
    return;
  }
  const std::scoped_lock turn(s.turn);
  s.publish(n_items, max_items, task);
  s.finish(s.n_steps - s.run_steps(0, s.epoch));
  ++s.n_joins;
}

std::int64_t ThreadPool::n_joins() const noexcept {
  return state_->n_joins;
}

}  // namespace confab::kernels
