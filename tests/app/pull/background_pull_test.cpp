// SPDX-License-Identifier: MIT
#include "app/pull/model_pull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "app/error.h"
#include "app/pump.h"
#include "tests/app/hub_home.h"

namespace confab::app {
namespace {

using Step = BackgroundPull::Step;
using std::chrono::seconds;
using testing::HasSubstr;

class BackgroundPullTest : public testing::Test {
 protected:
  // The first state that is so.
  static BackgroundPull::State await(
      BackgroundPull& pull, const std::function<bool(const BackgroundPull::State&)>& is_so) {
    const auto most = std::chrono::steady_clock::now() + seconds(60);
    while (std::chrono::steady_clock::now() < most) {
      if (const auto state = pull.state(); is_so(state)) return state;
      wait_readable({pull.wake_fd()}, seconds(60));
    }
    throw std::runtime_error("it did not come to that");
  }
  static BackgroundPull::State end_of(BackgroundPull& pull) {
    return await(pull, [](const auto& state) { return state.step != Step::runs; });
  }

  HubHome at_;
};

TEST_F(BackgroundPullTest, TellsHowFarItIsAndThatItIsThere) {
  at_.hub.bytes_per_ms = 2000;
  BackgroundPull pull("org/name", at_.paths);
  const auto midway = await(pull, [](const auto& state) {
    return state.step != Step::runs || (state.percent > 0 && state.percent < 100);
  });
  EXPECT_EQ(midway.step, Step::runs);
  EXPECT_THAT(midway.text, HasSubstr(" of 2.9 MiB"));
  const auto end = end_of(pull);
  EXPECT_EQ(end.step, Step::finished);
  EXPECT_EQ(end.name, "m-Q4_K_M.gguf");
  EXPECT_THAT(end.text, HasSubstr("Pulled m-Q4_K_M.gguf: 2.9 MiB, SHA-256 right"));
  EXPECT_EQ(read_file(at_.file("m-Q4_K_M.gguf")), at_.hub.files["m-Q4_K_M.gguf"].content);
  EXPECT_FALSE(is_readable(pull.wake_fd())) << "nothing has changed since";
}

TEST_F(BackgroundPullTest, IsStoppedAndGoneOnWith) {
  at_.hub.bytes_per_ms = 300;
  {
    BackgroundPull pull("org/name", at_.paths);
    await(pull, [](const auto& state) { return state.percent >= 20; });
    pull.stop();
    EXPECT_EQ(end_of(pull).step, Step::stopped);
    EXPECT_FALSE(std::filesystem::exists(at_.file("m-Q4_K_M.gguf")));
  }
  at_.hub.bytes_per_ms = 0;
  const auto n_asked = at_.hub.count("/cdn/");
  BackgroundPull again("org/name", at_.paths);
  EXPECT_EQ(end_of(again).step, Step::finished);
  EXPECT_EQ(read_file(at_.file("m-Q4_K_M.gguf")), at_.hub.files["m-Q4_K_M.gguf"].content);
  std::size_t n_bytes = 0;  // of the ranges that the second one asked for
  const auto requests = at_.hub.requests();
  int n = 0;
  for (const LoopbackRequest& request : requests) {
    if (!request.path.starts_with("/cdn/") || n++ < n_asked) continue;
    std::size_t begin = 0, end = 0;
    ASSERT_EQ(std::sscanf(request.header("range").c_str(), "bytes=%zu-%zu", &begin, &end), 2);
    n_bytes += end - begin + 1;
  }
  EXPECT_LT(n_bytes, 2'600'000U) << "what had come is not asked for again";
}

// Whoever leaves the chat does not wait for a hub.
TEST_F(BackgroundPullTest, AHubThatDoesNotAnswerHoldsNobodyUp) {
  const LoopbackServer silent(
      [](const LoopbackRequest&, LoopbackServer::Connection& to) { to.wait(seconds(60)); });
  setenv("HF_ENDPOINT", silent.url().c_str(), 1);
  const auto begin = std::chrono::steady_clock::now();
  {
    BackgroundPull pull("org/name", at_.paths);
    while (silent.requests().empty()) std::this_thread::yield();
    EXPECT_EQ(pull.state().step, Step::runs);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(10));
}

TEST_F(BackgroundPullTest, WhatIsWrongIsToldAsThePullHasIt) {
  BackgroundPull pull("org/none", at_.paths);
  const auto end = end_of(pull);
  EXPECT_EQ(end.step, Step::failed);
  EXPECT_THAT(end.text, HasSubstr("org/none"));
  EXPECT_THROW(BackgroundPull("no-name", at_.paths), UsageError);
}

}  // namespace
}  // namespace confab::app
