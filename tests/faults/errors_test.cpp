// SPDX-License-Identifier: MIT
// Disks that are full, that fail or that are read-only, and no descriptors left: at every call,
// once and from then on.
#include <gmock/gmock.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "tests/faults/oracle.h"
#include "tests/faults/scenario.h"
#include "tests/faults/sweep.h"
#include "tests/sessions/processes.h"

namespace confab::faults {
namespace {

constexpr int kNotAllowed = 77;

int count(const std::string& text, const std::string& word) {
  int n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

// A turn's part of an output: from the fence before to its own.
struct Told {
  const Turn* turn;
  std::string text;
};

// The turns that must have been saved: those with both fences. What could not be saved at once is
// saved later, so that one fault loses none; faults that stay lose what comes after the complaint.
std::vector<Told> told_as_saved(const Stage& stage, const Outcome& outcome, Persistence faults) {
  std::vector<Told> saved;
  const bool nothing_is_saved =
      count(outcome.output, "is saved: ") + count(outcome.output, "is saved\n") > 0;
  if (outcome.status != 0 || nothing_is_saved) return saved;
  std::size_t begin = 0;
  bool begin_known = true;
  for (const Turn& turn : stage.turns) {
    const std::string fence = '"' + turn.fence + '"';
    const std::size_t end =
        turn.fence.empty() ? outcome.output.size() : outcome.output.find(fence, begin);
    const bool end_known = end != std::string::npos;
    if (end_known && faults == Persistence::from_then_on &&
        count(outcome.output.substr(0, end), "confab: ") > 0)
      break;
    if (begin_known && end_known)
      saved.push_back({&turn, outcome.output.substr(begin, end - begin)});
    begin_known = end_known;
    if (end_known) begin = end + fence.size();
  }
  return saved;
}

void expect_saved(const std::vector<Told>& saved, const std::filesystem::path& home) {
  const Conversations found = read_conversations(database_of(home));
  for (const Told& told : saved) {
    const sessions::Message* answer = found.answer_to(told.turn->question);
    if (answer == nullptr) {
      ADD_FAILURE() << "the answer is lost: " << told.turn->question;
      continue;
    }
    EXPECT_NE(told.text.find(answer->content), std::string::npos) << answer->content;
  }
}

// One fault spoils at most one of two turns.
void expect_recovered(const Stage& stage, const Outcome& outcome) {
  if (stage.turns.size() < 2) return;
  int n = 0;
  for (const Turn& turn : {*(stage.turns.end() - 2), stage.turns.back()})
    n += count(outcome.output, '"' + turn.fence + '"');
  EXPECT_GE(n, 1) << outcome.output;
}

class ErrorTest : public testing::TestWithParam<Sweep> {
 protected:
  void check(const Outcome& outcome, const std::filesystem::path& home) {
    const Stage& stage = scenario.stage(GetParam().stage);
    ASSERT_THAT(outcome.status, testing::AnyOf(0, 1)) << outcome.output;
    if (outcome.status != 0) {
      EXPECT_GE(count(outcome.output, "confab: "), 1) << outcome.output;
    }
    EXPECT_LE(count(outcome.output, "prompt cache"), 1) << outcome.output;
    EXPECT_LE(count(outcome.output, "not remembered"), 1) << outcome.output;
    // One failed read is not to look like a lost database.
    EXPECT_EQ(count(outcome.output, "damaged"), count(outcome.output, "or the disk is failing"));
    const std::vector<Told> saved = told_as_saved(stage, outcome, GetParam().persistence);
    n_saved += static_cast<int>(saved.size());
    if (outcome.status == 0 && GetParam().persistence == Persistence::once) {
      expect_recovered(stage, outcome);
    }
    expect_saved(saved, home);
    oracle.check(home, {});
  }

  const Scenario scenario;
  Oracle oracle{scenario};
  int n_saved = 0;
};

TEST_P(ErrorTest, LosesNothingAcknowledged) {
  if (!have_shim()) GTEST_SKIP() << "needs LD_PRELOAD";
  const Sweep sweep = GetParam();
  int n_faults = 0;
  const auto n_calls =
      static_cast<long>(scenario.calls_of_stage(sweep.stage, {.name = sweep.fault}).size());
  for (Calls calls(sweep); calls.at() <= n_calls && !HasFailure(); calls.next()) {
    SCOPED_TRACE(std::string(sweep.fault) + " at call " + std::to_string(calls.at()));
    const Home home(scenario, sweep.stage);
    check(run(scenario.command_of(sweep.stage, home.path(), sweep.at(calls.at()))), home.path());
    ++n_faults;
  }
  EXPECT_GT(n_faults, 0);
  RecordProperty("faults", n_faults);
  std::cout << "faults: " << n_faults << ", of calls: " << n_calls
            << ", turns told as saved: " << n_saved << '\n';
}

// A home on a file system of its own, which is full sooner or later and is then given room.
bool survives_full_disk(const Scenario& scenario, const std::filesystem::path& home,
                        std::size_t bytes) {
  if (!sessions::mount_small_file_system(home, bytes)) ::_exit(kNotAllowed);
  const Outcome outcome = run(scenario.command_of(0, home));
  EXPECT_THAT(outcome.status, testing::AnyOf(0, 1)) << outcome.output;
  EXPECT_LE(count(outcome.output, "prompt cache"), 1) << outcome.output;
  EXPECT_EQ(::mount("tmpfs", home.c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
  expect_saved(told_as_saved(scenario.stage(0), outcome, Persistence::from_then_on), home);
  Oracle(scenario).check(home, {});
  std::fflush(nullptr);  // the child's failures
  return !testing::Test::HasFailure();
}

TEST(FullDiskTest, LosesNothingAcknowledged) {
  const Scenario scenario;
  int n_disks = 0;
  for (std::size_t kib = 4; kib < 1024; kib += all_faults_wanted() ? 4 : kib / 4 + 12) {
    SCOPED_TRACE(std::to_string(kib) + " KiB");
    const TempDir home;
    const int status = sessions::wait_for(sessions::fork_child(
        [&] { return survives_full_disk(scenario, home.path(), kib * 1024); }));
    if (status == kNotAllowed) GTEST_SKIP() << "mounting a file system is not allowed here";
    ASSERT_EQ(status, 0);
    ++n_disks;
  }
  RecordProperty("disks", n_disks);
  std::cout << "disks: " << n_disks << '\n';
}

constexpr auto kFromThenOn = Persistence::from_then_on;
INSTANTIATE_TEST_SUITE_P(
    AtEveryCall, ErrorTest,
    testing::Values(Sweep{"ENOSPC", 0, 13}, Sweep{"ENOSPC", 1, 13}, Sweep{"ENOSPC", 2, 13},
                    Sweep{"EIO", 0, 13}, Sweep{"EIO", 1, 13}, Sweep{"EIO", 2, 13},
                    Sweep{"EMFILE", 0, 5}, Sweep{"EMFILE", 1, 5}, Sweep{"EMFILE", 2, 5},
                    Sweep{"ENOSPC", 3, 13}, Sweep{"EIO", 3, 13}, Sweep{"EMFILE", 3, 5},
                    Sweep{"ENOSPC", 4, 13}, Sweep{"EIO", 4, 13}, Sweep{"EMFILE", 4, 5},
                    Sweep{"ENOSPC", 0, 29, kFromThenOn}, Sweep{"ENOSPC", 2, 29, kFromThenOn},
                    Sweep{"EIO", 0, 29, kFromThenOn}, Sweep{"EIO", 2, 29, kFromThenOn},
                    Sweep{"EMFILE", 0, 11, kFromThenOn}, Sweep{"EMFILE", 2, 11, kFromThenOn},
                    Sweep{"EROFS", 2, 29, kFromThenOn}, Sweep{"ENFILE", 2, 23},
                    Sweep{"ENOMEM", 2, 1}, Sweep{"short", 2, 13}),
    name_of);

}  // namespace
}  // namespace confab::faults
