// SPDX-License-Identifier: MIT
// kill -9 at every call that changes a file, and at random times.
#include <gtest/gtest.h>
#include <signal.h>

#include <iostream>

#include "tests/faults/oracle.h"
#include "tests/faults/scenario.h"

namespace confab::faults {
namespace {

constexpr int kKilled = 128 + SIGKILL;

// Faults at every stride-th call of a stage; at every one with CONFAB_FAULTS=all.
struct Sweep {
  const char* fault;
  std::size_t stage;
  long stride = 1;
};

long stride_of(const Sweep& sweep) {
  const char* wanted = std::getenv("CONFAB_FAULTS");
  return wanted != nullptr && std::string(wanted) == "all" ? 1 : sweep.stride;
}

std::string name_of(const testing::TestParamInfo<Sweep>& info) {
  static constexpr const char* kStages[] = {"Chat", "Once", "Resumed"};
  std::string name = info.param.fault;
  std::erase(name, '-');
  return name + kStages[info.param.stage];
}

class KillTest : public testing::TestWithParam<Sweep> {};

TEST_P(KillTest, AtEveryCall) {
  if (!have_shim()) GTEST_SKIP() << "needs LD_PRELOAD";
  const Sweep sweep = GetParam();
  const Scenario scenario;
  Oracle oracle(scenario);
  int n_cases = 0;
  std::size_t n_acknowledged = 0;
  for (long at = 1;; at += stride_of(sweep)) {
    SCOPED_TRACE(std::string(sweep.fault) + " at call " + std::to_string(at));
    const TempDir home;
    std::filesystem::remove(home.path());
    scenario.copy_home_before(sweep.stage, home.path());
    const Outcome outcome =
        run(scenario.run_of(sweep.stage, home.path(), {.name = sweep.fault, .at = at}));
    if (outcome.status == 0) break;  // there are no more calls
    ASSERT_EQ(outcome.status, kKilled) << outcome.output;
    const Acknowledged acknowledged = scenario.acknowledged(sweep.stage, outcome.output);
    oracle.check(home.path(), acknowledged);
    ++n_cases;
    n_acknowledged += acknowledged.asked.size() + acknowledged.answered.size();
    if (HasFailure()) break;
  }
  EXPECT_GT(n_cases, 0);
  RecordProperty("kills", n_cases);
  RecordProperty("acknowledged", static_cast<int>(n_acknowledged));
  std::cout << "kills: " << n_cases << ", acknowledged messages found: " << n_acknowledged << '\n';
}

// After a call the files are as before the next one, and torn writes are rare: a sample does.
INSTANTIATE_TEST_SUITE_P(Faults, KillTest,
                         testing::Values(Sweep{"kill-before", 0}, Sweep{"kill-before", 1},
                                         Sweep{"kill-before", 2}, Sweep{"kill-after", 0, 11},
                                         Sweep{"kill-after", 1, 11}, Sweep{"kill-after", 2, 11},
                                         Sweep{"tear", 0, 5}, Sweep{"tear", 1, 5},
                                         Sweep{"tear", 2, 5}),
                         name_of);

}  // namespace
}  // namespace confab::faults
