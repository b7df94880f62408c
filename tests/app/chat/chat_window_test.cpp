// SPDX-License-Identifier: MIT
// A chat that outgrows its context: what goes, when, and what the model is told then.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/chat/answer_loop.h"
#include "app/chat/chat.h"
#include "app/error.h"
#include "sessions/conversations/catalog.h"
#include "sessions/conversations/store.h"
#include "tests/app/chat/counting_model.h"

namespace confab::app {
namespace {

using sessions::Memory;
using sessions::Reading;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kCtx = 200;
constexpr int kTurn = 40;  // tokens of an exchange: 4 + 11 and 4 + 21

// Questions are "question 01", answers have 21 bytes.
std::string question(int i) {
  return fmt::format("question {:02}", i);
}
std::string answer(int i) {
  return fmt::format("answer {:02} ............", i).substr(0, 21);
}

class ChatWindowTest : public testing::Test {
 protected:
  void ask(Chat& chat, int i) {
    chat.send(question(i));
    end(chat, answer(i));
  }
  void end(Chat& chat, const std::string& text,
           engine::FinishReason reason = engine::FinishReason::end_of_turn) {
    chat.take(engine::TextDelta{text, 1});
    chat.take(model_.finished_with(text, reason));
  }
  // As front ends do it.
  void ask_on(Chat& chat, int from, int to) {
    for (int i = from; i <= to; ++i) {
      ask(chat, i);
      chat.make_room();
    }
  }
  // The questions that the model was asked with last.
  std::vector<std::string> asked() const { return questions(model_.requests.back().turns); }
  static std::vector<std::string> questions(const std::vector<engine::Turn>& turns) {
    std::vector<std::string> all;
    for (const engine::Turn& turn : turns)
      if (turn.message.role == "user") all.push_back(turn.message.content.substr(9));
    return all;
  }
  std::vector<std::string> read_next(Chat& chat) {
    return questions(chat.request_with(Question("question xx")).turns);
  }
  // What was told of a note, to its end.
  void write_note(Chat& chat, const std::string& text) {
    chat.take_note(engine::TextDelta{text, 1});
    EXPECT_TRUE(chat.take_note(finished({1})));
  }
  static ChatOptions with(Overflow overflow, int keep = 0) {
    ChatOptions options;
    options.overflow = overflow;
    options.keep = keep;
    return options;
  }

  CountingModel model_{kCtx};
  sessions::Store store_ = sessions::Store::in_memory();
};

TEST_F(ChatWindowTest, TheOldestGoInOneStepBeforeTheLimitIsReached) {
  Chat chat(model_, &store_, {});
  ask_on(chat, 1, 4);
  EXPECT_EQ(chat.n_ctx_used(), 4 * kTurn);
  EXPECT_EQ(chat.memory(), Memory()) << "25 tokens are an eighth";
  ask(chat, 5);
  EXPECT_EQ(chat.n_ctx_used(), kCtx);
  ASSERT_TRUE(chat.make_room());
  EXPECT_EQ(chat.memory().begin, 4) << "two turns are more than a quarter";
  EXPECT_EQ(chat.n_ctx_used(), 3 * kTurn);
  EXPECT_FALSE(chat.make_room()) << "once is enough";
  ask(chat, 6);
  EXPECT_THAT(asked(), ElementsAre("03", "04", "05", "06"));
  EXPECT_EQ(chat.messages().size(), 12u) << "the person has all of it";
}

// The prompt is that of a conversation which never had the turns that went.
TEST_F(ChatWindowTest, WhatRemainsIsAsIfTheOthersHadNeverBeenSaid) {
  Chat chat(model_, &store_, {});
  chat.set_system("Be kind.");
  ask_on(chat, 1, 9);
  ASSERT_GT(chat.memory().begin, 0);
  ask(chat, 10);
  const auto turns = model_.requests.back().turns;
  const int first = std::stoi(asked().front());
  Chat fresh(model_, nullptr, {});
  fresh.set_system("Be kind.");
  for (int i = first; i <= 10; ++i) ask(fresh, i);
  const auto& others = model_.requests.back().turns;
  ASSERT_EQ(turns.size(), others.size());
  for (std::size_t i = 0; i < turns.size(); ++i) {
    EXPECT_EQ(turns[i].message.role, others[i].message.role);
    EXPECT_EQ(turns[i].message.content, others[i].message.content);
    EXPECT_EQ(turns[i].tokens, others[i].tokens);
  }
}

TEST_F(ChatWindowTest, WhatRemainsIsReadAhead) {
  Chat chat(model_, &store_, {});
  ask_on(chat, 1, 5);
  chat.prepare("");
  EXPECT_THAT(questions(model_.preparations.back().turns), ElementsAre("03", "04", "05"));
}

TEST_F(ChatWindowTest, ALongQuestionMakesItsOwnRoom) {
  Chat chat(model_, &store_, {});
  ask_on(chat, 1, 3);
  chat.send(std::string(100, 'x'));
  EXPECT_EQ(model_.requests.back().turns.size(), 3u) << "the third turn and the question";
  end(chat, "short");
  EXPECT_EQ(chat.memory().begin, 4);
  EXPECT_LE(chat.n_ctx_used(), kCtx);
}

TEST_F(ChatWindowTest, AQuestionThatIsTooLongAloneIsRefusedAndNothingGoes) {
  Chat chat(model_, &store_, {});
  ask_on(chat, 1, 2);
  chat.send(std::string(300, 'x'));
  const Outcome outcome = chat.take(engine::Failed{"too long", true});
  ASSERT_TRUE(outcome.refused);
  EXPECT_EQ(chat.memory(), Memory());
  EXPECT_THAT(read_next(chat), ElementsAre("01", "02", "xx"));
}

TEST_F(ChatWindowTest, PinnedAndKeptTurnsStay) {
  Chat chat(model_, &store_, with(Overflow::shift, -1));
  ask_on(chat, 1, 3);
  chat.set_reading(2, Reading::pinned);
  ask_on(chat, 4, 5);
  EXPECT_EQ(chat.memory(), (Memory{.n_kept = 2, .begin = 8}));
  EXPECT_THAT(read_next(chat), ElementsAre("01", "02", "05", "xx"));
}

TEST_F(ChatWindowTest, WhatThePersonDropsIsNotRead) {
  Chat chat(model_, &store_, {});
  ask_on(chat, 1, 3);
  chat.set_reading(2, Reading::dropped);
  EXPECT_EQ(chat.n_ctx_used(), 2 * kTurn);
  EXPECT_THAT(read_next(chat), ElementsAre("01", "03", "xx"));
  chat.set_reading(2, Reading::usual);
  EXPECT_THAT(read_next(chat), ElementsAre("01", "02", "03", "xx"));
}

TEST_F(ChatWindowTest, WhatHasGoneCanBePinnedAsFarAsThereIsRoom) {
  Chat chat(model_, &store_, {});
  ask_on(chat, 1, 5);
  ASSERT_EQ(chat.memory().begin, 4);
  chat.set_reading(0, Reading::pinned);
  EXPECT_THAT(read_next(chat), ElementsAre("01", "03", "04", "05", "xx"));
  EXPECT_EQ(chat.n_ctx_used(), 4 * kTurn);
  EXPECT_THROW(chat.set_reading(2, Reading::pinned), UserError);
  EXPECT_EQ(chat.n_ctx_used(), 4 * kTurn) << "all or nothing";
  EXPECT_EQ(chat.messages()[2].reading, Reading::usual);
}

TEST_F(ChatWindowTest, AnAnswerThatFillsTheContextGoesOn) {
  Chat chat(model_, &store_, {});
  ask_on(chat, 1, 4);
  chat.send(question(5));
  end(chat, "begun ", engine::FinishReason::context_full);
  ASSERT_TRUE(chat.go_on_with_room());
  EXPECT_TRUE(chat.generating());
  EXPECT_TRUE(model_.requests.back().continues);
  EXPECT_THAT(asked(), ElementsAre("03", "04", "05"));
  EXPECT_EQ(model_.requests.back().turns.back().message.content, "begun ");
  end(chat, "begun and ended");
  EXPECT_EQ(chat.messages().back().content, "begun and ended");
  EXPECT_EQ(chat.messages()[8].memory->begin, 4) << "its question says what was read";
}

TEST_F(ChatWindowTest, OneTurnThatFillsTheContextEnds) {
  Chat chat(model_, &store_, {});
  chat.send(question(1));
  end(chat, "long", engine::FinishReason::context_full);
  EXPECT_FALSE(chat.go_on_with_room());
  EXPECT_FALSE(chat.generating());
  ask(chat, 2);
  EXPECT_FALSE(chat.go_on_with_room()) << "its answer was not cut off";
}

TEST_F(ChatWindowTest, WhoWantsToBeAskedLosesNothing) {
  Chat chat(model_, &store_, with(Overflow::stop));
  ask_on(chat, 1, 5);
  EXPECT_EQ(chat.memory(), Memory());
  EXPECT_EQ(chat.n_ctx_used(), kCtx);
  ASSERT_TRUE(chat.let_go());
  EXPECT_EQ(chat.memory().begin, 4);
}

TEST_F(ChatWindowTest, AQuestionAloneIsNotAChat) {
  ChatOptions options;
  options.prompt = "x";
  Chat chat(model_, &store_, options);
  ask_on(chat, 1, 6);
  EXPECT_EQ(chat.memory(), Memory());
}

// --- what the database and the branches have of it

TEST_F(ChatWindowTest, WhatIsReadSurvives) {
  Chat chat(model_, &store_, with(Overflow::shift, 1));
  ask_on(chat, 1, 4);
  chat.set_reading(2, Reading::pinned);
  ask_on(chat, 5, 6);
  const auto expected = read_next(chat);
  ASSERT_LT(expected.size(), 7u);
  Chat again(model_, &store_, {});
  again.open(*store_.conversation(*chat.conversation()));
  EXPECT_EQ(read_next(again), expected);
  EXPECT_EQ(again.n_ctx_used(),
            model_.count_tokens(again.request_with(Question("")).turns, {}) - 4);
  EXPECT_EQ(sessions::Catalog(store_).search("question").size(), 6u) << "all of it is found";
}

TEST_F(ChatWindowTest, WithoutADatabaseItIsTheSame) {
  Chat chat(model_, nullptr, {});
  ask_on(chat, 1, 6);
  EXPECT_THAT(read_next(chat), ElementsAre("03", "04", "05", "06", "xx"));
}

TEST_F(ChatWindowTest, UndoneIsWhatWasReadBefore) {
  Chat chat(model_, &store_, {});
  ask_on(chat, 1, 5);
  ASSERT_EQ(chat.memory().begin, 4);
  chat.undo(2);
  EXPECT_THAT(read_next(chat), ElementsAre("01", "02", "03", "xx"));
  EXPECT_EQ(chat.n_ctx_used(), 3 * kTurn);
}

TEST_F(ChatWindowTest, RetriedAndEditedQuestionsHaveTheMemoryOfTheirTime) {
  Chat chat(model_, &store_, {});
  ask_on(chat, 1, 6);
  ASSERT_EQ(chat.memory().begin, 4);
  chat.retry(4);  // the third question
  EXPECT_THAT(asked(), ElementsAre("01", "02", "03"));
  end(chat, "other");
  chat.edit("question 2b", 2);
  EXPECT_THAT(asked(), ElementsAre("01", "2b"));
  end(chat, "other");
}

TEST_F(ChatWindowTest, AnotherSystemPromptAndForgettingKeepWhatIsRead) {
  Chat chat(model_, &store_, {});
  ask_on(chat, 1, 5);
  chat.set_system("Hm.");
  EXPECT_THAT(read_next(chat), ElementsAre("03", "04", "05", "xx"));
  chat.forget(1);
  EXPECT_THAT(read_next(chat), ElementsAre("04", "05", "xx"));
  chat.forget(9);
  EXPECT_THAT(read_next(chat), ElementsAre("xx"));
  EXPECT_EQ(chat.messages().size(), 10u);
}

// --- notes

constexpr int kNoteCtx = 400;  // 9 turns leave less than an eighth, and 3 of them are a quarter

class ChatNoteTest : public ChatWindowTest {
 protected:
  ChatNoteTest() { model_.change_info().n_ctx = kNoteCtx; }
  void fill() {
    ask_on(chat_, 1, 9);
    ASSERT_TRUE(chat_.is_noting());
  }
  Chat chat_{model_, &store_, with(Overflow::summarise)};
};

TEST_F(ChatNoteTest, ANoteTakesThePlaceOfTheOldest) {
  fill();
  EXPECT_FALSE(chat_.generating()) << "nobody waits for it";
  EXPECT_EQ(chat_.memory(), Memory()) << "nothing goes before it is written";
  const engine::GenerateRequest& request = model_.requests.back();
  EXPECT_EQ(request.turns[4].message.content, question(3));
  EXPECT_EQ(request.turns.size(), 7u);
  EXPECT_THAT(request.turns.back().message.content, HasSubstr("Summarise"));
  EXPECT_EQ(request.n_predict, kNoteCtx / 8);
  write_note(chat_, " We said 01 to 03.\n");
  EXPECT_FALSE(chat_.is_noting());
  EXPECT_EQ(chat_.memory(), (Memory{.begin = 6, .n_noted = 6, .note = "We said 01 to 03."}));
  ask(chat_, 10);
  EXPECT_THAT(asked(), ElementsAre("04", "05", "06", "07", "08", "09", "10"));
  EXPECT_THAT(model_.requests.back().turns.front().message.content, HasSubstr("We said 01 to 03."));
  EXPECT_EQ(chat_.messages().size(), 20u);
}

TEST_F(ChatNoteTest, TheNextQuestionCancelsItAndItIsWrittenAfterIt) {
  fill();
  chat_.take_note(engine::TextDelta{"We sa", 1});
  ask(chat_, 10);
  EXPECT_EQ(model_.n_cancelled, 1);
  EXPECT_EQ(model_.requests.back().turns.size(), 19u) << "there was room for it";
  EXPECT_EQ(chat_.memory(), Memory());
  EXPECT_FALSE(chat_.make_room());
  EXPECT_TRUE(chat_.is_noting());
  write_note(chat_, "We said 01 to 05.");
  EXPECT_EQ(chat_.memory().note, "We said 01 to 05.");
}

TEST_F(ChatNoteTest, WhereTheNextQuestionNeedsTheRoomTheNoteFollows) {
  fill();
  chat_.send("question " + std::string(40, 'x'));
  EXPECT_EQ(model_.requests.back().turns.front().message.content, question(4));
  end(chat_, "so");
  EXPECT_EQ(chat_.memory().n_noted, 0);
  EXPECT_FALSE(chat_.make_room());
  ASSERT_TRUE(chat_.is_noting());
  EXPECT_EQ(model_.requests.back().turns.front().message.content, question(1));
  write_note(chat_, "We said all that.");
  EXPECT_EQ(chat_.memory().n_noted, chat_.memory().begin);
  EXPECT_EQ(chat_.memory().note, "We said all that.");
}

TEST_F(ChatNoteTest, AnotherNoteGoesOnFromTheOneBefore) {
  fill();
  write_note(chat_, "Note one.");
  for (int i = 10; i < 20 && !chat_.is_noting(); ++i) ask_on(chat_, i, i);
  ASSERT_TRUE(chat_.is_noting());
  const auto& turns = model_.requests.back().turns;
  EXPECT_THAT(turns.front().message.content, HasSubstr("Note one."));
  EXPECT_EQ(turns[1].message.content, question(4));
  write_note(chat_, "Note two.");
  EXPECT_EQ(chat_.memory().note, "Note two.");
  EXPECT_EQ(chat_.memory().n_noted, chat_.memory().begin);
}

TEST_F(ChatNoteTest, ANoteThatFailsIsToldAndTheTurnsGo) {
  fill();
  EXPECT_TRUE(chat_.take_note(engine::Failed{"broken"}));
  EXPECT_THAT(chat_.take_error(), HasSubstr("no note"));
  EXPECT_EQ(chat_.memory(), (Memory{.begin = 6, .n_noted = 6}));
  EXPECT_FALSE(chat_.make_room());
  EXPECT_FALSE(chat_.is_noting()) << "it is not tried again for the same turns";
}

TEST_F(ChatNoteTest, OneThatDoesNotFitTellsOfLess) {
  model_.change_info().n_ctx = 2000;
  for (int i = 1; i < 20 && !chat_.is_noting(); ++i) {
    chat_.send(question(i));
    end(chat_, std::string(300, 'a'));
    chat_.make_room();
  }
  ASSERT_TRUE(chat_.is_noting());
  const std::size_t n_requests = model_.requests.size();
  const std::size_t n_turns = model_.requests.back().turns.size();
  EXPECT_FALSE(chat_.take_note(engine::Failed{"too long", true}));
  ASSERT_EQ(model_.requests.size(), n_requests + 1);
  EXPECT_LT(model_.requests.back().turns.size(), n_turns);
  write_note(chat_, "Of the rest.");
  EXPECT_EQ(chat_.memory().note, "Of the rest.");
}

TEST_F(ChatNoteTest, ANoteCanBeChangedAndTakenAway) {
  EXPECT_THROW(chat_.set_note("x"), UserError) << "all is read";
  fill();
  write_note(chat_, "Mine.");
  chat_.set_note("Yours.");
  EXPECT_EQ(chat_.memory().note, "Yours.");
  EXPECT_THROW(chat_.set_note(std::string(500, 'x')), UserError) << "there is no room for it";
  EXPECT_EQ(chat_.memory().note, "Yours.");
  Chat again(model_, &store_, {});
  again.open(*store_.conversation(*chat_.conversation()));
  EXPECT_EQ(again.memory().note, "Yours.");
  chat_.set_note("");
  EXPECT_EQ(chat_.memory().note, "");
  EXPECT_EQ(chat_.memory().begin, 6);
}

TEST_F(ChatNoteTest, ItEndsWithWhatItIsAbout) {
  fill();
  chat_.undo(1);
  EXPECT_FALSE(chat_.is_noting());
  EXPECT_FALSE(chat_.take_note(finished({1}))) << "what is still told of it is nobody's";
  EXPECT_EQ(chat_.memory(), Memory());
}

}  // namespace
}  // namespace confab::app
