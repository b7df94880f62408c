// SPDX-License-Identifier: MIT
#include "app/tools/debug.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/error.h"
#include "tests/app/program.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

class CacheStatTest : public testing::Test {
 protected:
  nlohmann::json run(const std::vector<std::string>& words, const std::string& input = {}) {
    std::vector<std::string> all{"debug", "cache-stat"};
    all.insert(all.end(), words.begin(), words.end());
    const RunResult result = run_program(home_, all, input);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
  const TempDir home_;
  const engine::TinyModelFile model_{{.n_ctx = 2048}};
};

TEST_F(CacheStatTest, AnEmptyCacheHasNothing) {
  const nlohmann::json stat = run({});
  EXPECT_EQ(stat["hits"], 0);
  EXPECT_EQ(stat["files"], 0);
  EXPECT_FALSE(stat.contains("prompt"));
}

TEST_F(CacheStatTest, CountsRunsAndLooksUpAPrompt) {
  std::string text;
  for (int i = 0; i < 120; ++i) text += "word " + std::to_string(i) + ", ";
  for (int i = 0; i < 2; ++i) {
    const RunResult answer = run_program(
        home_, {"-m", model_.path(), "-p", text, "-n", "4", "--temp", "0", "--stats", "-q"});
    ASSERT_EQ(answer.status, 6) << answer.err;
    const auto stats = nlohmann::json::parse(answer.err);
    EXPECT_EQ(stats["cached_tokens"] > 256, i == 1) << answer.err;
  }
  const nlohmann::json before = run({});
  EXPECT_EQ(before["hits"], 1);
  EXPECT_EQ(before["misses"], 1);
  EXPECT_GT(before["files"], 1);

  const RunResult ids =
      run_program(home_, {"debug", "tokenize", "-m", model_.path(), "--special"},
                  "<|im_start|>user\n" + text + "<|im_end|>\n<|im_start|>assistant\n");
  const nlohmann::json after = run({"-m", model_.path(), "--tokens", "-"}, ids.out);
  EXPECT_EQ(after["hits"], 1);  // looking is not using
  EXPECT_EQ(after["prompt"]["tokens_found"], after["prompt"]["tokens_wanted"]);
  EXPECT_GT(after["prompt"]["bytes_mapped"].get<int>() + after["prompt"]["bytes_copied"].get<int>(),
            0);
  const nlohmann::json other = run({"-m", model_.path(), "--tokens", "-"}, "[1, 2, 3]");
  EXPECT_EQ(other["prompt"]["tokens_found"], 0);
}

}  // namespace
}  // namespace confab::app
