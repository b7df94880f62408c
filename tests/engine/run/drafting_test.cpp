// SPDX-License-Identifier: MIT
#include "engine/run/drafting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/model/model.h"
#include "engine/run/draft_model.h"
#include "kernels/isa.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kMany = 100;

// Passes of any length are known to take the same time, so that the longest drafts are made.
DraftSources cheap(DraftSources sources = {}) {
  for (const int n_rows : {1, DraftLength::kMost + 1}) {
    sources.lookup_length.record(n_rows, 10ms);
    sources.model_length.record(n_rows, 10ms);
  }
  return sources;
}

TEST(DraftingTest, ProposesWhatFollowedBefore) {
  DraftSources sources = cheap();
  Drafting drafting(100, sources);
  drafting.begin(std::vector<Token>{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3});
  EXPECT_THAT(drafting.propose(2), ElementsAre(4, 5));
  drafting.add(4);
  EXPECT_THAT(drafting.propose(4), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(drafting.propose(0), IsEmpty());
}

TEST(DraftingTest, OneTokenThatWasThereBeforeSaysNothing) {
  DraftSources sources = cheap();
  Drafting drafting(100, sources);
  drafting.begin(std::vector<Token>{1, 2, 3, 4, 2});
  EXPECT_THAT(drafting.propose(kMany), IsEmpty());
  drafting.add(3);
  EXPECT_THAT(drafting.propose(2), ElementsAre(4, 2));
}

TEST(DraftingTest, OffItProposesNothing) {
  Drafting drafting(100, false);
  drafting.begin(std::vector<Token>{1, 2, 3, 1, 2});
  drafting.add(3);
  EXPECT_THAT(drafting.propose(kMany), IsEmpty());
  drafting.record(0, 0, 10ms);
}

// Another answer begins after another text.
TEST(DraftingTest, KnowsTheTextItWasToldLast) {
  DraftSources sources = cheap();
  Drafting drafting(100, sources);
  drafting.begin(std::vector<Token>{1, 2, 3, 1, 2});
  drafting.begin(std::vector<Token>{1, 2, 9, 1, 2});
  EXPECT_THAT(drafting.propose(1), ElementsAre(9));
}

// The first drafts of an answer are short, and what a pass without one takes is measured before.
TEST(DraftingTest, BeginsWithoutADraftThenWithAShortOne) {
  Drafting drafting(100, true);
  drafting.begin(std::vector<Token>{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3});
  EXPECT_THAT(drafting.propose(kMany), IsEmpty());
  drafting.record(0, 0, 10ms);
  drafting.add(4);
  EXPECT_THAT(drafting.propose(kMany), ElementsAre(5));
}

TEST(DraftingTest, DraftsThatAreNeverRightAreLeftAlone) {
  Drafting drafting(1000, true);
  std::vector<Token> text;
  for (int i = 0; i < 900; ++i) text.push_back(i % 7);
  drafting.begin(text);
  int n_drafted = 0;
  for (int pass = 0; pass < 90; ++pass) {
    const int n = static_cast<int>(drafting.propose(8).size());
    n_drafted += n;
    drafting.record(n, 0, 10ms + n * 5ms);
    drafting.add(static_cast<Token>(900 % 7 + pass) % 7);
  }
  EXPECT_GT(n_drafted, 0);
  EXPECT_LT(n_drafted, 30);
}

// A context may be one token longer than the cache: the last one has not been run.
TEST(DraftingTest, HoldsTheTokenAfterAFullContext) {
  DraftSources sources = cheap();
  Drafting drafting(4, sources);
  drafting.begin(std::vector<Token>{1, 2, 1, 2});
  drafting.add(1);
  EXPECT_THAT(drafting.propose(2), ElementsAre(2, 1));
}

class DraftingModelTest : public testing::Test {
 protected:
  static constexpr int kContext = 200;

  DraftSources sources(bool lookup, double share = ReadingShare::kUnlimited) {
    return cheap({.lookup = lookup, .model = draft_.get(), .reading = ReadingShare(share)});
  }
  // What the model itself writes after a text.
  std::vector<Token> guess(const std::vector<Token>& text, int n) {
    const auto draft = draft_->propose(text, n, {});
    return {draft.begin(), draft.end()};
  }
  static std::vector<Token> text(int n) {
    std::vector<Token> tokens(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) tokens[static_cast<std::size_t>(i)] = 1 + i * 11 % 290;
    return tokens;
  }

  const TinyModelFile file_;
  const std::unique_ptr<const Model> model_ = Model::load(file_.path());
  kernels::ThreadPool pool_{1};
  const std::unique_ptr<DraftModel> draft_ = std::make_unique<DraftModel>(
      *model_, kernels::choose_kernel_table(""), pool_,
      DraftModelOptions{.n_ctx = kContext, .n_batch = 32, .rule = {.n_vocab = 300}});
};

TEST_F(DraftingModelTest, TheModelGuessesWhatIsNew) {
  DraftSources shared = sources(/*lookup=*/true);
  Drafting drafting(kContext, shared);
  drafting.begin(text(20));
  const std::vector<Token> expected = guess(text(20), 3);
  ASSERT_THAT(expected, testing::SizeIs(3));
  const auto draft = drafting.propose(3);
  EXPECT_THAT(draft, testing::ElementsAreArray(expected));
  EXPECT_EQ(drafting.source(), DraftSource::model);
  drafting.record(3, 3, 10ms);
}

TEST_F(DraftingModelTest, TheLongerMatchWins) {
  DraftSources shared = sources(/*lookup=*/true);
  Drafting drafting(kContext, shared);
  std::vector<Token> twice = text(20);
  const std::vector<Token> once = text(16);
  twice.insert(twice.end(), once.begin(), once.end());
  drafting.begin(twice);
  EXPECT_THAT(drafting.propose(3), ElementsAre(text(20)[16], text(20)[17], text(20)[18]));
  EXPECT_EQ(drafting.source(), DraftSource::lookup);
  twice.resize(23);  // three tokens match
  drafting.begin(twice);
  EXPECT_FALSE(drafting.propose(3).empty());
  EXPECT_EQ(drafting.source(), DraftSource::model);
}

// A short match too, where the model is mostly wrong.
TEST_F(DraftingModelTest, TheSourceThatPromisesMoreIsAsked) {
  DraftSources shared = sources(/*lookup=*/true);
  for (int i = 0; i < 40; ++i) shared.model_length.accepted(1, 0);
  Drafting drafting(kContext, shared);
  std::vector<Token> twice = text(20);
  const std::vector<Token> once = text(4);
  twice.insert(twice.end(), once.begin(), once.end());
  drafting.begin(twice);
  EXPECT_THAT(drafting.propose(2), ElementsAre(text(20)[4], text(20)[5]));
  EXPECT_EQ(drafting.source(), DraftSource::lookup);
}

// A source that does not pay is left alone, and the other goes on.
TEST_F(DraftingModelTest, SourcesAreLearntOfApart) {
  DraftSources shared{.model = draft_.get(), .reading = ReadingShare(ReadingShare::kUnlimited)};
  Drafting drafting(kContext, shared);
  drafting.begin(text(20));
  drafting.record(0, 0, 10ms);
  int n_asked = 0;
  for (int i = 0; i < 60; ++i) {
    const int n = static_cast<int>(drafting.propose(8).size());
    n_asked += n > 0 ? 1 : 0;
    drafting.record(n, 0, 10ms + n * 20ms);
    drafting.add(1 + (20 + i) * 11 % 290);
  }
  EXPECT_GT(n_asked, 0);
  EXPECT_LT(n_asked, 10);
  std::vector<Token> repeated = text(20);
  const std::vector<Token> again = text(4);
  repeated.insert(repeated.end(), again.begin(), again.end());
  shared.lookup_length.share(1);    // the credit that the model has spent is earned again
  Drafting next(kContext, shared);  // what was learnt of the model holds for the next answer too
  next.begin(repeated);
  EXPECT_THAT(next.propose(2), ElementsAre(text(20)[4]));
  EXPECT_EQ(next.source(), DraftSource::lookup);
}

// A long prompt is read in parts, as far as there is time, and nothing is guessed meanwhile.
TEST_F(DraftingModelTest, TheModelReadsInParts) {
  DraftSources shared = sources(/*lookup=*/false, /*share=*/0);
  Drafting drafting(kContext, shared);
  drafting.begin(text(100));
  EXPECT_THAT(drafting.propose(3), IsEmpty());
  EXPECT_EQ(draft_->n_unread(text(100)), 99 - ReadingShare::kFirst);
  EXPECT_THAT(drafting.propose(3), IsEmpty());
  EXPECT_EQ(draft_->n_unread(text(100)), 99 - ReadingShare::kFirst) << "there was no time";
  shared.reading = ReadingShare(ReadingShare::kUnlimited);
  for (int i = 0; i < 2; ++i) EXPECT_THAT(drafting.propose(3), IsEmpty());  // a batch each
  EXPECT_FALSE(drafting.propose(3).empty());
}

TEST_F(DraftingModelTest, StoppedItGuessesNothing) {
  DraftSources shared = sources(/*lookup=*/false);
  Drafting drafting(kContext, shared);
  std::stop_source stop;
  stop.request_stop();
  drafting.begin(text(20));
  EXPECT_THAT(drafting.propose(3, stop.get_token()), IsEmpty());
  EXPECT_EQ(drafting.source(), DraftSource::none);
}

TEST(ReadingShareTest, BeginsWithAPartThatTellsItsSpeed) {
  const ReadingShare share;
  EXPECT_EQ(share.allowed(1000), ReadingShare::kFirst);
  EXPECT_EQ(share.allowed(3), 3);
  EXPECT_EQ(share.allowed(0), 0);
}

TEST(ReadingShareTest, ReadingIsAShareOfTheTime) {
  ReadingShare share(1.0 / 4);
  share.record(16, 16ms);
  EXPECT_EQ(share.allowed(1000), 0);
  share.passed(64ms);
  EXPECT_EQ(share.allowed(1000), 0);  // just paid for
  share.passed(200ms);
  EXPECT_EQ(share.allowed(1000), 50);
  EXPECT_EQ(share.allowed(20), 20);
}

TEST(ReadingShareTest, WaitsUntilItIsWorthIt) {
  ReadingShare share(1.0 / 4);
  share.record(16, 16ms);
  share.passed(64ms + 4ms * (ReadingShare::kFirst - 1));
  EXPECT_EQ(share.allowed(1000), 0);
  EXPECT_EQ(share.allowed(2), 2);  // all there is
  share.passed(4ms);
  EXPECT_EQ(share.allowed(1000), ReadingShare::kFirst);
}

TEST(ReadingShareTest, NeverMoreThanTheShare) {
  ReadingShare share;
  std::chrono::duration<double> spent = 0s, passed = 0s;
  for (int i = 0; i < 5000; ++i) {
    const int n = share.allowed(100000);
    const auto time = n * 2ms;
    share.record(n, time);
    share.passed(10ms + time);
    spent += time;
    passed += 10ms + time;
  }
  EXPECT_GT(spent / passed, 0.9 * ReadingShare::kShare);
  EXPECT_LT(spent / passed, 1.1 * ReadingShare::kShare);
}

TEST(ReadingShareTest, UnlimitedItAllowsEverything) {
  ReadingShare share(ReadingShare::kUnlimited);
  EXPECT_EQ(share.allowed(100000), 100000);
  share.record(100000, 10s);
  EXPECT_EQ(share.allowed(100000), 100000);
}

}  // namespace
}  // namespace confab::engine
