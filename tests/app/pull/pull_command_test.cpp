// SPDX-License-Identifier: MIT
#include "app/pull/pull_command.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <random>
#include <thread>

#include "tests/app/hub_home.h"
#include "tests/app/program.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

class PullCommandTest : public ::testing::Test {
 protected:
  PullCommandTest() { put("m-Q4_K_M.gguf", 3'000'000); }
  void put(const std::string& path, std::size_t size) {
    const std::string content = random_bytes(size, static_cast<unsigned>(size));
    hub_.files[path] = {content, sum_of(content)};
  }
  Environment environment() const { return {"HF_ENDPOINT=" + hub_.url()}; }
  RunResult pull(const std::string& model, Environment more = {}) {
    more.push_back(environment().front());
    return run_program(home_, {"pull", model}, "", more);
  }
  fs::path root() const { return home_ / ".cache/huggingface/hub/models--org--name"; }
  fs::path file(const std::string& path) const {
    return root() / "snapshots" / FakeHub::kCommit / path;
  }
  std::size_t n_blobs() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(root() / "blobs"), {}));
  }

  FakeHub hub_;
  TempDir home_;
};

TEST_F(PullCommandTest, PutsTheModelWhereOthersLookForIt) {
  const RunResult result = pull("org/name");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, file("m-Q4_K_M.gguf").string() + "\n");
  EXPECT_NE(result.err.find("Pulled m-Q4_K_M.gguf: 2.9 MiB, SHA-256 right"), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("confab -m m-Q4_K_M.gguf"), std::string::npos);
  EXPECT_EQ(read_file(file("m-Q4_K_M.gguf")), hub_.files["m-Q4_K_M.gguf"].content);
  EXPECT_EQ(read_file(root() / "refs/main"), FakeHub::kCommit);
  EXPECT_EQ(n_blobs(), 1U);
  EXPECT_NE(run_program(home_, {"models"}).out.find("org/name/m-Q4_K_M.gguf"), std::string::npos);
  EXPECT_NE(pull("org/name").err.find("was there already"), std::string::npos);
}

TEST_F(PullCommandTest, PullsAllShards) {
  hub_.files.clear();
  put("Q8_0/m-Q8_0-00001-of-00002.gguf", 1000);
  put("Q8_0/m-Q8_0-00002-of-00002.gguf", 2000);
  const RunResult result = pull("org/name:q8_0");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, file("Q8_0/m-Q8_0-00001-of-00002.gguf").string() + "\n");
  EXPECT_EQ(read_file(file("Q8_0/m-Q8_0-00002-of-00002.gguf")).size(), 2000U);
}

TEST_F(PullCommandTest, SaysWhatIsWrong) {
  EXPECT_EQ(pull("org/name:Q9").status, 5);
  EXPECT_EQ(pull("org/name:Q9").err, "confab: org/name has no Q9; it has Q4_K_M\n");
  EXPECT_EQ(pull("org/none").status, 5);
  EXPECT_EQ(pull("llama3").status, 2);
  EXPECT_EQ(pull("../..").status, 2);
  const RunResult nobody = pull("org/name", {"HF_ENDPOINT=http://127.0.0.1:1"});
  EXPECT_EQ(nobody.status, 1);
  EXPECT_EQ(nobody.err, "confab: nothing answers at 127.0.0.1:1\n");
}

TEST_F(PullCommandTest, AWrongSumIsNeverLeftInPlace) {
  hub_.files["m-Q4_K_M.gguf"].content[7] ^= 1;
  const RunResult result = pull("org/name");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("wrong SHA-256"), std::string::npos);
  EXPECT_EQ(n_blobs(), 0U);
  EXPECT_FALSE(fs::exists(root() / "snapshots"));
}

TEST_F(PullCommandTest, AGatedModelTakesAToken) {
  hub_.gate = "hf_secret";
  const RunResult refused = pull("org/name");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("accept its terms at " + hub_.url() + "/org/name"), std::string::npos);
  EXPECT_EQ(pull("org/name", {"HF_TOKEN=hf_secret"}).status, 0);
}

TEST_F(PullCommandTest, AFileWithoutRoomIsNotBegun) {
  hub_.listing =
      "[{\"type\":\"file\",\"path\":\"m.gguf\",\"size\":17000000000000,\"lfs\":{\"oid\":\"" +
      std::string(64, 'a') + "\"}}]";
  const RunResult result = pull("org/name");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("make room, or set HF_HOME"), std::string::npos) << result.err;
  EXPECT_EQ(n_blobs(), 0U);
}

TEST_F(PullCommandTest, CtrlCLeavesWhatCameForTheNextTime) {
  hub_.bytes_per_ms = 500;
  PipeProgram program(home_, {"pull", "org/name"}, environment());
  while (hub_.count("/cdn/") < 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait_for_exit(), 130);
  EXPECT_NE(program.output().find("the same command goes on"), std::string::npos);
  EXPECT_EQ(n_blobs(), 2U);
  hub_.bytes_per_ms = 0;
  EXPECT_EQ(pull("org/name").status, 0);
}

// CONFAB_KILLS says how many moments; the seed is fixed, the moments are the machine's.
TEST_F(PullCommandTest, KilledAtAnyMomentItGoesOnAndTheSumIsRight) {
  const char* wanted = std::getenv("CONFAB_KILLS");
  const int n_kills = wanted == nullptr ? 25 : std::atoi(wanted);
  hub_.bytes_per_ms = 1500;
  const std::string& content = hub_.files["m-Q4_K_M.gguf"].content;
  const fs::path blob = root() / "blobs" / sum_of(content);
  std::mt19937 rng(20260904);
  std::error_code error;
  int n_finished = 0;
  for (int i = 0; i < n_kills; ++i) {
    {
      PipeProgram program(home_, {"pull", "org/name"}, environment());
      std::this_thread::sleep_for(std::chrono::milliseconds(rng() % 900));
      program.signal(SIGKILL);
      program.wait_for_exit();
    }
    if (!fs::exists(blob, error)) continue;
    ++n_finished;
    ASSERT_EQ(read_file(blob), content) << "after kill " << i;
    ASSERT_EQ(pull("org/name").status, 0);
    ASSERT_EQ(read_file(file("m-Q4_K_M.gguf")), content);
    ASSERT_EQ(n_blobs(), 1U);
    fs::remove_all(root());
  }
  EXPECT_EQ(pull("org/name").status, 0);
  EXPECT_EQ(read_file(file("m-Q4_K_M.gguf")), content);
  EXPECT_EQ(n_blobs(), 1U);
  RecordProperty("finished", n_finished);
}

TEST_F(PullCommandTest, SuggestsFromAListOfOnesOwn) {
  home_.file(".config/confab/suggested.toml",
             "[\"Tiny\"]\npull = \"org/tiny\"\ngb = 0.001\nabout = \"for a test\"\n");
  const RunResult result = run_program(home_, {"pull", "--suggest"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "Tiny (976.6 KiB): for a test\n    confab pull org/tiny\n");
  home_.file(".config/confab/suggested.toml", "[\"Huge\"]\npull = \"org/huge\"\ngb = 9000\n");
  EXPECT_EQ(run_program(home_, {"pull", "--suggest"}).status, 4);
}

}  // namespace
}  // namespace confab::app
