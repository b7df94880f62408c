// SPDX-License-Identifier: MIT
#include "app/pull/pull_command.h"

#include <gtest/gtest.h>

#include <sstream>

#include "app/error.h"
#include "app/pull/pulled_record.h"
#include "engine/hub/hub_layout.h"
#include "tests/app/program.h"

namespace confab::app {
namespace {

const std::string kCommit(40, 'c');

namespace fs = std::filesystem;

class RmCommandTest : public ::testing::Test {
 protected:
  RmCommandTest() { paths_.database = home_ / ".local/share/confab/confab.db"; }
  // A file that is there; whether confab pulled it.
  void put(const std::string& path, char digit, bool is_ours) {
    const std::string sum(64, digit);
    layout_.create();
    write_file(layout_.blob(sum), "bytes");
    layout_.publish(kCommit, path, sum);
    if (is_ours)
      PulledRecord(PulledRecord::file_of(paths_))
          .add({(home_ / "hub").string(), "org/name", kCommit, path, sum, 5});
  }
  int rm(const std::string& model) {
    std::istringstream in;
    return run_rm({.model = model, .yes = true}, paths_, in, out_);
  }
  bool is_there(const std::string& path) const {
    return fs::exists(layout_.snapshot(kCommit, path));
  }

  TempDir home_;
  Paths paths_;
  engine::HubLayout layout_{home_ / "hub", "org/name"};
  std::ostringstream out_;
};

TEST_F(RmCommandTest, RemovesWhatIsNamedAndNothingElse) {
  put("m-Q4_K_M.gguf", 'a', true);
  put("m-Q8_0.gguf", 'b', true);
  put("m-F16.gguf", 'c', false);
  EXPECT_EQ(rm("Org/Name:q8_0"), 0);
  EXPECT_EQ(out_.str(), "Removed 1 file: 5 B freed.\n");
  EXPECT_FALSE(is_there("m-Q8_0.gguf"));
  EXPECT_FALSE(fs::exists(layout_.blob(std::string(64, 'b'))));
  EXPECT_TRUE(is_there("m-Q4_K_M.gguf"));
  EXPECT_EQ(rm("m-Q4_K_M.gguf"), 0);
  EXPECT_FALSE(is_there("m-Q4_K_M.gguf"));
  EXPECT_TRUE(is_there("m-F16.gguf"));
  EXPECT_THROW(rm("org/name"), NoModelError) << "nothing of it is left";
}

TEST_F(RmCommandTest, WithoutAQuantisationAllOfTheRepositoryGoes) {
  put("m-Q4_K_M.gguf", 'a', true);
  put("m-Q8_0.gguf", 'b', true);
  EXPECT_EQ(rm("org/name"), 0);
  EXPECT_FALSE(fs::exists(home_ / "hub/models--org--name"));
}

TEST_F(RmCommandTest, WhatOthersPulledIsLeftAlone) {
  put("m-Q4_K_M.gguf", 'a', false);
  home_.file("hub/models--org--name/refs/main", kCommit);
  const RunResult result = run_program(home_, {"rm", "org/name", "-y"}, "",
                                       {"HF_HUB_CACHE=" + (home_ / "hub").string()});
  EXPECT_EQ(result.status, 5);
  EXPECT_TRUE(result.err.starts_with("confab: confab did not pull 'org/name', so it leaves it"))
      << result.err;
  EXPECT_TRUE(is_there("m-Q4_K_M.gguf"));
}

TEST_F(RmCommandTest, AScriptHasToSayYes) {
  put("m-Q4_K_M.gguf", 'a', true);
  const RunResult result = run_program(home_, {"rm", "org/name"}, "y\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "confab: rm: not a terminal: use --yes to remove without asking\n");
  EXPECT_TRUE(is_there("m-Q4_K_M.gguf"));
  EXPECT_EQ(run_program(home_, {"rm", "org/name", "--yes"}).status, 0);
  EXPECT_FALSE(is_there("m-Q4_K_M.gguf"));
}

}  // namespace
}  // namespace confab::app
