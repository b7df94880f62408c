// SPDX-License-Identifier: MIT
#include "ui/terminal/inline_screen.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/ui/capabilities_fixture.h"
#include "tests/ui/terminal/reflow_screen.h"
#include "tests/ui/vt_screen.h"

namespace confab::ui {
namespace {

Frame live_part(const std::vector<std::string>& rows, int cols) {
  Frame frame(Rows{static_cast<int>(rows.size())}, Cols{cols});
  for (std::size_t i = 0; i < rows.size(); ++i)
    frame.write({Rows{static_cast<int>(i)}, Cols{0}}, rows[i], {});
  frame.cursor = Point{Rows{static_cast<int>(rows.size()) - 1}, Cols{1}};
  return frame;
}

std::vector<Line> printed(const std::vector<std::string>& texts) {
  std::vector<Line> lines;
  for (const std::string& text : texts) lines.push_back({{{text, {.role = Role::user}}}});
  return lines;
}

class InlineScreenTest : public testing::Test {
 protected:
  InlineScreenTest() { vt_.feed("\n"); }
  void show(const std::vector<std::string>& lines, const std::vector<std::string>& live) {
    vt_.feed(screen_.show(printed(lines), live_part(live, 10), can_, default_theme()));
  }
  Capabilities can_ = able_terminal();
  VtScreen vt_{6, 10};
  InlineScreen screen_;
};

TEST_F(InlineScreenTest, TheLivePartStandsBelowWhatIsPrinted) {
  vt_.feed("\x1b[H$ confab\r\n");
  show({}, {"-----", "> a"});
  EXPECT_EQ(vt_.to_text(), "$ confab\n-----\n> a\n\n\n\n");
  show({"one", "two"}, {"-----", "> ab"});
  EXPECT_EQ(vt_.to_text(), "$ confab\none\ntwo\n-----\n> ab\n\n");
  EXPECT_EQ(vt_.cursor(), (Point{Rows{4}, Cols{1}}));
}

TEST_F(InlineScreenTest, WhatIsPrintedScrollsIntoTheTerminalsOwnMemory) {
  show({"one", "two"}, {"-----", "> a"});
  show({"three", "four", "five"}, {"-----", "> a"});
  EXPECT_EQ(vt_.to_text(), "two\nthree\nfour\nfive\n-----\n> a\n");
  EXPECT_EQ(vt_.n_scrolled(), 2);
}

TEST_F(InlineScreenTest, ALivePartThatGrowsPushesUpAndOneThatShrinksLeavesBlanks) {
  show({"one", "two"}, {"-----", "> a"});
  show({}, {"tail", "-----", "> a", "> b"});
  EXPECT_EQ(vt_.to_text(), "one\ntwo\ntail\n-----\n> a\n> b\n");
  show({}, {"-----", "> a"});
  EXPECT_EQ(vt_.to_text(), "one\ntwo\n-----\n> a\n\n\n");
}

TEST_F(InlineScreenTest, WhatIsPrintedAndWhatIsLiveAreSynchronisedAsOne) {
  const std::string bytes =
      screen_.show(printed({"one"}), live_part({"> a"}, 10), can_, default_theme());
  EXPECT_TRUE(bytes.starts_with("\x1b[?2026h"));
  EXPECT_TRUE(bytes.ends_with("\x1b[?2026l"));
  EXPECT_EQ(bytes.find("\x1b[?2026", 1), bytes.size() - 8);
}

TEST_F(InlineScreenTest, NothingIsWrittenForNothingNew) {
  show({}, {"> a"});
  EXPECT_EQ(screen_.show({}, live_part({"> a"}, 10), can_, default_theme()), "");
}

// tmux puts what is erased so into its memory: a copy each time that the size changes.
TEST_F(InlineScreenTest, TheScreenIsNeverErasedAsAWhole) {
  vt_.feed("\x1b[H");
  InlineScreen screen;
  const Frame live = live_part({"a", "b", "c", "d", "-----", "> a"}, 10);
  std::string bytes = screen.show({}, live, can_, default_theme());
  screen.resized(Cols{10});
  bytes += screen.show({}, live, can_, default_theme());
  bytes += screen.show(printed({"one"}), live_part({"> a"}, 10), can_, default_theme());
  bytes += screen.clear();
  for (const char* home : {"\x1b[H\x1b[J", "\x1b[1;1H\x1b[J", "\x1b[2J"})
    EXPECT_EQ(bytes.find(home), std::string::npos) << testing::PrintToString(bytes);
  vt_.feed(bytes);
  EXPECT_EQ(vt_.to_text(), "one\n\n\n\n\n\n");
}

TEST_F(InlineScreenTest, ClearingLeavesWhatWasPrinted) {
  show({"one"}, {"-----", "> a"});
  vt_.feed(screen_.clear());
  EXPECT_EQ(vt_.to_text(), "\none\n\n\n\n\n");
  EXPECT_EQ(vt_.cursor(), (Point{Rows{2}, Cols{0}}));
}

TEST_F(InlineScreenTest, WhatIsPrintedCanMakeRoomForAnotherPicture) {
  show({"one", "two"}, {"-----", "> a"});
  vt_.feed(screen_.scroll_away(Rows{6}));
  EXPECT_EQ(vt_.to_text(), "\n\n\n\n\n\n");
  EXPECT_EQ(vt_.n_scrolled(), 3) << "with the row above, but without the live part";
  vt_.feed("\x1b[2Hpicture\x1b[H");
  vt_.feed(screen_.clear());
  show({"three"}, {"> a"});
  EXPECT_EQ(vt_.to_text(), "three\n> a\n\n\n\n\n");
}

TEST_F(InlineScreenTest, GoesOnBelowWhatAnotherProgramWrote) {
  show({"one"}, {"-----", "> a"});
  vt_.feed(screen_.clear());
  vt_.feed("$ fg\r\n");
  for (int times = 0; times < 2; ++times) {  // as SIGCONT tells once more
    screen_.resized(Cols{10});
    show({}, {"-----", "> a"});
    EXPECT_EQ(vt_.to_text(), "\none\n$ fg\n-----\n> a\n\n");
  }
}

TEST_F(InlineScreenTest, ANarrowerScreenMovesTheLivePartWithItsCursor) {
  show({"one"}, {"----------", "> a"});
  // As a terminal that breaks the rule's ten columns into two rows leaves the cursor.
  screen_.resized(Cols{5});
  VtScreen narrow(6, 5);
  narrow.feed("\r\none\r\n-----\r\n-----\r\n> a");
  narrow.feed(screen_.show({}, live_part({"-----", "> a"}, 5), can_, default_theme()));
  EXPECT_EQ(narrow.to_text(), "\none\n-----\n> a\n\n\n");
}

TEST_F(InlineScreenTest, ANarrowerScreenThatCutsItsRowsOffLosesNothingElse) {
  show({"one"}, {"----------", "> a"});
  vt_.resize(6, 5);
  screen_.resized(std::nullopt);
  vt_.feed(screen_.show({}, live_part({"-----", "> a"}, 5), can_, default_theme()));
  EXPECT_EQ(vt_.to_text(), "\none\n-----\n> a\n\n\n");
}

// They have waited while the terminal took nothing, and it has become narrower meanwhile.
TEST_F(InlineScreenTest, LinesThatAreTooWideGoOnInTheNextRow) {
  show({"one two three", "4"}, {"> a"});
  EXPECT_EQ(vt_.to_text(), "\none two th\nree\n4\n> a\n\n");
}

// What was printed and what is live are always the last lines of the screen's memory, in order.
TEST_F(InlineScreenTest, RandomStepsKeepTheOrder) {
  std::mt19937 random(20261122);
  for (int run = 0; run < 50; ++run) {
    VtScreen vt(8, 10);
    vt.feed(std::string(random() % 8, '\n'));
    InlineScreen screen;
    std::vector<std::string> all;
    for (int step = 0; step < 40; ++step) {
      std::vector<std::string> lines, live;
      for (auto i = random() % 4 == 0 ? random() % 12 : random() % 3; i > 0; --i)
        lines.push_back("l" + std::to_string(all.size() + lines.size()));
      for (auto i = random() % 8 + 1; i > 0; --i) live.push_back("~" + std::to_string(i));
      vt.feed(screen.show(printed(lines), live_part(live, 10), can_, default_theme()));
      all.insert(all.end(), lines.begin(), lines.end());
      std::string want;
      for (const std::string& line : all) want += line + "\n";
      for (const std::string& line : live) want += line + "\n";
      std::string shown = vt.to_text();
      shown.erase(0, shown.find_first_not_of('\n'));
      shown.erase(shown.find_last_not_of('\n') + 1);
      shown += '\n';
      ASSERT_TRUE(want.ends_with(shown)) << "run " << run << " step " << step << "\n" << shown;
    }
  }
}

// A program and a terminal that do not agree on the width.
class InlineScreenReflowTest : public testing::Test {
 protected:
  InlineScreenReflowTest() {
    can_.links = false;
    terminal_.feed(printed_ + "\x1b[?7l");
  }
  void show(const std::vector<std::string>& lines) {
    // As while an answer comes: the cursor is a cell like others.
    Frame live = live_part(live_, told_);
    live.draw_cursor({.role = Role::selection});
    terminal_.feed(screen_.show(printed(lines), live, can_, default_theme()));
    for (const std::string& line : lines) printed_ += line + "\n";
  }
  void learn_width() {
    if (told_ != cols_) screen_.resized(Cols{cols_});
    told_ = cols_;
  }
  // What there would be if the program were told now.
  std::string all_in_the_end() const {
    ReflowScreen terminal = terminal_;
    InlineScreen screen = screen_;
    screen.resized(Cols{cols_});
    Frame live(Rows{1}, Cols{cols_});
    live.write({Rows{0}, Cols{0}}, "> a", {});
    terminal.feed(screen.show({}, live, can_, default_theme()));
    return terminal.all();
  }

  Capabilities can_ = able_terminal();
  int cols_ = 40;  // that the terminal has,
  int told_ = 40;  // and of which the program knows
  ReflowScreen terminal_{30, cols_};
  InlineScreen screen_;
  std::vector<std::string> live_;
  std::string printed_ = std::string(29, '\n');
};

// Any number of times: what was printed is in the terminal's memory once, and of what was live
// nothing but the last.
TEST_F(InlineScreenReflowTest, WhatWasDrawnForAnotherWidthLeavesNothing) {
  std::mt19937 random(16);
  for (int step = 0; step < 3000; ++step) {
    if (random() % 3 == 0) terminal_.resize(cols_ = 12 + static_cast<int>(random() % 60));
    if (random() % 2 == 0) learn_width();
    std::vector<std::string> lines;
    for (auto i = random() % 6; i < 2; ++i)
      lines.push_back("l" + std::to_string(step) + std::string(random() % 30, 'x'));
    if (random() % 4 == 0) live_.resize(random() % 3);
    live_.push_back("~" + std::string(random() % static_cast<unsigned>(told_), '~'));
    if (live_.size() > 4) live_.erase(live_.begin());
    show(lines);
    ASSERT_EQ(all_in_the_end(), printed_ + "> a\n") << "step " << step;
  }
}

// Where nothing is drawn before the program knows the width, the cursor can be the frame's.
TEST_F(InlineScreenReflowTest, ALivePartWithACursorIsFoundAtAnyWidth) {
  std::mt19937 random(61);
  for (int step = 0; step < 300; ++step) {
    terminal_.resize(cols_ = 12 + static_cast<int>(random() % 60));
    learn_width();
    const std::string rule(static_cast<std::size_t>(cols_), '-');
    const Frame live = live_part({rule, "> a", "> b"}, cols_);
    terminal_.feed(screen_.show({}, live, can_, default_theme()));
    ASSERT_EQ(terminal_.all(), printed_ + rule + "\n> a\n> b\n") << step;
  }
}

}  // namespace
}  // namespace confab::ui
