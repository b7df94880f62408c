// SPDX-License-Identifier: MIT
// kill -9 at every call that changes a file, and at random times.
#include <gtest/gtest.h>
#include <signal.h>

#include <future>
#include <iostream>
#include <random>

#include "tests/faults/oracle.h"
#include "tests/faults/scenario.h"
#include "tests/faults/sweep.h"

namespace confab::faults {
namespace {

constexpr int kKilled = 128 + SIGKILL;
#ifdef CONFAB_SANITIZED
constexpr int kRandomKills = 30;
#else
constexpr int kRandomKills = 300;
#endif

class Tally {
 public:
  void add(const Acknowledged& acknowledged) {
    ++n_kills_;
    n_acknowledged_ += static_cast<int>(acknowledged.asked.size() + acknowledged.answered.size());
  }
  int n_kills() const noexcept { return n_kills_; }
  void report() const {
    testing::Test::RecordProperty("kills", n_kills_);
    testing::Test::RecordProperty("acknowledged", n_acknowledged_);
    std::cout << "kills: " << n_kills_ << ", acknowledged messages looked for: " << n_acknowledged_
              << '\n';
  }

 private:
  int n_kills_ = 0;
  int n_acknowledged_ = 0;
};

class KillTest : public testing::TestWithParam<Sweep> {};

TEST_P(KillTest, LosesNothingAcknowledged) {
  if (!have_shim()) GTEST_SKIP() << "needs LD_PRELOAD";
  const Sweep sweep = GetParam();
  const Scenario scenario;
  Oracle oracle(scenario);
  Tally tally;
  for (Calls calls(sweep); !HasFailure(); calls.next()) {
    SCOPED_TRACE(std::string(sweep.fault) + " at call " + std::to_string(calls.at()));
    const Home home(scenario, sweep.stage);
    const Outcome outcome =
        run(scenario.command_of(sweep.stage, home.path(), sweep.at(calls.at())));
    if (outcome.status == 0) break;  // there are no more calls
    ASSERT_EQ(outcome.status, kKilled) << outcome.output;
    const Acknowledged acknowledged = scenario.acknowledged(sweep.stage, outcome.output);
    oracle.check(home.path(), acknowledged);
    tally.add(acknowledged);
  }
  EXPECT_GT(tally.n_kills(), 0);
  tally.report();
}

// After a call the files are as before the next one, and torn writes are rare: fewer will do.
INSTANTIATE_TEST_SUITE_P(AtEveryCall, KillTest,
                         testing::Values(Sweep{"kill-before", 0, 3}, Sweep{"kill-before", 1, 3},
                                         Sweep{"kill-before", 2, 3}, Sweep{"kill-before", 3, 3},
                                         Sweep{"kill-before", 4, 3}, Sweep{"kill-after", 0, 29},
                                         Sweep{"kill-after", 1, 29}, Sweep{"kill-after", 2, 29},
                                         Sweep{"kill-after", 3, 29}, Sweep{"kill-after", 4, 29},
                                         Sweep{"tear", 0, 11}, Sweep{"tear", 1, 11},
                                         Sweep{"tear", 2, 11}, Sweep{"tear", 3, 11},
                                         Sweep{"tear", 4, 11}),
                         name_of);

TEST(RandomKillTest, LosesNothingAcknowledged) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 rng(seed);
  const Scenario scenario;
  Oracle oracle(scenario);
  Tally tally;
  while (tally.n_kills() < kRandomKills && !HasFailure()) {
    const std::size_t stage = rng() % scenario.stages().size();
    const Home home(scenario, stage);
    Command what = scenario.command_of(stage, home.path());
    what.kill_after = scenario.duration(stage) * (rng() % 1000) / 1000;
    const Outcome outcome = run(what);
    if (outcome.status == 0) continue;  // it was faster
    ASSERT_EQ(outcome.status, kKilled) << outcome.output;
    const Acknowledged acknowledged = scenario.acknowledged(stage, outcome.output);
    oracle.check(home.path(), acknowledged);
    tally.add(acknowledged);
  }
  std::cout << "seed: " << seed << '\n';
  tally.report();
}

// What had been shown this long before the kill must be in the draft: the second that the program
// takes, and what a busy machine may need on top.
constexpr std::chrono::milliseconds kMayBeLost{1500};

struct Draft {
  std::string shown;  // long enough before the kill
  std::string kept;
};

// An answer of some 3,000 tokens that is slowed to take seconds, killed in its midst. It goes in
// circles, which look-up would be done with at once.
Draft kill_in_answer(const std::string& model, std::chrono::milliseconds after) {
  const TempDir home;
  const Outcome outcome =
      run({.home = home.path(),
           .words = {"-m", model, "--plain", "-n", "3000", "--temp", "0", "-t", "1", "--no-lookup"},
           .input = "Tell me all that you know about the lighthouse.\n",
           .fault = {.name = "kill-before", .slow_us = 100'000},
           .kill_after = after,
           .patience_starts_with_output = true});
  EXPECT_EQ(outcome.status, kKilled) << outcome.output;
  Draft draft;
  for (const auto& [time, size] : outcome.arrivals)
    if (outcome.killed_at - time > kMayBeLost) draft.shown = outcome.output.substr(0, size);
  const Conversations found = read_conversations(database_of(home.path()));
  if (!found.messages.empty() && found.messages.back().state == sessions::MessageState::draft)
    draft.kept = found.messages.back().content;
  return draft;
}

TEST(RandomKillTest, CostsAtMostTheLastSecondOfADraft) {
  if (!have_shim()) GTEST_SKIP() << "needs LD_PRELOAD";
  const engine::TinyModelFile model({.seed = 24, .n_ctx = 4096});  // never ends by itself
  std::vector<std::future<Draft>> drafts;
  for (int i = 0; i < 8; ++i)
    drafts.push_back(std::async(std::launch::async, kill_in_answer, model.path(),
                                std::chrono::milliseconds(2100 + 100 * i)));
  for (auto& pending : drafts) {
    const Draft draft = pending.get();
    EXPECT_GT(draft.shown.size(), 20U) << draft.shown;
    EXPECT_TRUE(draft.kept.starts_with(draft.shown)) << draft.kept << "\n<- " << draft.shown;
  }
}

// All of the answers that were being written are there, as branches, and the first with what was
// shown of it. So many that they cannot all end before.
TEST(RandomKillTest, KeepsSeveralAnswersThatWereBeingWritten) {
  if (!have_shim()) GTEST_SKIP() << "needs LD_PRELOAD";
  const engine::TinyModelFile model({.seed = 24, .n_ctx = 4096});  // never ends by itself
  const TempDir home;
  run({.home = home.path(),
       .words = {"-m", model.path(), "--plain", "-n", "4", "--temp", "0", "-t", "1"},
       .input = "What is a lighthouse?\n"});
  const Outcome outcome = run(
      {.home = home.path(),
       .words = {"-m", model.path(), "-n", "3000", "--temp", "0.0001", "-t", "1", "--no-lookup",
                 "--continue", "-p", "Tell me all that you know about the lighthouse.", "--n", "8"},
       .fault = {.name = "kill-before", .slow_us = 100'000},
       .kill_after = std::chrono::milliseconds(1800),
       .patience_starts_with_output = true});
  EXPECT_EQ(outcome.status, kKilled);
  const Conversations found = read_conversations(database_of(home.path()));
  ASSERT_EQ(found.messages.size(), 11U);
  for (std::size_t i = 3; i < 11; ++i) EXPECT_EQ(found.messages[i].parent, found.messages[2].id);
  EXPECT_EQ(found.messages.back().state, sessions::MessageState::draft);
  std::string shown;
  for (const auto& [time, size] : outcome.arrivals)
    if (outcome.killed_at - time > kMayBeLost) shown = outcome.output.substr(0, size);
  const std::string head = "=== answer 1 of 8 ===\n";
  ASSERT_TRUE(shown.starts_with(head)) << shown;
  shown = shown.substr(head.size(), shown.find("\n=== answer 2 of 8") - head.size());
  EXPECT_TRUE(found.messages[3].content.starts_with(shown))
      << found.messages[3].content << "\n<- " << shown;
}

}  // namespace
}  // namespace confab::faults
