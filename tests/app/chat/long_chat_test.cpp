// SPDX-License-Identifier: MIT
// Two hundred turns with the bundled model in a context of 1024 tokens, under each policy: the
// meter, the answers, and that a prompt after the oldest turns have gone is, bit for bit, that of a
// conversation which never had them. How long a question waited is told, and not judged.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "app/chat/turns.h"
#include "app/commands/context.h"
#include "app/paths.h"
#include "engine/run/local_chat_model.h"
#include "tests/app/commands/recording_console.h"

namespace confab::app {
namespace {

using engine::Turn;
using sessions::Message;
using sessions::Role;

constexpr int kCtx = 1024;
constexpr int kTurns = 200;
constexpr const char* kSystem = "You are a helpful assistant. Answer in a few words.";

std::unique_ptr<engine::ChatModel> load() {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return engine::load_chat_model({.path = find_shipped("models/confab-demo.gguf").value(),
                                  .n_ctx = kCtx,
                                  .n_threads = static_cast<int>(std::min(2U, cores))});
}

void wait_for(const engine::ChatModel& model) {
  pollfd entry{model.wake_fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&entry, 1, 60'000), 1) << "the model says nothing";
}

template <class Event>
Event await(engine::ChatModel& model) {
  for (;;) {
    while (auto told = model.next_event()) {
      if (auto* event = std::get_if<Event>(&told->event)) return std::move(*event);
      if (const auto* failed = std::get_if<engine::Failed>(&told->event))
        throw std::runtime_error(failed->message);
    }
    wait_for(model);
  }
}

std::string question(int i) {
  constexpr std::array<const char*, 8> kWhat{
      "Name an animal that lives in the sea.",
      "What is the colour of grass?",
      "Tell me a word that rhymes with house.",
      "Which month comes after May, and which one before it?",
      "Say something nice about rain.",
      "How many legs has a spider?",
      "What do bees make? Please answer as if I were five years old and had never seen a bee.",
      "Name a city."};
  return fmt::format("({}) {}", i, kWhat[static_cast<std::size_t>(i) % kWhat.size()]);
}

class LongChatTest : public testing::Test, public AnswerSink {
 protected:
  explicit LongChatTest(Overflow overflow) : chat_(*model_, &store_, options(overflow)) {}

  static ChatOptions options(Overflow overflow) {
    ChatOptions options;
    options.overflow = overflow;
    options.system = kSystem;
    options.sampling.temperature = 0;
    options.n_predict = 6;
    return options;
  }

  void progress(std::size_t, const AnswerWait&) override {}
  void reasoning(std::size_t, const engine::ReasoningDelta&) override {}
  bool text(std::size_t, const engine::TextDelta&) override { return true; }
  void noted() override {
    ++n_notes_;
    meter_is_right();
    chat_.prepare("");
  }

  // What the model has to be told of the messages, by the memory alone.
  std::vector<Turn> expected_turns() {
    const sessions::Memory memory = chat_.memory();
    std::string system = kSystem;
    if (!memory.note.empty()) system += "\n\nSummary of the conversation so far:\n" + memory.note;
    std::vector<Turn> turns{{.message = {"system", system}}};
    const auto said = chat_.messages();
    for (std::size_t i = static_cast<std::size_t>(memory.begin); i < said.size(); ++i) {
      const bool asks = said[i].role == Role::user;
      turns.push_back({.message = {asks ? "user" : "assistant", said[i].content}});
      if (!asks) turns.back().tokens = said[i].tokens;
    }
    return turns;
  }

  // What the screen shows, after something has gone, is what the next prompt begins with.
  void meter_is_right() {
    EXPECT_EQ(chat_.n_ctx_used(), model_->count_tokens(expected_turns(), settings()));
    EXPECT_LE(chat_.n_ctx_used(), kCtx);
  }
  engine::TemplateSettings settings() { return chat_.request_with(Question("?")).settings; }

  // An answer to its end, and what front ends do then. False: the question was refused.
  bool end_answer() {
    for (;;) {
      const AnswerOutcome outcome =
          AnswerLoop(&chat_, *this).run(*model_, [this] { wait_for(*model_); });
      if (!outcome.is_aside()) take_end(outcome);
      make_room(context_, outcome);
      if (chat_.generating()) {
        ++n_gone_on_;
        continue;
      }
      chat_.prepare("");
      return !outcome.too_long;
    }
  }

  void take_end(const AnswerOutcome& outcome) {
    ASSERT_NE(outcome.end, AnswerEnd::failed) << outcome.fault;
    waits_.push_back(outcome.stats.ttft.count() * 1e3);
    const engine::Finished& last = *chat_.last();
    EXPECT_EQ(chat_.n_ctx_used(), last.n_ctx_used);
    EXPECT_LE(last.n_ctx_used, kCtx);
    const int n_answer = last.n_ctx_used - outcome.stats.n_prompt;
    EXPECT_GE(n_answer, 0);
    EXPECT_LE(n_answer, static_cast<int>(last.tokens.size()) + 1);
  }

  void ask(int i) {
    const auto before = chat_.memory();
    chat_.send(question(i));
    if (!end_answer()) {  // it did not fit, and now there is room
      meter_is_right();
      chat_.send(question(i));
      ASSERT_TRUE(end_answer());
    }
    if (chat_.memory() != before) take_step();
  }

  // Where it was taken before the answer, the meter is what the model has told since.
  void take_step() {
    ++n_steps_;
    if (chat_.messages().back().memory) meter_is_right();
    if (n_steps_ % 6 == 1) is_as_fresh();
  }

  // The logits of the model with all it has cached are those of one that has read nothing: how
  // likely a few texts are, of all that there could be, in whole doubles. And so is its answer.
  void is_as_fresh() {
    ++n_compared_;
    if (chat_.is_noting()) return;
    std::vector<Turn> turns = expected_turns();
    turns.push_back({.message = {"user", "Which question did I ask you first?"}});
    const engine::ScoreRequest scored{.turns = turns,
                                      .options = {"A", "The first", "Name", "7", "Yes, I do"},
                                      .settings = settings()};
    const engine::GenerateRequest asked{
        .turns = turns, .sampling = {.temperature = 0}, .n_predict = 8, .settings = settings()};
    const auto fresh = load();
    fresh->score(scored);
    const auto expected = await<engine::Scored>(*fresh);
    fresh->generate(asked);
    const auto tokens = await<engine::Finished>(*fresh).tokens;
    model_->score(scored);
    const auto found = await<engine::Scored>(*model_);
    EXPECT_GT(found.stats.n_cached, 0) << "else there is nothing to compare";
    for (std::size_t i = 0; i < scored.options.size(); ++i) {
      EXPECT_EQ(found.options[i].log_p, expected.options[i].log_p) << scored.options[i];
      EXPECT_EQ(found.options[i].log_p_end, expected.options[i].log_p_end) << scored.options[i];
    }
    model_->generate(asked);
    EXPECT_EQ(await<engine::Finished>(*model_).tokens, tokens);
  }

  void nothing_is_lost() {
    const auto said = chat_.messages();
    ASSERT_EQ(said.size(), 2U * kTurns);
    const auto kept = store_.messages(*chat_.conversation());
    ASSERT_EQ(kept.size(), said.size() + 1);
    for (std::size_t i = 0; i < said.size(); ++i) {
      EXPECT_EQ(kept[i + 1].content, said[i].content);
      EXPECT_NE(said[i].content, "") << i;
      EXPECT_EQ(said[i].role, i % 2 == 0 ? Role::user : Role::assistant);
    }
    EXPECT_EQ(said.back().content, kept.back().content);
    Chat again(*model_, &store_, options(Overflow::shift));
    again.open(*store_.conversation(*chat_.conversation()));
    EXPECT_EQ(again.memory(), chat_.memory());
    EXPECT_EQ(again.n_ctx_used(), model_->count_tokens(expected_turns(), settings()));
  }

  void tell(std::string_view policy) {
    std::ranges::sort(waits_);
    fmt::print(
        "{}: {} turns, {} steps, {} notes, {} answers went on, {} compared; to the first "
        "token {:.0f} ms in the middle, {:.0f} ms at most\n",
        policy, kTurns, n_steps_, n_notes_, n_gone_on_, n_compared_, waits_[waits_.size() / 2],
        waits_.back());
  }

  std::unique_ptr<engine::ChatModel> model_ = load();
  sessions::Store store_ = sessions::Store::in_memory();
  Chat chat_;
  RecordingConsole console_;
  CommandContext context_{chat_, &store_, console_};
  std::vector<double> waits_;  // milliseconds
  int n_steps_ = 0;
  int n_notes_ = 0;
  int n_gone_on_ = 0;
  int n_compared_ = 0;
};

class LongShiftTest : public LongChatTest {
 protected:
  LongShiftTest() : LongChatTest(Overflow::shift) {}
};

TEST_F(LongShiftTest, TwoHundredTurnsAreReadAsIfTheOldestHadNeverBeenSaid) {
  for (int i = 1; i <= kTurns; ++i) ASSERT_NO_FATAL_FAILURE(ask(i)) << i;
  nothing_is_lost();
  EXPECT_GT(n_steps_, 5);
  EXPECT_LT(n_steps_, 40) << "a step is rare";
  EXPECT_GT(n_compared_, 1);
  EXPECT_TRUE(console_.errors.empty());
  tell("shift");
}

class LongNoteTest : public LongChatTest {
 protected:
  LongNoteTest() : LongChatTest(Overflow::summarise) {}
};

// Every other note is waited for, as somebody who reads the answer does; the others are cut off by
// the next question.
TEST_F(LongNoteTest, TwoHundredTurnsLeaveANote) {
  int n_begun = 0;
  for (int i = 1; i <= kTurns; ++i) {
    ASSERT_NO_FATAL_FAILURE(ask(i)) << i;
    if (!chat_.is_noting() || ++n_begun % 2 == 0) continue;
    AnswerLoop loop(&chat_, *this);
    while (chat_.is_noting()) {
      wait_for(*model_);
      loop.take(*model_);
    }
    if (n_notes_ % 5 == 1) is_as_fresh();
  }
  nothing_is_lost();
  EXPECT_GT(n_notes_, 3);
  EXPECT_FALSE(chat_.memory().note.empty());
  EXPECT_TRUE(console_.errors.empty());
  tell("summarise");
}

class LongStopTest : public LongChatTest {
 protected:
  LongStopTest() : LongChatTest(Overflow::stop) {}
};

TEST_F(LongStopTest, TwoHundredTurnsAskNowAndThen) {
  console_.reply = "y";
  for (int i = 1; i <= kTurns; ++i) ASSERT_NO_FATAL_FAILURE(ask(i)) << i;
  nothing_is_lost();
  EXPECT_GT(console_.confirmations.size(), 3U);
  tell("stop");
}

}  // namespace
}  // namespace confab::app
