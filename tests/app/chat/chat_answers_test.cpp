// SPDX-License-Identifier: MIT
// Several answers to one question, written at once.
#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "app/error.h"
#include "sessions/conversations/branches.h"
#include "sessions/conversations/sql.h"
#include "tests/app/chat/chat_fixture.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using sessions::MessageState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ChatAnswersTest : public ChatTest {
 protected:
  ChatAnswersTest() { exchange(chat_, "One?", "First.", {1}); }

  static AnswerOptions several(int n, std::optional<std::uint64_t> seed = {}) {
    AnswerOptions options;
    options.n_answers = n;
    options.sampling.seed = seed;
    return options;
  }
  void say(std::size_t answer, const std::string& text) {
    chat_.take(engine::TextDelta{text, 1, {1}}, answer);
  }
  void end(std::size_t answer) { chat_.take(finished({1}), answer); }
  std::vector<std::string> saved() {
    std::vector<std::string> all;
    for (const sessions::Message& message : store_.tree(*chat_.conversation()).messages)
      all.push_back(std::string(sessions::name_of(message.state)) + " " + message.content);
    return all;
  }
  std::string head() { return store_.messages(*chat_.conversation()).back().content; }

  Chat chat_{model_, &store_, {}};
};

TEST_F(ChatAnswersTest, EachIsABranchFromItsBeginningOn) {
  chat_.retry({}, several(3));
  EXPECT_EQ(model_.requests.size(), 4U);
  EXPECT_EQ(chat_.n_answers(), 3U);
  EXPECT_THAT(saved(), ElementsAre("done One?", "done First.", "draft ", "draft ", "draft "));
  EXPECT_EQ(sessions::branches_of(store_.tree(*chat_.conversation())).size(), 4U);
  say(1, "Second.");
  say(2, "Third.");
  say(0, "New.");
  end(1);
  EXPECT_THAT(saved()[3], "done Second.");
  EXPECT_EQ(chat_.messages().back().content, "New.");
  EXPECT_TRUE(chat_.generating());
  end(0);
  end(2);
  EXPECT_FALSE(chat_.generating());
  EXPECT_EQ(chat_.n_answers(), 0U);
  EXPECT_THAT(saved(),
              ElementsAre("done One?", "done First.", "done New.", "done Second.", "done Third."));
  EXPECT_EQ(head(), "New.");
  EXPECT_EQ(chat_.take_notice(), "");  // nobody else was here
  EXPECT_FALSE(chat_.has_unsaved());
}

TEST_F(ChatAnswersTest, TheOneThatIsChosenIsGoneOnWith) {
  chat_.retry({}, several(3));
  say(0, "New.");
  say(1, "Second.");
  chat_.choose(1);
  end(1);
  chat_.take(engine::PrefillProgress{.n_done = 90, .n_prompt = 90, .n_cached = 0}, 0);
  EXPECT_NE(chat_.n_ctx_used(), 90);
  end(0);
  end(2);
  EXPECT_EQ(chat_.messages().back().content, "Second.");
  EXPECT_EQ(head(), "Second.");
  ASSERT_TRUE(chat_.last());
  exchange(chat_, "And?", "So.", {2});
  EXPECT_EQ(store_.messages(*chat_.conversation()).size(), 4U);
  EXPECT_EQ(store_.messages(*chat_.conversation())[1].content, "Second.");
}

TEST_F(ChatAnswersTest, EachCanBeStoppedAlone) {
  chat_.retry({}, several(3));
  chat_.stop(1);
  EXPECT_THAT(model_.cancelled, ElementsAre(2U));
  chat_.take(finished({1}, engine::FinishReason::cancelled), 1);
  chat_.stop(1);
  chat_.stop();
  EXPECT_THAT(model_.cancelled, ElementsAre(2U, 1U, 3U));
  EXPECT_EQ(chat_.answer(1).state, MessageState::stopped);
}

TEST_F(ChatAnswersTest, EachHasASeedOfItsOwn) {
  chat_.retry({}, several(3, 7));
  std::vector<std::uint64_t> seeds;
  for (std::size_t i = 1; i < 4; ++i) seeds.push_back(model_.requests[i].sampling.seed.value());
  EXPECT_THAT(seeds, ElementsAre(7U, 8U, 9U));
  EXPECT_THAT(chat_.answer(2).sampler_json, HasSubstr("\"seed\":9"));
  EXPECT_THAT(chat_.answer(0).sampler_json, HasSubstr("\"seed\":7"));
}

TEST_F(ChatAnswersTest, AnswersThatWouldBeTheSameAreNotAskedFor) {
  AnswerOptions options = several(3);
  options.sampling.temperature = 0;
  EXPECT_THROW(chat_.retry({}, options), UserError);
  options.sampling.temperature = 1;
  options.sampling.top_k = 1;
  EXPECT_THROW(chat_.retry({}, options), UserError);
  EXPECT_EQ(model_.requests.size(), 1U);
  EXPECT_EQ(chat_.messages().back().content, "First.");
  options.n_answers = 1;
  EXPECT_NO_THROW(chat_.retry({}, options));
}

TEST_F(ChatAnswersTest, OneThatFailsIsNotGoneOnWith) {
  chat_.retry({}, several(2));
  say(1, "Second.");
  end(1);
  chat_.take(engine::Failed{"out of luck"}, 0);
  EXPECT_FALSE(chat_.generating());
  EXPECT_EQ(chat_.messages().back().content, "Second.");
  EXPECT_EQ(head(), "Second.");
  EXPECT_THAT(saved()[2], "error ");
}

TEST_F(ChatAnswersTest, AQuestionThatDoesNotFitIsTakenBackWithAllOfThem) {
  Question question("Two?");
  question.options = several(3);
  chat_.send(question);
  EXPECT_EQ(model_.requests.size(), 4U);
  const Outcome outcome = chat_.take(engine::Failed{"too long", true}, 1);
  EXPECT_EQ(outcome.refused->text, "Two?");
  EXPECT_FALSE(chat_.generating());
  EXPECT_THAT(model_.cancelled, ElementsAre(1U, 3U));
  EXPECT_EQ(chat_.messages().back().content, "First.");
  EXPECT_EQ(head(), "First.");
  for (const std::string& message : saved()) EXPECT_FALSE(message.starts_with("draft")) << message;
  exchange(chat_, "Three?", "Third.", {2});
  EXPECT_EQ(head(), "Third.");
}

TEST_F(ChatAnswersTest, WhereNothingIsKeptOneIsLeft) {
  Chat chat(model_, nullptr, {});
  exchange(chat, "One?", "First.", {1});
  chat.retry({}, several(2));
  chat.take(engine::TextDelta{"New.", 1, {1}}, 0);
  chat.take(finished({1}), 0);
  chat.take(finished({1}), 1);
  EXPECT_EQ(chat.messages().back().content, "New.");
  EXPECT_FALSE(chat.has_unsaved());
}

// The disk is full for a while: those that are not shown are kept until they can be saved, also
// when the question has been asked again, or another one.
TEST(ChatAnswersUnsavedTest, AreSavedLater) {
  const TempDir dir;
  sessions::Store store(dir / "x.db");
  FakeModel model;
  Chat chat(model, &store, {});
  chat.send("One?");
  chat.take(finished({1}));
  sessions::Database disk(dir / "x.db");
  disk.run_script(
      "CREATE TRIGGER full BEFORE INSERT ON message"
      " BEGIN SELECT raise(ABORT, 'the disk is full'); END");
  AnswerOptions options;
  options.n_answers = 2;
  for (const char* text : {"a", "b"}) {
    chat.retry({}, options);
    for (std::size_t answer = 0; answer < 2; ++answer) {
      chat.take(engine::TextDelta{text + std::to_string(answer), 1, {1}}, answer);
      chat.take(finished({1}), answer);
    }
  }
  EXPECT_TRUE(chat.has_unsaved());
  disk.run_script("DROP TRIGGER full");
  chat.send("Two?");
  chat.take(finished({2}));
  EXPECT_FALSE(chat.has_unsaved());
  std::vector<std::string> answers;
  const auto tree = store.tree(*chat.conversation());
  for (const sessions::Message& message : tree.messages)
    if (message.parent == tree.messages.front().id) answers.push_back(message.content);
  EXPECT_THAT(answers, ::testing::UnorderedElementsAre("", "a0", "a1", "b0", "b1"));
  EXPECT_EQ(store.messages(*chat.conversation())[1].content, "b0");
  EXPECT_EQ(store.list().size(), 1U);
}

}  // namespace
}  // namespace confab::app
