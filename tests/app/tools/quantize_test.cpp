// SPDX-License-Identifier: MIT
#include "app/tools/quantize.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>

#include "app/cli/cli.h"
#include "app/error.h"
#include "engine/gguf/gguf.h"
#include "tests/app/program.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

class QuantizeCommandTest : public ::testing::Test {
 protected:
  std::string out() const { return (dir_ / "out.gguf").string(); }
  RunResult run(std::vector<std::string> words) {
    words.insert(words.begin(), "quantize");
    return run_program(dir_, words);
  }
  engine::TinyModelFile model_;
  TempDir dir_;
};

TEST_F(QuantizeCommandTest, TellsWhatItWrote) {
  const RunResult result = run({model_.path(), out(), "q8_0", "-t", "2"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out.starts_with(out() + ": Q8_0, ")) << result.out;
  EXPECT_NE(result.out.find(" bits per weight, "), std::string::npos);
  EXPECT_EQ(engine::Gguf(out()).find_int("general.file_type"), 7);
}

TEST_F(QuantizeCommandTest, TheResultCanBeTalkedTo) {
  std::filesystem::copy_file(model_.path(), dir_ / "in.gguf");
  ASSERT_EQ(run({"~/in.gguf", "~/out.gguf", "Q4_K_M"}).status, 0);
  const RunResult answer =
      run_program(dir_, {"-m", out(), "-p", "Hi", "-n", "3", "--ignore-eos", "--incognito"});
  EXPECT_EQ(answer.status, 6) << answer.err;
}

TEST_F(QuantizeCommandTest, AnUnknownTypeListsTheKnownOnes) {
  const RunResult result = run({model_.path(), out(), "Q9_9"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err,
            "confab: TYPE must be one of F16, BF16, Q8_0, Q6_K, Q5_K_M, Q5_K_S, Q4_K_M, Q4_K_S, "
            "Q4_0, not Q9_9\n");
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(QuantizeCommandTest, TheInputMayNotBeTheOutput) {
  const RunResult result = run({model_.path(), model_.path(), "Q8_0"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "confab: " + model_.path() + ": is the input file; choose another name\n");
}

TEST_F(QuantizeCommandTest, AFileIsReplacedOnlyByForce) {
  dir_.file("out.gguf", "precious");
  const RunResult refused = run({model_.path(), out(), "Q8_0"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("already exists"), std::string::npos) << refused.err;
  EXPECT_EQ(read_file(out()), "precious");
  EXPECT_EQ(run({model_.path(), out(), "Q8_0", "--force"}).status, 0);
  EXPECT_EQ(engine::Gguf(out()).find_int("general.file_type"), 7);
}

TEST_F(QuantizeCommandTest, APipeStaysAPipe) {
  ASSERT_EQ(mkfifo(out().c_str(), 0600), 0);
  EXPECT_EQ(run({model_.path(), out(), "Q8_0", "--force"}).status, 1);
  EXPECT_TRUE(std::filesystem::is_fifo(out()));
}

TEST_F(QuantizeCommandTest, WhatIsNoModelIsNamed) {
  const std::string text = dir_.file("a.gguf", "hello");
  const RunResult result = run({text, out(), "Q8_0"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find(text + ": "), std::string::npos) << result.err;
  EXPECT_EQ(run({model_.path(), out()}).status, 2) << "a type is needed";
}

}  // namespace
}  // namespace confab::app
