// SPDX-License-Identifier: MIT
#include "app/chat/answer_loop.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/app/chat/chat_fixture.h"

namespace confab::app {
namespace {

using engine::FinishReason;
using testing::ElementsAre;

class AnswerLoopTest : public ChatTest, public AnswerSink {
 protected:
  void progress(std::size_t, const AnswerWait& wait) override {
    got_.push_back(std::holds_alternative<engine::LoadProgress>(wait) ? "load" : "prefill");
  }
  void reasoning(std::size_t, const engine::ReasoningDelta& delta) override {
    got_.push_back("(" + delta.text);
  }
  bool text(std::size_t, const engine::TextDelta& delta) override {
    got_.push_back(delta.text);
    kept_ = chat_.messages().empty() ? "" : chat_.messages().back().content;
    return wanted_;
  }
  void ended(std::size_t answer, const AnswerOutcome& outcome) override {
    if (chat_.n_answers() > 1 || answer > 0)
      got_.push_back(std::to_string(answer) + (outcome.end == AnswerEnd::failed ? "!" : "."));
  }
  void counted(const engine::Counted& counted) override {
    got_.push_back("#" + std::to_string(counted.number));
  }
  void noted() override { got_.push_back("noted"); }
  void other(const engine::AnswerEvent& told) override {
    got_.push_back("other " + std::to_string(static_cast<std::uint64_t>(told.answer)));
  }
  void tell(std::vector<engine::Event> events) {
    for (engine::Event& event : events) model_.events.push_back(std::move(event));
  }

  std::vector<std::string> got_;
  std::string kept_;
  bool wanted_ = true;
  Chat chat_{model_, &store_, {}};
  AnswerLoop loop_{&chat_, *this};
};

TEST_F(AnswerLoopTest, PassesOnWhatIsOfNoAnswer) {
  model_.tell(6, engine::Scored{});
  EXPECT_EQ(loop_.take(model_), std::nullopt);
  EXPECT_THAT(got_, ElementsAre("other 7"));
}

TEST_F(AnswerLoopTest, PassesOnAnAnswerAsItComes) {
  chat_.send("Hi.");
  tell({engine::LoadProgress{1, 2}, engine::PrefillProgress{1, 2, 0},
        engine::ReasoningDelta{"hm", 1}, engine::TextDelta{"Hel", 2}});
  EXPECT_FALSE(loop_.take(model_));
  tell({engine::TextDelta{"lo", 3}, finished({1, 2, 3})});
  const auto outcome = loop_.take(model_);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, AnswerEnd::finished);
  EXPECT_EQ(outcome->stats.n_generated, 3);
  EXPECT_THAT(got_, ElementsAre("load", "prefill", "(hm", "Hel", "lo"));
  EXPECT_EQ(chat_.messages().back().content, "Hello");
  EXPECT_FALSE(chat_.generating());
}

TEST_F(AnswerLoopTest, AShapeThatCannotBeSoShortIsToldWithWhatToDo) {
  chat_.send("A list?");
  tell({engine::Failed{.message = "the shortest has 9 tokens", .shape_too_long = true}});
  const auto outcome = loop_.take(model_);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, AnswerEnd::failed);
  EXPECT_FALSE(outcome->is_in_shape);
  EXPECT_EQ(outcome->fault,
            "the shortest has 9 tokens; allow more tokens with -n, in a chat with /set n");
}

TEST_F(AnswerLoopTest, AQuestionThatIsRefusedComesBack) {
  chat_.send("Long?");
  tell({engine::Failed{"too long", true}});
  const auto outcome = loop_.take(model_);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, AnswerEnd::failed);
  EXPECT_TRUE(outcome->too_long);
  EXPECT_EQ(outcome->refused, Question("Long?"));
}

// It is told whole at its end; where less has to be asked for, that is not an end.
TEST_F(AnswerLoopTest, ASummaryIsNotPartOfTheConversation) {
  exchange(chat_, std::string(3000, 'q'), "Answer.", {1});
  chat_.summarise();
  tell({engine::Failed{"too long", true}});
  EXPECT_FALSE(loop_.take(model_));
  tell({engine::PrefillProgress{1, 2, 0}, engine::TextDelta{"We spoke.", 1}, finished({1})});
  const auto outcome = loop_.take(model_);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->summarised);
  EXPECT_EQ(outcome->summary, "We spoke.");
  EXPECT_THAT(got_, ElementsAre("prefill"));
}

TEST_F(AnswerLoopTest, ACountIsOfNoAnswer) {
  tell({engine::Counted{1, 10}});
  EXPECT_FALSE(loop_.take(model_));
  chat_.send("Hi.");
  tell({engine::TextDelta{"Hel", 1}, engine::Counted{2, 20}, engine::TextDelta{"lo", 2},
        engine::Counted{3, {}}, finished({1, 2})});
  EXPECT_TRUE(loop_.take(model_));
  EXPECT_THAT(got_, ElementsAre("#1", "Hel", "#2", "lo", "#3"));
  EXPECT_EQ(chat_.messages().back().content, "Hello");
}

TEST_F(AnswerLoopTest, OfSeveralAnswersAllHaveToEnd) {
  AnswerOptions options;
  options.n_answers = 3;
  chat_.send({"Hi.", {}, options});
  model_.tell(1, engine::TextDelta{"b", 1});
  model_.tell(0, engine::TextDelta{"a", 1});
  model_.tell(1, finished({1, 2}));
  EXPECT_FALSE(loop_.take(model_));
  model_.tell(0, engine::Failed{"out of luck"});
  EXPECT_FALSE(loop_.take(model_));
  model_.tell(2, finished({1}, FinishReason::length));
  const auto outcome = loop_.take(model_);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, AnswerEnd::finished);
  EXPECT_EQ(outcome->stats.n_generated, 2) << "of the one that is shown now";
  EXPECT_EQ(chat_.messages().back().content, "b");
  EXPECT_THAT(got_, ElementsAre("b", "a", "1.", "0!", "2."));
}

TEST_F(AnswerLoopTest, EachEndHasItsName) {
  const std::pair<FinishReason, AnswerEnd> kEnds[] = {
      {FinishReason::end_of_turn, AnswerEnd::finished},
      {FinishReason::stop_string, AnswerEnd::finished},
      {FinishReason::length, AnswerEnd::length},
      {FinishReason::context_full, AnswerEnd::context_full},
      {FinishReason::cancelled, AnswerEnd::stopped},
  };
  for (const auto& [reason, end] : kEnds) {
    chat_.send("Hi.");
    tell({finished({1}, reason)});
    EXPECT_EQ(loop_.take(model_)->end, end);
  }
  chat_.send("Hi.");
  tell({engine::Failed{"out of luck"}});
  const auto failed = loop_.take(model_);
  EXPECT_EQ(failed->end, AnswerEnd::failed);
  EXPECT_EQ(failed->fault, "out of luck");
  EXPECT_FALSE(chat_.generating());
}

TEST_F(AnswerLoopTest, WhatIsShownIsKeptAlready) {
  chat_.send("Hi.");
  tell({engine::TextDelta{"Hello", 1}});
  loop_.take(model_);
  EXPECT_EQ(kept_, "Hello");
}

TEST_F(AnswerLoopTest, AnAnswerThatNobodyWantsIsStopped) {
  chat_.send("Hi.");
  wanted_ = false;
  tell({engine::TextDelta{"Hel", 1}, finished({1}, FinishReason::cancelled)});
  EXPECT_EQ(loop_.take(model_)->end, AnswerEnd::stopped);
  EXPECT_EQ(model_.n_cancelled, 1);
}

TEST_F(AnswerLoopTest, WhatComesBehindTheEndIsNotOfTheNextAnswer) {
  chat_.send("Hi.");
  tell({finished({1}), engine::Failed{"too late"}});
  EXPECT_EQ(loop_.take(model_)->end, AnswerEnd::finished);
  EXPECT_FALSE(loop_.take(model_));
  chat_.send("And?");
  tell({engine::TextDelta{"So.", 1}, finished({1})});
  EXPECT_EQ(loop_.take(model_)->end, AnswerEnd::finished);
  EXPECT_EQ(chat_.messages().back().content, "So.");
}

TEST_F(AnswerLoopTest, RunsToTheEndAndWaitsInBetween) {
  chat_.send("Hi.");
  std::vector<engine::Event> rest = {finished({1}), engine::TextDelta{"Hello", 1}};
  const AnswerOutcome outcome = loop_.run(model_, [&] {
    model_.events.push_back(rest.back());
    rest.pop_back();
  });
  EXPECT_EQ(outcome.end, AnswerEnd::finished);
  EXPECT_TRUE(rest.empty());
}

TEST_F(AnswerLoopTest, AnAnswerNeedsNoConversation) {
  AnswerLoop alone(nullptr, *this);
  tell({engine::TextDelta{"Hello", 1}, finished({1}, FinishReason::length)});
  EXPECT_EQ(alone.take(model_)->end, AnswerEnd::length);
  EXPECT_THAT(got_, ElementsAre("Hello"));
}

TEST_F(AnswerLoopTest, ANoteIsTakenBehindTheChat) {
  model_.change_info().n_ctx = 16;
  chat_.set_overflow(Overflow::summarise);
  for (int i = 0; i < 5; ++i) exchange(chat_, "q", "a", {1});
  chat_.send("q");
  engine::Finished full = finished({1});
  full.n_ctx_used = 15;
  tell({engine::TextDelta{"a", 1}, full});
  ASSERT_TRUE(loop_.take(model_));
  chat_.make_room();
  ASSERT_TRUE(chat_.is_noting());
  got_.clear();
  tell({engine::TextDelta{"A note.", 1}, finished({1})});
  EXPECT_EQ(loop_.take(model_), std::nullopt) << "it is no answer";
  EXPECT_THAT(got_, ElementsAre("noted"));
  EXPECT_EQ(chat_.memory().note, "A note.");
}

}  // namespace
}  // namespace confab::app
