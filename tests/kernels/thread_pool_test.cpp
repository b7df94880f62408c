// SPDX-License-Identifier: MIT
#include "kernels/thread_pool.h"

#include <gtest/gtest.h>

#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace confab::kernels {
namespace {

class ThreadPoolTest : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest, ::testing::Values(1, 2, 3, 8));

TEST_P(ThreadPoolTest, RunsEachItemOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.n_threads(), GetParam());
  for (int n_items = 0; n_items <= 50; ++n_items) {
    std::vector<std::atomic<int>> hits(static_cast<std::size_t>(n_items));
    std::atomic<bool> worker_ok{true};
    pool.parallel_for(n_items, [&](int item, int worker) {
      hits[static_cast<std::size_t>(item)]++;
      if (worker < 0 || worker >= GetParam()) worker_ok = false;
    });
    for (const auto& h : hits) ASSERT_EQ(h, 1) << n_items;
    EXPECT_TRUE(worker_ok);
  }
}

// As two models do that answer at once.
TEST_P(ThreadPoolTest, SeveralThreadsTakeTurns) {
  ThreadPool pool(GetParam());
  constexpr int kItems = 20, kLoops = 2000;
  std::atomic<int> n_wrong{0};
  const auto use = [&](int first) {
    std::vector<int> values(kItems);
    for (int i = 0; i < kLoops; ++i) {
      pool.parallel_for(kItems,
                        [&](int item, int) { values[static_cast<std::size_t>(item)] = first + i; });
      for (const int value : values) n_wrong += value != first + i;
    }
  };
  {
    std::vector<std::jthread> owners;
    for (int i = 0; i < 3; ++i) owners.emplace_back(use, i * kLoops);
    for (int i = 0; i < 50; ++i) pool.set_active(1 + i % GetParam());
  }
  EXPECT_EQ(n_wrong, 0);
  pool.set_active(GetParam());
}

TEST_P(ThreadPoolTest, RunsMoreItemsThanItCanClaim) {
  ThreadPool pool(GetParam());
  for (const int n_items : {65'535, 65'536, 200'001}) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(n_items));
    pool.parallel_for(n_items, [&](int item, int) { runs[static_cast<std::size_t>(item)]++; });
    for (const auto& n : runs) ASSERT_EQ(n.load(), 1) << n_items;
  }
}

TEST_P(ThreadPoolTest, RangesAreAllItemsAndNotTooLong) {
  ThreadPool pool(GetParam());
  for (const int n_items : {0, 1, 2, 16, 1000, 70'000}) {
    for (const int max_items : {3, 32, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(n_items));
      std::atomic<int> longest{0};
      pool.parallel_slices(n_items, max_items, [&](int begin, int end, int) {
        int before = longest.load();
        while (before < end - begin && !longest.compare_exchange_weak(before, end - begin)) {
        }
        for (int i = begin; i < end; ++i) runs[static_cast<std::size_t>(i)]++;
      });
      for (const auto& n : runs) ASSERT_EQ(n.load(), 1) << n_items << " " << max_items;
      EXPECT_LE(longest.load(), max_items);
    }
  }
}

TEST(ThreadPool, RangesBecomeShorterTowardsTheEnd) {
  ThreadPool pool(2);
  std::vector<int> lengths[2];
  pool.parallel_slices(
      64, 64, [&](int begin, int end, int worker) { lengths[worker].push_back(end - begin); });
  int n_short = 0;
  for (const auto& of_worker : lengths) {
    for (const int length : of_worker) {
      EXPECT_LE(length, 16);  // half of a part
      if (length == 1) ++n_short;
    }
  }
  EXPECT_GE(n_short, 2);  // the end of each part
}

TEST(ThreadPool, AWorkerStartsInItsOwnPart) {
  ThreadPool pool(2);
  std::atomic<int> first[2] = {-1, -1};
  pool.parallel_for(10, [&](int item, int worker) {
    int none = -1;
    first[worker].compare_exchange_strong(none, item);
    while (first[0] < 0 || first[1] < 0) std::this_thread::yield();
  });
  EXPECT_EQ(first[0], 0);
  EXPECT_EQ(first[1], 5);
}

TEST_P(ThreadPoolTest, WritesAreSeenAcrossLoops) {
  ThreadPool pool(GetParam());
  std::vector<int> a(64, 1), b(64);
  for (int round = 0; round < 500; ++round) {
    pool.parallel_for(64, [&](int i, int) {
      b[static_cast<std::size_t>(i)] = a[static_cast<std::size_t>(63 - i)] + 1;
    });
    std::swap(a, b);
  }
  for (const int v : a) EXPECT_EQ(v, 501);
}

TEST_P(ThreadPoolTest, OneWorkerIsOneThreadAtATime) {
  ThreadPool pool(GetParam());
  std::vector<int> counts(static_cast<std::size_t>(GetParam()));  // unguarded: tsan would object
  for (int round = 0; round < 200; ++round) {
    pool.parallel_for(17, [&](int, int worker) { counts[static_cast<std::size_t>(worker)]++; });
  }
  int total = 0;
  for (const int c : counts) total += c;
  EXPECT_EQ(total, 17 * 200);
}

TEST_P(ThreadPoolTest, CountsTheJoinsThatCost) {
  ThreadPool pool(GetParam());
  pool.parallel_for(0, [](int, int) {});
  pool.parallel_for(1, [](int, int) {});
  EXPECT_EQ(pool.n_joins(), 0);
  pool.parallel_for(2, [](int, int) {});
  pool.parallel_for(30, [](int, int) {});
  EXPECT_EQ(pool.n_joins(), GetParam() == 1 ? 0 : 2);
}

TEST(ThreadPool, HelpersReallyTakeItems) {
  ThreadPool pool(2);
  std::mutex mutex;
  std::condition_variable arrived;
  int n = 0;
  pool.parallel_for(2, [&](int, int) {  // each item waits until the other has started
    std::unique_lock lock(mutex);
    ++n;
    arrived.notify_all();
    arrived.wait(lock, [&] { return n == 2; });
  });
  EXPECT_EQ(n, 2);
}

TEST(ThreadPool, WakesHelpersThatWentToSleep) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    std::mutex mutex;
    std::condition_variable arrived;
    int n = 0;
    const auto all_three = [&](int, int) {
      std::unique_lock lock(mutex);
      ++n;
      arrived.notify_all();
      arrived.wait(lock, [&] { return n == 3; });
    };
    pool.parallel_for(3, all_three);
    volatile double busy = 1;  // longer than helpers spin
    for (int i = 0; i < 100'000; ++i) busy = busy * 1.0000001;
  }
}

TEST(ThreadPool, DestroyedWhileHelpersSpinOrSleep) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(4);
    if (i % 2 == 0) pool.parallel_for(8, [](int, int) {});
  }
}

// Each loop has another number of workers, and goes on from what the one before has written.
TEST_P(ThreadPoolTest, AnyNumberOfItsWorkersGivesTheSame) {
  ThreadPool pool(GetParam());
  std::vector<int> a(97, 1), b(97);
  std::vector<int> counts(static_cast<std::size_t>(GetParam()));  // unguarded: tsan would object
  std::atomic<bool> is_active{true};
  for (int round = 0; round < 1000; ++round) {
    const int n = 1 + round * 5 / 3 % GetParam();
    pool.set_active(n);
    pool.parallel_slices(97, 8, [&](int begin, int end, int worker) {
      if (worker >= n) is_active = false;
      counts[static_cast<std::size_t>(worker)] += end - begin;
      for (int i = begin; i < end; ++i) {
        const auto at = static_cast<std::size_t>(i);
        b[at] = (a[at] * 3 + a[96 - at]) % 1009;
      }
    });
    std::swap(a, b);
  }
  EXPECT_TRUE(is_active);
  EXPECT_EQ(pool.n_threads(), GetParam());
  std::vector<int> want(97, 1);
  for (int round = 0; round < 1000; ++round) {
    for (std::size_t i = 0; i < 97; ++i) b[i] = (want[i] * 3 + want[96 - i]) % 1009;
    std::swap(want, b);
  }
  EXPECT_EQ(a, want);
  int total = 0;
  for (const int c : counts) total += c;
  EXPECT_EQ(total, 97 * 1000);
}

// All that are active meet in one loop.
void meet(ThreadPool& pool, int n) {
  std::atomic<int> n_arrived{0};
  pool.parallel_for(n, [&](int, int) {
    ++n_arrived;
    while (n_arrived < n) std::this_thread::yield();
  });
}

void be_busy_for_longer_than_helpers_spin() {
  volatile double busy = 1;
  for (int i = 0; i < 100'000; ++i) busy = busy * 1.0000001;
}

TEST(ThreadPool, WorkersThatRestedComeBack) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    for (const int n : {3, 1, 2, 3, 2, 1}) {
      pool.set_active(n);
      meet(pool, n);
      if (round % 2 == 0) be_busy_for_longer_than_helpers_spin();
    }
  }
}

TEST(ThreadPool, DestroyedWhileWorkersRest) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(4);
    if (i % 2 == 0) pool.parallel_for(8, [](int, int) {});
    pool.set_active(1 + i % 4);
    if (i % 3 == 0) pool.parallel_for(8, [](int, int) {});
  }
}

TEST(ThreadPool, UsableCoresIsPositive) {
  EXPECT_GE(usable_cores(), 1);
}

#ifdef __linux__

// How often the thread has gone to sleep (proc_pid_status(5)).
int n_sleeps(pid_t thread) {
  std::ifstream in("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string name; in >> name;) {
    int n = 0;
    if (name == "voluntary_ctxt_switches:" && in >> n) return n;
  }
  ADD_FAILURE() << "nobody counts";
  return 0;
}

TEST(ThreadPool, NoLoopWakesAWorkerThatRests) {
  ThreadPool pool(3);
  std::atomic<pid_t> threads[3] = {};
  std::atomic<int> n_arrived{0};
  pool.parallel_for(3, [&](int, int worker) {
    threads[worker] = static_cast<pid_t>(syscall(SYS_gettid));
    ++n_arrived;
    while (n_arrived < 3) std::this_thread::yield();
  });
  pool.set_active(2);
  const int before[] = {n_sleeps(threads[1]), n_sleeps(threads[2])};
  for (int n_rounds = 0; n_sleeps(threads[1]) < before[0] + 50; ++n_rounds) {
    ASSERT_LT(n_rounds, 100'000) << "the other one does not sleep";
    meet(pool, 2);
    be_busy_for_longer_than_helpers_spin();
  }
  // Where loops are waited for, from where the next one wakes it, and where it rests.
  EXPECT_LE(n_sleeps(threads[2]) - before[1], 3);
}

// Stands in the way of the system's sched_getaffinity() of this program.
struct Affinity {
  std::mutex mutex;
  bool is_refused = false;
  bool was_asked = false;  // by one thread about another, while it was refused
  std::condition_variable asked;
};
Affinity affinity;

std::size_t n_processors(pid_t thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  EXPECT_GT(syscall(SYS_sched_getaffinity, thread, sizeof mask, &mask), 0);
  return static_cast<std::size_t>(CPU_COUNT(&mask));
}

pid_t this_thread() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

// The helper sleeps while it holds an item, so it looks as if it had lost its processor.
TEST(ThreadPool, NobodyIsMovedWhoCouldNotBeSentBack) {
  const std::size_t n_before = n_processors(this_thread());
  if (n_before < 2) GTEST_SKIP() << "there is one processor only";
  ThreadPool pool(2);
  std::atomic<pid_t> helper{0};
  affinity.is_refused = true;
  affinity.was_asked = false;
  for (int round = 0; round < 100 && !affinity.was_asked; ++round) {
    std::atomic<int> n_started{0};
    pool.parallel_for(2, [&](int, int worker) {
      ++n_started;
      while (n_started < 2) std::this_thread::yield();
      if (worker == 0) return;
      helper = this_thread();
      std::unique_lock lock(affinity.mutex);
      affinity.asked.wait_for(lock, std::chrono::seconds(1), [] { return affinity.was_asked; });
    });
  }
  affinity.is_refused = false;
  EXPECT_TRUE(affinity.was_asked);
  EXPECT_EQ(n_processors(helper), n_before);
}

#endif

}  // namespace
}  // namespace confab::kernels

#ifdef __linux__
extern "C" int sched_getaffinity(pid_t thread, std::size_t size, cpu_set_t* mask) noexcept {
  using confab::kernels::affinity;
  const std::lock_guard lock(affinity.mutex);
  if (affinity.is_refused) {
    if (thread != confab::kernels::this_thread()) affinity.was_asked = true;
    affinity.asked.notify_all();
    errno = EPERM;
    return -1;
  }
  std::memset(mask, 0, size);
  return syscall(SYS_sched_getaffinity, thread, size, mask) < 0 ? -1 : 0;
}
#endif
