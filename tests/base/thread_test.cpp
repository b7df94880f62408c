// SPDX-License-Identifier: MIT
#include "base/thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <system_error>
#include <utility>

namespace confab::base {
namespace {

#ifdef __linux__
TEST(ThreadTest, HasTheStackThatItsMakerStates) {
  std::size_t size = 0;
  Thread(stack::kUsual, [&size](const std::stop_token&) {
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
    void* begin = nullptr;
    pthread_attr_getstack(&attributes, &begin, &size);
    pthread_attr_destroy(&attributes);
  });
  EXPECT_GE(size, stack::kUsual);
  EXPECT_LE(size, 5 * stack::kUsual) << "not the 8 MiB that are usual";
}
#endif

TEST(ThreadTest, IsAskedToStopAndJoinedWhenItGoes) {
  std::atomic<bool> has_ended{false};
  {
    const Thread thread(stack::kUsual, [&has_ended](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
      }
      has_ended = true;
    });
    EXPECT_TRUE(thread.joinable());
  }
  EXPECT_TRUE(has_ended);
}

TEST(ThreadTest, Moves) {
  std::atomic<int> n_ended{0};
  const auto until_stopped = [&n_ended](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
    }
    ++n_ended;
  };
  Thread a(stack::kUsual, until_stopped), b(stack::kUsual, until_stopped);
  Thread c(std::move(a));
  EXPECT_TRUE(c.joinable());
  c = std::move(b);
  EXPECT_EQ(n_ended, 1) << "the one that was replaced";
  c.request_stop();
  c.join();
  EXPECT_EQ(n_ended, 2);
  EXPECT_FALSE(c.joinable());
  c = Thread();
  EXPECT_FALSE(c.get_stop_token().stop_possible());
}

TEST(ThreadTest, ADetachedOneIsNotWaitedFor) {
  const auto goes_on = std::make_shared<std::promise<void>>();
  std::promise<void> ended;
  {
    Thread thread(stack::kUsual, [goes_on, &ended](const std::stop_token&) {
      goes_on->get_future().wait();
      ended.set_value();
    });
    thread.detach();
    EXPECT_FALSE(thread.joinable());
  }
  goes_on->set_value();
  ended.get_future().wait();
}

TEST(ThreadTest, ThrowsWhereTheSystemHasNoRoom) {
  EXPECT_THROW(Thread(std::size_t{1} << 55, [](const std::stop_token&) {}), std::system_error);
}

}  // namespace
}  // namespace confab::base
