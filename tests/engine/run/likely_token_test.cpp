// SPDX-License-Identifier: MIT
#include "engine/run/likely_token.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/model/model.h"
#include "kernels/isa.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

class LikelyTokenTest : public testing::Test {
 protected:
  std::optional<Token> next(const DraftRule& rule, Token best, float ahead, int n_drafted = 0) {
    LikelyToken likely(*model_->tokenizer, kernels::choose_kernel_table(""), rule);
    std::vector<float> logits(300, 0.0F);
    logits[static_cast<std::size_t>(best)] = ahead;
    return likely.next(logits, n_drafted);
  }

  const TinyModelFile file_;
  const std::unique_ptr<const Model> model_ = Model::load(file_.path());
};

TEST_F(LikelyTokenTest, IsTheMostLikelyOne) {
  EXPECT_EQ(next({.n_vocab = 300}, 17, 1), 17);
  EXPECT_EQ(next({.n_vocab = 17}, 17, 1), std::nullopt);
  EXPECT_EQ(next({.n_vocab = 18}, 17, 1), 17);
}

TEST_F(LikelyTokenTest, EndsWhereTheAnswerWould) {
  EXPECT_EQ(next({.n_vocab = 300}, static_cast<Token>(kTinyImEnd), 9), std::nullopt);
}

// e^5 against 299 others is 0.33.
TEST_F(LikelyTokenTest, EndsWhereItIsNotLikelyEnough) {
  EXPECT_EQ(next({.n_vocab = 300, .p_min = 0.3F}, 17, 5), 17);
  EXPECT_EQ(next({.n_vocab = 300, .p_min = 0.4F}, 17, 5), std::nullopt);
  EXPECT_EQ(next({.n_vocab = 300, .p_min = 0.4F, .least = 2}, 17, 5, 1), 17);
  EXPECT_EQ(next({.n_vocab = 300, .p_min = 0.4F, .least = 2}, 17, 5, 2), std::nullopt);
}

TEST_F(LikelyTokenTest, NothingFollowsNothing) {
  LikelyToken likely(*model_->tokenizer, kernels::choose_kernel_table(""), {.n_vocab = 300});
  EXPECT_EQ(likely.next({}, 0), std::nullopt);
}

}  // namespace
}  // namespace confab::engine
