// SPDX-License-Identifier: MIT
#include "engine/run/likely_prompt.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model/model.h"
#include "engine/prompt/prompt.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(LikelyPromptTest, IsWhatEveryQuestionWillBeginWith) {
  const TinyModelFile file;
  const auto model = Model::load(file.path());
  const PromptBuilder prompts(*model->tokenizer, kTinyTemplate);
  const std::vector<Turn> said{{{"user", "hello"}}, {{"assistant", "yes"}}};
  const std::vector<Token> likely = likely_prompt(prompts, {.turns = said}, {});
  EXPECT_FALSE(likely.empty());
  for (const std::string question : {"more", "What", "7", " "}) {
    std::vector<Turn> turns = said;
    turns.push_back({{"user", question}});
    const std::vector<Token> prompt = prompts.build(turns);
    ASSERT_GT(prompt.size(), likely.size());
    EXPECT_TRUE(std::equal(likely.begin(), likely.end(), prompt.begin())) << question;
  }
  const PrepareRequest draft{.turns = said, .draft = "tell me "};
  EXPECT_GT(likely_prompt(prompts, draft, {}).size(), likely.size());
}

}  // namespace
}  // namespace confab::engine
