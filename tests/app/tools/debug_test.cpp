// SPDX-License-Identifier: MIT
#include "app/tools/debug.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "app/error.h"
#include "tests/app/home_dir.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

class DebugTest : public ::testing::Test {
 protected:
  DebugTest() {
    options_.model.path = model_.path();
    options_.model.n_threads = 1;
    options_.tokens_file = "-";
  }
  std::string run(DebugCommand command, const std::string& input) {
    options_.command = command;
    std::istringstream in(input);
    std::ostringstream out, err;
    EXPECT_EQ(run_debug(options_, paths_, in, out, err), 0);
    EXPECT_EQ(err.str(), "");
    return out.str();
  }
  std::vector<float> logits(const std::string& tokens) {
    options_.out_file = "~/out.npy";
    run(DebugCommand::logits, tokens);
    const std::string file = read_file(dir_ / "out.npy");
    const std::size_t start = file.find('\n') + 1;
    std::vector<float> values((file.size() - start) / sizeof(float));
    std::memcpy(values.data(), file.data() + start, values.size() * sizeof(float));
    return values;
  }
  engine::TinyModelFile model_;
  DebugOptions options_;
  HomeDir dir_;
  Paths paths_;
};

TEST_F(DebugTest, LogitsOfAllPositionsWhateverTheBatch) {
  const std::vector<float> whole = logits("[1, 2, 3, 4, 5]");
  EXPECT_EQ(whole.size(), 5U * 300U);
  options_.model.n_batch = 1;
  EXPECT_EQ(logits("[1, 2, 3, 4, 5]"), whole);
  options_.model.n_batch = 2;
  EXPECT_EQ(logits("[1, 2, 3, 4, 5]"), whole);
}

TEST_F(DebugTest, GreedyFollowsTheLogits) {
  const std::vector<float> rows = logits("[1, 2, 3]");
  const auto last = rows.end() - 300;
  const auto best = std::max_element(last, rows.end()) - last;
  options_.n_predict = 2;
  const std::string ids = run(DebugCommand::greedy, "[1, 2, 3]");
  EXPECT_EQ(ids.substr(0, ids.find(',')), "[" + std::to_string(best));
  EXPECT_EQ(std::count(ids.begin(), ids.end(), ','), 1);
}

TEST_F(DebugTest, TokensMustBeAnArrayOfIds) {
  for (const char* input : {"", "[]", "{}", "[1.5]", "[\"a\"]", "[1, -1]", "[1,"})
    EXPECT_THROW(run(DebugCommand::greedy, input), UserError) << input;
  options_.tokens_file = "/no/such/file.json";
  EXPECT_THROW(run(DebugCommand::greedy, ""), UserError);
}

TEST_F(DebugTest, TokensComeFromAFileToo) {
  const std::string ids = run(DebugCommand::greedy, "[1, 2]");
  dir_.file("ids.json", "[1, 2]");
  options_.tokens_file = "~/ids.json";
  EXPECT_EQ(run(DebugCommand::greedy, ""), ids);
}

TEST_F(DebugTest, DispatchesTheTextCommands) {
  EXPECT_EQ(run(DebugCommand::tokenize, "the").front(), '[');
  EXPECT_NE(run(DebugCommand::info, "").find("general.architecture"), std::string::npos);
}

}  // namespace
}  // namespace confab::app
