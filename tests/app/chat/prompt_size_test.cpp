// SPDX-License-Identifier: MIT
#include "app/chat/prompt_size.h"

#include <gtest/gtest.h>

#include "tests/app/fake_model.h"

namespace confab::app {
namespace {

using namespace std::chrono_literals;

sessions::MessageStats stats(int n_prompt, int n_cached, std::chrono::duration<double> prefill) {
  return {.n_prompt = n_prompt, .n_cached = n_cached, .prefill = prefill};
}

// A token a byte.
engine::Counted counted(const engine::CountRequest& request) {
  int n = 0;
  for (const engine::Turn& turn : request.turns) n += static_cast<int>(turn.message.content.size());
  return {request.number, n};
}

class PromptSizeTest : public testing::Test {
 protected:
  PromptSizeTest() { model_.change_info().n_ctx = 5000; }
  std::string describe(std::size_t n) { return size_.describe(chat_, std::string(n, 'x'), {}); }
  // What is said once the model has counted.
  std::string describe_counted(std::size_t n) {
    describe(n);
    if (!model_.counts.empty()) size_.take(counted(model_.counts.back()));
    return describe(n);
  }
  FakeModel model_;
  Chat chat_{model_, nullptr, {}};
  PromptSize size_;
};

TEST_F(PromptSizeTest, TheRateIsTheMedianOfWhatReadEnough) {
  EXPECT_FALSE(prefill_rate({}));
  const std::vector<sessions::MessageStats> few{stats(70, 60, 1s), stats(100, 0, 0s)};
  EXPECT_FALSE(prefill_rate(few));
  const std::vector<sessions::MessageStats> some{stats(1000, 0, 1s), stats(600, 500, 1s),
                                                 stats(1000, 500, 1s), stats(5, 0, 1s)};
  EXPECT_DOUBLE_EQ(*prefill_rate(some), 500);
}

TEST_F(PromptSizeTest, LongQuestionsAreCountedAndTimed) {
  EXPECT_EQ(describe_counted(100), "");
  EXPECT_EQ(describe_counted(2000), "2,000 tokens");
  size_.set_rate(200);
  EXPECT_EQ(describe_counted(2000), "2,000 tokens, about 10 s to the first word");
  EXPECT_EQ(describe_counted(6000), "6,000 tokens: the context holds 5,000");
  EXPECT_EQ(describe_counted(400000), "about 100,000 tokens");
}

// A model that would count at once would have the person who types wait for it.
class WaitingModel : public FakeModel {
 public:
  int count_tokens(const std::vector<engine::Turn>&,
                   const engine::TemplateSettings&) const override {
    ADD_FAILURE() << "a draft was counted while somebody waited";
    return 0;
  }
};

TEST_F(PromptSizeTest, NobodyWaitsForTheCountOfADraft) {
  WaitingModel model;
  Chat chat{model, nullptr, {}};
  EXPECT_EQ(size_.describe(chat, std::string(2000, 'x'), {}), "");
  ASSERT_EQ(model.counts.size(), 1U);
  EXPECT_EQ(model.counts[0].turns.back().message.content.size(), 2000U);
}

TEST_F(PromptSizeTest, WhileItIsCountedTheLastCountStands) {
  describe_counted(2000);
  EXPECT_EQ(describe(2001), "2,000 tokens");
  EXPECT_EQ(describe(2002), "2,000 tokens");
  size_.take(counted(model_.counts[1]));  // the newest one is still being counted
  EXPECT_EQ(describe(2002), "2,001 tokens");
  size_.take({model_.counts[2].number, std::nullopt});  // the template refuses it
  EXPECT_EQ(describe(2002), "");
}

TEST_F(PromptSizeTest, TheCountOfAQuestionThatHasBeenSentIsForgotten) {
  describe(2000);
  describe(0);
  size_.take(counted(model_.counts[0]));
  EXPECT_EQ(describe(3000), "");
}

TEST_F(PromptSizeTest, TheSameTextIsCountedOnce) {
  describe(2000);
  describe(2000);
  EXPECT_EQ(model_.counts.size(), 1U);
  describe(2001);
  EXPECT_EQ(model_.counts.size(), 2U);
  model_.set_tokenizer_hash("of another model");
  describe(2001);
  EXPECT_EQ(model_.counts.size(), 3U);
}

TEST_F(PromptSizeTest, AttachedFilesCount) {
  const auto file = sessions::make_attachment("a.txt", std::string(2000, 'y'));
  size_.describe(chat_, "", std::array{file});
  EXPECT_EQ(model_.counts.size(), 1U);
}

}  // namespace
}  // namespace confab::app
