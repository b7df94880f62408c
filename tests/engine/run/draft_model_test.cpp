// SPDX-License-Identifier: MIT
#include "engine/run/draft_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <numeric>
#include <vector>

#include "engine/model/model.h"
#include "kernels/isa.h"
#include "tests/engine/cache/memory_block_store.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using testing::IsEmpty;
using testing::SizeIs;

class DraftModelTest : public testing::TestWithParam<const char*> {
 protected:
  static constexpr int kVocab = 300;

  std::unique_ptr<DraftModel> draft_model(DraftModelOptions options) {
    if (options.n_ctx == 0) options.n_ctx = 256;
    if (options.n_batch == 0) options.n_batch = 32;
    if (options.rule.n_vocab == 0) options.rule.n_vocab = kVocab;
    return std::make_unique<DraftModel>(*model_, table_, pool_, options);
  }
  // What the model itself writes greedily after a text, until it ends its turn.
  std::vector<Token> greedy(std::vector<Token> text, int n) {
    KvCache cache(model_->hparams, 512, Dtype::Q8_0, Dtype::Q8_0);
    Forward forward(*model_, table_, pool_, 512, {.n_batch = 512});
    std::vector<Token> written;
    std::span<const Token> next = text;
    while (static_cast<int>(written.size()) < n) {
      const auto logits = forward.run(cache, next, LogitsOf::last_token);
      written.push_back(static_cast<Token>(std::ranges::max_element(logits) - logits.begin()));
      if (model_->tokenizer->is_eog(written.back())) {
        written.pop_back();
        break;
      }
      next = {&written.back(), 1};
    }
    return written;
  }
  static std::vector<Token> text(int n, int step = 11) {
    std::vector<Token> tokens(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) tokens[static_cast<std::size_t>(i)] = 1 + i * step % 290;
    return tokens;
  }
  static std::vector<Token> copied(std::span<const Token> tokens) {
    return {tokens.begin(), tokens.end()};
  }

  const TinyModelFile file_{{.architecture = GetParam()}};
  const std::unique_ptr<const Model> model_ = Model::load(file_.path());
  const kernels::KernelTable& table_ = kernels::choose_kernel_table("");
  kernels::ThreadPool pool_{1};
};

TEST_P(DraftModelTest, ProposesWhatItWouldWrite) {
  const auto draft = draft_model({});
  const std::vector<Token> expected = greedy(text(20), 8);
  ASSERT_THAT(expected, SizeIs(8));
  EXPECT_EQ(copied(draft->propose(text(20), 8, {})), expected);
  EXPECT_EQ(copied(draft->propose(text(20), 3, {})),
            std::vector<Token>(expected.begin(), expected.begin() + 3));
  EXPECT_THAT(draft->propose(text(20), 0, {}), IsEmpty());
  EXPECT_THAT(draft->propose({}, 4, {}), IsEmpty());
}

// Whatever was right of the last draft, and whatever text comes next.
TEST_P(DraftModelTest, FollowsATextThatIsCutBackAndGoesOn) {
  const auto draft = draft_model({});
  std::vector<Token> context = text(10);
  for (int turn = 0; turn < 12; ++turn) {
    const std::vector<Token> guess = copied(draft->propose(context, 5, {}));
    EXPECT_EQ(guess, greedy(context, 5)) << turn;
    const auto n_right = static_cast<std::ptrdiff_t>(
        std::min<std::size_t>(static_cast<std::size_t>(turn % 6), guess.size()));
    context.insert(context.end(), guess.begin(), guess.begin() + n_right);
    context.push_back(100 + turn);
    if (turn == 7) context.resize(6);
    if (turn == 9) context = text(70, 7);
  }
}

TEST_P(DraftModelTest, ReadsAsMuchAsItIsTold) {
  const auto draft = draft_model({});
  const std::vector<Token> context = text(50);
  EXPECT_EQ(draft->n_unread(context), 49);
  draft->read(context, 20, {});
  EXPECT_EQ(draft->n_unread(context), 29);
  draft->read(context, 29, {});
  draft->read(context, 0, {});
  EXPECT_EQ(draft->n_unread(context), 0);
  EXPECT_EQ(copied(draft->propose(context, 4, {})), greedy(context, 4));
}

// A layer that cannot forget a few tokens goes back to where a piece has ended.
TEST_P(DraftModelTest, SaysWhatIsLeftToReadOfATextThatBranchesOff) {
  const auto draft = draft_model({});
  std::vector<Token> context = text(50);
  for (const int n : {20, 20}) draft->read(context, n, {});
  EXPECT_EQ(draft->n_unread(context), 9);
  context[30] = 299;
  EXPECT_EQ(draft->n_unread(context), model_->hparams.has_recurrent_layers() ? 29 : 19);
  context[0] = 299;
  EXPECT_EQ(draft->n_unread(context), 49);
  EXPECT_EQ(copied(draft->propose(context, 4, {})), greedy(context, 4));
}

TEST_P(DraftModelTest, StoppedItReadsNothing) {
  const auto draft = draft_model({});
  std::stop_source stop;
  stop.request_stop();
  draft->read(text(50), 20, stop.get_token());
  EXPECT_EQ(draft->n_unread(text(50)), 49);
  EXPECT_THAT(draft->propose(text(50), 4, stop.get_token()), IsEmpty());
  EXPECT_EQ(copied(draft->propose(text(50), 4, {})), greedy(text(50), 4));
}

// Its own context may be shorter than that of the model it guesses for.
TEST_P(DraftModelTest, ProposesNothingBeyondItsContext) {
  const auto draft = draft_model({.n_ctx = 40});
  EXPECT_THAT(draft->propose(text(36), 8, {}), SizeIs(5));  // the last one need not be read
  EXPECT_THAT(draft->propose(text(40), 8, {}), SizeIs(1));
  EXPECT_THAT(draft->propose(text(41), 8, {}), IsEmpty());
  EXPECT_THAT(draft->propose(text(200), 8, {}), IsEmpty());
  EXPECT_EQ(copied(draft->propose(text(20), 4, {})), greedy(text(20), 4));
}

TEST_P(DraftModelTest, EndsWhereItIsNotSure) {
  const auto sure = draft_model({.rule = {.p_min = 1.1F}});
  EXPECT_THAT(sure->propose(text(20), 8, {}), IsEmpty());
  const auto at_least = draft_model({.rule = {.p_min = 1.1F, .least = 2}});
  EXPECT_THAT(at_least->propose(text(20), 8, {}), SizeIs(2));
  EXPECT_THAT(draft_model({.rule = {.p_min = 1e-6F}})->propose(text(20), 8, {}), SizeIs(8));
}

class DraftModelStoreTest : public DraftModelTest {
 protected:
  std::unique_ptr<DraftModel> stored(const std::string& fingerprint) {
    auto draft = draft_model({.n_ctx = 1024, .store = &store_});
    draft->set_fingerprint(fingerprint);
    return draft;
  }
  static void read(DraftModel& draft, const std::vector<Token>& text) {
    for (int n = draft.n_unread(text); n > 0; n = draft.n_unread(text))
      draft.read(text, std::min(n, draft.n_batch()), {});
  }

  MemoryBlockStore store_;
};

// By another program, later: it reads only what is new.
TEST_P(DraftModelStoreTest, FindsWhatItHasRead) {
  std::vector<Token> context = text(400);
  const std::vector<Token> expected = greedy(context, 4);
  {
    const auto draft = stored("draft A");
    draft->begin(context, {.origin = 7});
    EXPECT_EQ(draft->n_unread(context), 399);
    read(*draft, context);
    draft->end();
  }
  EXPECT_EQ(store_.origin, 7);
  const auto again = stored("draft A"), other = stored("draft B");
  again->begin(context, {.origin = 8});
  EXPECT_EQ(again->n_unread(context), 0);
  EXPECT_EQ(store_.origin, 8);
  EXPECT_EQ(copied(again->propose(context, 4, {})), expected);
  context.resize(450, 5);
  EXPECT_EQ(again->n_unread(context), 49);
  other->begin(context, {});
  EXPECT_EQ(other->n_unread(context), 449) << "another model's blocks are none of its own";
}

TEST_P(DraftModelStoreTest, GuessesAreNotKept) {
  const auto draft = stored("draft A");
  const std::vector<Token> context = text(kBlockTokens - 2);
  draft->begin(context, {});
  EXPECT_THAT(draft->propose(context, 8, {}), SizeIs(8));
  EXPECT_THAT(store_.blocks, IsEmpty());
  draft->end();
  ASSERT_THAT(store_.blocks, SizeIs(1));
  EXPECT_EQ(store_.blocks[0].tokens, context);
  EXPECT_EQ(draft->n_unread(context), static_cast<int>(context.size()) - 1) << "nothing has begun";
  draft->begin(context, {});
  EXPECT_EQ(draft->n_unread(context), 0);
}

// Without a store as well: of several conversations in turns, each goes on where it was.
TEST_P(DraftModelStoreTest, RemembersTheLastTexts) {
  const auto draft = draft_model({.n_ctx = 512});
  for (int round = 0; round < 2; ++round) {
    for (const int step : {7, 11}) {
      const std::vector<Token> context = text(120, step);
      draft->begin(context, {});
      EXPECT_EQ(draft->n_unread(context) == 0, round == 1) << step;
      EXPECT_EQ(copied(draft->propose(context, 4, {})), greedy(context, 4));
      draft->end();
    }
  }
  draft->clear();
  draft->begin(text(120), {});
  EXPECT_EQ(draft->n_unread(text(120)), 119);
}

// What was computed while the file changed may be wrong, and is not to be found by anybody.
TEST_P(DraftModelStoreTest, OfAFileThatWasTouchedNothingIsKept) {
  const auto draft = stored("draft A");
  const std::vector<Token> context = text(400);
  draft->begin(context, {});
  namespace fs = std::filesystem;
  fs::last_write_time(file_.path(), fs::last_write_time(file_.path()) - std::chrono::hours(1));
  read(*draft, context);
  draft->end();
  EXPECT_THAT(store_.blocks, IsEmpty());
}

// Recurrent layers remember more than blocks.
INSTANTIATE_TEST_SUITE_P(Attention, DraftModelStoreTest, testing::Values("llama"));

// What fills the vocabulary of one model up is no token of the other.
TEST_P(DraftModelTest, KnowsTheTokensOfBoth) {
  const Token first = greedy(text(20), 1).front();
  EXPECT_THAT(draft_model({.rule = {.n_vocab = first}})->propose(text(20), 8, {}), IsEmpty());
  EXPECT_THAT(draft_model({})->propose(std::vector<Token>{1, 2, kVocab}, 8, {}), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(, DraftModelTest, testing::ValuesIn(kDraftedArchitectures),
                         architecture_name);

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
