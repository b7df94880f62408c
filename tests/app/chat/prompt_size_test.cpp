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
class ByteModel : public FakeModel {
 public:
  int count_tokens(const std::vector<engine::Turn>& turns,
                   const engine::TemplateSettings&) const override {
    ++n_counted;
    int n = 0;
    for (const engine::Turn& turn : turns) n += static_cast<int>(turn.message.content.size());
    return n;
  }
  mutable int n_counted = 0;
};

class PromptSizeTest : public testing::Test {
 protected:
  PromptSizeTest() { model_.change_info().n_ctx = 5000; }
  std::string describe(std::size_t n) { return size_.describe(chat_, std::string(n, 'x'), {}); }
  ByteModel model_;
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
  EXPECT_EQ(describe(100), "");
  EXPECT_EQ(describe(2000), "2,000 tokens");
  size_.set_rate(200);
  EXPECT_EQ(describe(2000), "2,000 tokens, about 10 s to the first word");
  EXPECT_EQ(describe(6000), "6,000 tokens: the context holds 5,000");
  EXPECT_EQ(describe(400000), "about 100,000 tokens");
}

TEST_F(PromptSizeTest, TheSameTextIsCountedOnce) {
  describe(2000);
  describe(2000);
  EXPECT_EQ(model_.n_counted, 1);
  describe(2001);
  EXPECT_EQ(model_.n_counted, 2);
}

TEST_F(PromptSizeTest, AttachedFilesCount) {
  const auto file = sessions::make_attachment("a.txt", std::string(2000, 'y'));
  EXPECT_NE(size_.describe(chat_, "", std::array{file}), "");
}

}  // namespace
}  // namespace confab::app
