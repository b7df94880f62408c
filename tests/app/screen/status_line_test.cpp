// SPDX-License-Identifier: MIT
#include "app/screen/status_line.h"

#include <gtest/gtest.h>

#include "tests/app/fake_model.h"

namespace confab::app {
namespace {

using namespace std::chrono_literals;
using ui::Role;

class StatusLineTest : public testing::Test {
 protected:
  // The parts, the left ones before a bar.
  std::string line() {
    const ui::StatusBar bar = status_line({chat_, progress_, machine_, n_queued_, now_});
    std::string out;
    for (const ui::StatusPart& part : bar.left) out += part.text + "; ";
    out += "|";
    for (const ui::StatusPart& part : bar.right) out += " " + part.text + ";";
    return out;
  }
  Role first_role() {
    return status_line({chat_, progress_, machine_, n_queued_, now_}).right.front().role;
  }
  template <typename Event>
  void take(const Event& event, std::chrono::milliseconds after) {
    now_ += after;
    if constexpr (std::is_same_v<Event, engine::Finished>)
      progress_.end();
    else
      progress_.take(event, now_);
    chat_.take(event);
  }
  FakeModel model_;
  Chat chat_{model_, nullptr, {}};
  AnswerProgress progress_;
  MachineState machine_;
  std::size_t n_queued_ = 0;
  AnswerProgress::Clock::time_point now_{1h};
};

TEST_F(StatusLineTest, IncognitoIsSaidFirst) {
  const ui::StatusBar bar = status_line({chat_, progress_, machine_, 0, now_, true});
  EXPECT_EQ(bar.left.front().text, "incognito");
}

TEST_F(StatusLineTest, FollowsTheAnswer) {
  EXPECT_EQ(line(), "fake; | ▱▱▱▱▱▱▱▱ 0/2,048 ctx;");
  chat_.send("Hello?");
  progress_.begin(now_);
  take(engine::LoadProgress{512, 2048}, 1s);
  EXPECT_EQ(line(), "fake; | first use of this model: 25 %; ▱▱▱▱▱▱▱▱ 0/2,048 ctx;");
  take(engine::PrefillProgress{0, 1600, 0}, 1s);
  EXPECT_EQ(line(), "fake; | ▱▱▱▱▱▱▱▱ reading 0/1,600; ▱▱▱▱▱▱▱▱ 0/2,048 ctx;");
  take(engine::PrefillProgress{100, 1600, 0}, 10s);
  EXPECT_EQ(line(), "fake; | ▰▱▱▱▱▱▱▱ reading 100/1,600, 2:30 min left; ▰▱▱▱▱▱▱▱ 100/2,048 ctx;");
  take(engine::TextDelta{"a", 1, {1}}, 1s);
  take(engine::TextDelta{"b", 3, {1}}, 500ms);
  EXPECT_EQ(line(), "fake; | 4.0 tok/s; ▰▰▰▰▰▰▱▱ 1,603/2,048 ctx;");
  take(finished({1, 2, 3}), 1s);
  EXPECT_EQ(line(), "fake; | 20.0 tok/s; ▰▱▱▱▱▱▱▱ 13/2,048 ctx; 4 cached;");
}

TEST_F(StatusLineTest, TellsHowManyTokensAPassGave) {
  chat_.send("Hello?");
  engine::Finished end = finished({1, 2, 3, 4, 5});
  end.stats.n_passes = 2;
  end.stats.n_drafted = 6;
  end.stats.n_accepted = 3;
  take(end, 1s);
  EXPECT_EQ(line(), "fake; | 40.0 tok/s; 2.5 tok/pass; ▰▱▱▱▱▱▱▱ 15/2,048 ctx; 4 cached;");
}

TEST_F(StatusLineTest, TellsHowManyTokensAPassGivesWhileItIsMoreThanOne) {
  chat_.send("Hello?");
  progress_.begin(now_);
  take(engine::TextDelta{"a", 1, {1}}, 1s);
  take(engine::TextDelta{"b", 3, {1}, 1.04}, 500ms);
  EXPECT_EQ(line(), "fake; | 4.0 tok/s; ▰▱▱▱▱▱▱▱ 3/2,048 ctx;");
  take(engine::TextDelta{"c", 6, {1}, 2.46}, 500ms);
  EXPECT_EQ(line(), "fake; | 5.0 tok/s; 2.5 tok/pass; ▰▱▱▱▱▱▱▱ 6/2,048 ctx;");
  take(finished({1, 2, 3}), 1s);
  EXPECT_EQ(line(), "fake; | 20.0 tok/s; ▰▱▱▱▱▱▱▱ 13/2,048 ctx; 4 cached;");
}

TEST_F(StatusLineTest, SeveralAnswersHaveOneSpeed) {
  chat_.send("Hello?");
  const ui::StatusBar bar = status_line({chat_, progress_, machine_, 0, now_, false, 12.34});
  EXPECT_EQ(bar.right.front().text, "12.3 tok/s");
}

TEST_F(StatusLineTest, WhatWaitsAndTroubleComeFirstAndMemoryLast) {
  machine_ = {.memory_bytes = std::int64_t{3} << 29, .trouble = "swapping"};
  n_queued_ = 2;
  EXPECT_EQ(line(), "fake; | 2 waiting; swapping; ▱▱▱▱▱▱▱▱ 0/2,048 ctx; 1.5 GiB;");
  n_queued_ = 0;
  EXPECT_EQ(first_role(), Role::warning);
}

TEST_F(StatusLineTest, ASpeedDoesNotOutliveItsAnswer) {
  chat_.send("Hello?");
  progress_.begin(now_);
  take(engine::TextDelta{"a", 1, {1}}, 1s);
  take(engine::TextDelta{"b", 3, {1}}, 500ms);
  take(finished({1, 2, 3}), 1s);
  chat_.start_new();
  now_ += 10s;
  EXPECT_EQ(line(), "fake; | ▱▱▱▱▱▱▱▱ 0/2,048 ctx;");
}

TEST_F(StatusLineTest, ANarrowLineKeepsTheContextAndWhatWaits) {
  machine_ = {.memory_bytes = std::int64_t{3} << 29, .trouble = "slow: processor too hot"};
  n_queued_ = 2;
  const auto shown = [this](int cols) {
    ui::Frame frame(ui::Rows{1}, ui::Cols{cols});
    draw_status_bar(frame, ui::Rows{0}, status_line({chat_, progress_, machine_, n_queued_, now_}));
    return frame.to_text();
  };
  EXPECT_EQ(shown(80),
            " fake      2 waiting · slow: processor too hot · ▱▱▱▱▱▱▱▱ 0/2,048 ctx · 1.5 GiB\n");
  EXPECT_EQ(shown(50), " fake            2 waiting · ▱▱▱▱▱▱▱▱ 0/2,048 ctx\n");
  EXPECT_EQ(shown(36), " fake          ▱▱▱▱▱▱▱▱ 0/2,048 ctx\n");
}

TEST_F(StatusLineTest, ANarrowLineTellsWhatIsGivenUpBeforeAllElse) {
  machine_ = {.trouble = "model 34 % on disk: close programs"};
  chat_.send("Hello?");
  take(finished({1, 2, 3}), 1s);
  const auto shown = [this](int cols, std::string_view given_up, bool unloaded = false) {
    ui::Frame frame(ui::Rows{1}, ui::Cols{cols});
    draw_status_bar(frame, ui::Rows{0},
                    status_line({.chat = chat_,
                                 .progress = progress_,
                                 .machine = machine_,
                                 .now = now_,
                                 .given_up = given_up,
                                 .unloaded = unloaded}));
    return frame.to_text();
  };
  EXPECT_EQ(shown(60, "low memory: model unloaded"),
            " fake    low memory: model unloaded · ▰▱▱▱▱▱▱▱ 13/2,048 ctx\n");
  EXPECT_EQ(shown(40, "low memory: model unloaded"), " fake        low memory: model unloaded\n");
  EXPECT_EQ(shown(40, "too hot: half the threads"), " fake         too hot: half the threads\n");
  EXPECT_EQ(shown(80, ""),
            " fake   model 34 % on disk: close programs · 20.0 tok/s · ▰▱▱▱▱▱▱▱ 13/2,048 ctx\n");
  machine_ = {};
  EXPECT_EQ(shown(50, "", true), " fake            ▰▱▱▱▱▱▱▱ 13/2,048 ctx · unloaded\n");
}

TEST_F(StatusLineTest, TheContextChangesColourAsItFills) {
  EXPECT_EQ(first_role(), Role::meter_low);
  chat_.send("Hello?");
  chat_.take(engine::PrefillProgress{1900, 1900, 0});
  EXPECT_EQ(first_role(), Role::meter_high);
}

TEST_F(StatusLineTest, AnEngineElsewhereIsNamedAllTheTime) {
  engine::ModelInfo& info = model_.change_info();
  info.name = "work/m";
  info.place = "10.0.0.7:8000";
  info.estimates_tokens = true;
  info.is_on_this_machine = false;
  machine_.memory_bytes = 1 << 30;
  EXPECT_EQ(line(), "sent to 10.0.0.7:8000; work/m; | ▱▱▱▱▱▱▱▱ ~0/2,048 ctx;");
  info.is_on_this_machine = true;
  EXPECT_EQ(line(), "work/m; | ▱▱▱▱▱▱▱▱ ~0/2,048 ctx;");
  const ui::StatusBar bar = status_line(
      {.chat = chat_, .progress = progress_, .machine = machine_, .now = now_, .unloaded = true});
  EXPECT_EQ(bar.right.size(), 1U) << "its memory is its own";
}

}  // namespace
}  // namespace confab::app
