// SPDX-License-Identifier: MIT
#include "ui/terminal/frame_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "tests/ui/capabilities_fixture.h"
#include "tests/ui/escape_scanner.h"
#include "tests/ui/vt_screen.h"
#include "ui/terminal/pen.h"

namespace confab::ui {
namespace {

Capabilities everything() {
  Capabilities can = able_terminal();
  can.ambiguous_is_narrow = true;
  return can;
}

// A VT100: no more than the writer needs.
Capabilities little() {
  return {.bold = true, .underline = true, .reverse = true, .erase_line = true};
}

Theme colored_theme() {
  Theme theme = default_theme();
  for (std::size_t i = 1; i < kRoleCount; ++i) {
    Look& look = theme.looks[i];
    const auto shade = static_cast<std::uint8_t>(i * 6);
    if (i % 2 == 0) look.fg = rgb(shade, 20, 200);
    if (i % 3 == 0) look.bg = indexed(static_cast<std::uint8_t>(i));
    if (i % 5 == 0) look.bg = indexed(static_cast<std::uint8_t>(200 + i));
  }
  return theme;
}

Frame frame_of(std::initializer_list<std::string_view> lines, int cols = 40) {
  Frame frame(Rows{static_cast<int>(lines.size())}, Cols{cols});
  int row = 0;
  for (const std::string_view line : lines) frame.write({Rows{row++}, Cols{0}}, line, {});
  return frame;
}

std::string update(const Frame& shown, const Frame& next, const Capabilities& can = everything()) {
  std::string bytes = write_frame(&shown, next, can, default_theme());
  EXPECT_EQ(foreign_sequence(bytes), std::nullopt) << testing::PrintToString(bytes);
  constexpr std::string_view kOn = "\x1b[?2026h", kOff = "\x1b[?2026l";
  if (!can.synchronized || bytes.empty()) return bytes;
  EXPECT_TRUE(bytes.starts_with(kOn) && bytes.ends_with(kOff)) << testing::PrintToString(bytes);
  return bytes.substr(kOn.size(), bytes.size() - kOn.size() - kOff.size());
}

TEST(FrameWriterTest, NothingIsWrittenWhenNothingDiffers) {
  Frame frame = frame_of({"one", "two"});
  EXPECT_EQ(update(frame, frame), "");
  frame.cursor = Point{Rows{1}, Cols{1}};
  EXPECT_EQ(update(frame, frame), "");
}

TEST(FrameWriterTest, OneCharacterCostsItsMoveAndItself) {
  EXPECT_EQ(update(frame_of({"", "progress 41%"}), frame_of({"", "progress 42%"})), "\x1b[2;11H2");
}

TEST(FrameWriterTest, FromTheCursorTheShortestWayIsTaken) {
  Frame shown = frame_of({"> hell", ""});
  shown.cursor = Point{Rows{0}, Cols{6}};
  Frame next = frame_of({"> hello", ""});
  next.cursor = Point{Rows{0}, Cols{7}};
  Capabilities can = everything();
  can.synchronized_known = true;
  EXPECT_EQ(update(shown, next, can), "o");
  EXPECT_EQ(update(next, shown, can), "\b \b");
}

TEST(FrameWriterTest, TheCursorIsHiddenMeanwhileUnlessOutputIsSynchronised) {
  Frame shown = frame_of({"a", "b"});
  shown.cursor = Point{Rows{0}, Cols{0}};
  Frame next = frame_of({"a", "c"});
  next.cursor = shown.cursor;
  EXPECT_EQ(update(shown, next), "\x1b[?25l\nc\x1b[H\x1b[?25h");
  next.cursor.reset();
  EXPECT_EQ(update(shown, next), "\x1b[?25l\nc");
}

TEST(FrameWriterTest, RunsWithASmallGapAreJoined) {
  EXPECT_EQ(update(frame_of({"a-b-c"}), frame_of({"x-y-z"})), "\x1b[Hx-y-z");
}

TEST(FrameWriterTest, TheRestOfALineIsErased) {
  EXPECT_EQ(update(frame_of({"a long line of text"}), frame_of({"a"})), "\x1b[1;3H\x1b[K");
}

TEST(FrameWriterTest, WhereErasingLeavesNoColorBlanksAreWritten) {
  const Frame shown = frame_of({"a long line of text"}, 20);
  Frame next(Rows{1}, Cols{20});
  next.fill(Rows{0}, {.role = Role::heading});
  Theme theme = default_theme();
  theme.looks[static_cast<std::size_t>(Role::heading)] = {.bg = indexed(4)};
  Capabilities can = everything();
  EXPECT_NE(write_frame(&shown, next, can, theme).find("\x1b[44m\x1b[K"), std::string::npos);
  can.erases_in_color = false;
  EXPECT_NE(write_frame(&shown, next, can, theme).find(std::string(20, ' ')), std::string::npos);
}

TEST(FrameWriterTest, MovedRowsAreScrolledByTheTerminal) {
  const Frame shown = frame_of({"title that stays", "first line of many", "second line of many",
                                "third line of many", "fourth line of many", "status"});
  const Frame up = frame_of({"title that stays", "second line of many", "third line of many",
                             "fourth line of many", "fifth line", "status"});
  EXPECT_EQ(update(shown, up), "\x1b[2;5r\x1b[5H\n\x1b[r\x1b[5Hfifth line");
  const Frame down = frame_of({"title that stays", "zero", "first line of many",
                               "second line of many", "third line of many", "status"});
  EXPECT_EQ(update(shown, down), "\x1b[2;5r\x1b[2H\x1bM\x1b[r\x1b[2Hzero");
}

TEST(FrameWriterTest, LinksHaveAnIdAndOnlyHarmlessTargets) {
  const Frame shown(Rows{1}, Cols{20});
  Frame next(Rows{1}, Cols{20});
  next.write({Rows{0}, Cols{0}}, "ab", {}, "https://example.org/a;b?\x1b]\a");
  next.write({Rows{0}, Cols{2}}, "c", {}, "javascript:alert(1)");
  const std::string out = update(shown, next);
  EXPECT_NE(out.find(";https://example.org/a;b?%1B]%07\x1b\\ab\x1b]8;;\x1b\\c"), std::string::npos)
      << testing::PrintToString(out);
  EXPECT_EQ(out.find("javascript"), std::string::npos);
}

TEST(FrameWriterTest, TheCursorIsPlacedAnewAfterADisputedWidth) {
  const Frame shown(Rows{1}, Cols{20});
  Frame next(Rows{1}, Cols{20});
  next.write({Rows{0}, Cols{0}}, "a👩‍👩‍👧b", {});
  EXPECT_EQ(update(shown, next), "\x1b[Ha  \b\b👩‍👩‍👧\x1b[4Gb\x1b[K");
}

TEST(FrameWriterTest, CellsThatCouldDriveTheTerminalAreReplaced) {
  const Frame shown(Rows{1}, Cols{8});
  Frame next(Rows{1}, Cols{8});
  next.write({Rows{0}, Cols{0}},
             "a\x9b"
             "31mb",
             {});
  const std::string out = update(shown, next);
  EXPECT_NE(out.find("a\uFFFD"), std::string::npos) << testing::PrintToString(out);
}

TEST(FrameWriterTest, SizesWithoutCellsAreFine) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {1, 0}, {0, 1}})
    EXPECT_EQ(foreign_sequence(write_frame(nullptr, Frame(Rows{rows}, Cols{cols}), everything(),
                                           default_theme())),
              std::nullopt);
}

// --- the emulated screen shows the frame

constexpr std::array<std::string_view, 16> kTexts = {
    "e\u0301", "ค้",      "a",    "word ", "   ",    "é",     "界", "日本語",
    "ab界cd",  "Привет", "…—“”", "👍",     "🙂ok", "─────", "x",  "status  line"};

constexpr int kClusters = 2;  // so many of them are

class RandomFrames {
 public:
  RandomFrames(unsigned seed, bool with_clusters)
      : rng_(seed), first_text_(with_clusters ? 0 : kClusters) {}

  int below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }

  Style style() {
    Style style{.role = static_cast<Role>(below(static_cast<int>(kRoleCount)))};
    style.bold = below(4) == 0;
    style.italic = below(4) == 0;
    style.underline = below(6) == 0;
    style.strike = below(6) == 0;
    return style;
  }

  // Another frame of this size, near the one before: edited, scrolled, or all new.
  Frame after(const Frame& before) {
    const int rows = before.rows().value, cols = before.cols().value;
    Frame next = before;
    if (below(4) == 0) next = shifted(before, below(7) - 3);
    const int n_edits = below(3) == 0 ? rows * 3 : below(4);
    for (int i = 0; i < n_edits; ++i) edit(next, rows, cols);
    next.cursor.reset();
    if (below(3) != 0) next.cursor = Point{Rows{below(rows)}, Cols{below(cols)}};
    return next;
  }

 private:
  void edit(Frame& frame, int rows, int cols) {
    const Rows row{below(rows)};
    if (below(8) == 0) {
      frame.fill(row, style());
      return;
    }
    const std::string_view link = below(5) == 0 ? "https://example.org/" : "";
    const int text = first_text_ + below(static_cast<int>(kTexts.size()) - first_text_);
    frame.write({row, Cols{below(cols)}}, kTexts[static_cast<std::size_t>(text)], style(), link);
  }

  static Frame shifted(const Frame& before, int by) {
    Frame next(before.rows(), before.cols());
    for (int row = 0; row < before.rows().value; ++row) {
      if (row + by < 0 || row + by >= before.rows().value) continue;
      for (int col = 0; col < before.cols().value; ++col) {
        const Cell& cell = before.at({Rows{row + by}, Cols{col}});
        next.write({Rows{row}, Cols{col}}, cell.text, cell.style, cell.link);
      }
    }
    return next;
  }

  std::mt19937 rng_;
  int first_text_;
};

// Of a blank only what is seen counts.
VtCell seen(VtCell cell) {
  cell.look.dim = false;
  const bool ink = cell.look.reverse || cell.look.underline || cell.look.strike;
  if (cell.text == " ") {
    cell.look.italic = false;
    if (!ink) cell.look.fg = {};
    if (!ink) cell.look.bold = false;
  }
  return cell;
}

void expect_shown(const Frame& frame, const VtScreen& screen, const Capabilities& can,
                  const Theme& theme) {
  Pen pen(can, theme);
  for (int row = 0; row < frame.rows().value; ++row) {
    for (int col = 0; col < frame.cols().value; ++col) {
      const Cell& cell = frame.at({Rows{row}, Cols{col}});
      const VtCell wanted{cell.text, pen.look(cell.style), can.links ? cell.link : ""};
      ASSERT_EQ(seen(screen.at(row, col)).text, cell.text) << row << ":" << col;
      ASSERT_EQ(seen(screen.at(row, col)), seen(wanted))
          << row << ":" << col << " role " << role_name(cell.style.role);
    }
  }
  EXPECT_EQ(screen.cursor_visible(), frame.cursor.has_value());
  if (frame.cursor) {
    EXPECT_EQ(screen.cursor(), *frame.cursor);
  }
}

void show_random_frames(unsigned seed, const Capabilities& can, std::string_view setup) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomFrames random(seed, can.stays_in_line);
  const Theme theme = colored_theme();
  VtScreen screen(24, 80);
  screen.feed(setup);
  std::optional<Frame> shown;
  for (int i = 0; i < 60 && !testing::Test::HasFatalFailure(); ++i) {
    if (!shown || random.below(15) == 0) {
      shown.reset();
      const int rows = 1 + random.below(12), cols = 1 + random.below(30);
      screen.resize(rows, cols);
      screen.feed(setup);
    }
    const Frame next =
        random.after(shown ? *shown : Frame(Rows{screen.rows()}, Cols{screen.cols()}));
    const int n_scrolled = screen.n_scrolled();
    const std::string bytes = write_frame(shown ? &*shown : nullptr, next, can, theme);
    ASSERT_EQ(foreign_sequence(bytes), std::nullopt);
    screen.feed(bytes);
    expect_shown(next, screen, can, theme);
    if (!can.scroll_region) {
      EXPECT_EQ(screen.n_scrolled(), n_scrolled);
    }
    shown = next;
  }
}

TEST(FrameWriterTest, TheScreenShowsRandomFramesInTrueColor) {
  for (unsigned seed = 1; seed <= 60; ++seed) show_random_frames(seed, everything(), "\x1b[?7l");
}

TEST(FrameWriterTest, TheScreenShowsRandomFramesInEachDepth) {
  for (const ColorDepth depth : {ColorDepth::none, ColorDepth::ansi16, ColorDepth::ansi256}) {
    Capabilities can = everything();
    can.depth = depth;
    can.links = depth != ColorDepth::none;
    can.ambiguous_is_narrow = false;
    for (unsigned seed = 1; seed <= 15; ++seed) show_random_frames(seed, can, "\x1b[?7l");
  }
}

TEST(FrameWriterTest, TheScreenShowsRandomFramesOnATerminalThatCanDoLittle) {
  for (unsigned seed = 1; seed <= 30; ++seed) show_random_frames(seed, little(), "\x1b[?7h");
}

// libvterm joins none of these, so each takes more columns on the screen than in the frame. All fit
// in the row even so: it goes on in the next row with a wide character, also where DECAWM is reset.
TEST(FrameWriterTest, WhatATerminalDoesNotJoinMovesNothingElse) {
  constexpr std::array<std::string_view, 5> kUnjoined = {"👩‍👩‍👧", "🏳️‍🌈",
                                                         "🇩🇪🇯🇵", "क्षि", "👍🏽👍"};
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomFrames random(seed, true);
    VtScreen screen(6, 16);
    screen.feed("\x1b[?7l");
    Frame shown(Rows{6}, Cols{16});
    for (int i = 0; i < 30; ++i) {
      Frame next = random.after(shown);
      const auto n = static_cast<int>(kUnjoined.size());
      for (int j = 0; j < 3; ++j)
        next.write({Rows{random.below(6)}, Cols{random.below(9)}},
                   kUnjoined[static_cast<std::size_t>(random.below(n))], {});
      screen.feed(write_frame(i == 0 ? nullptr : &shown, next, everything(), default_theme()));
      for (int row = 0; row < 6; ++row)
        for (int col = 0; col < 16; ++col) {
          const std::string& text = next.at({Rows{row}, Cols{col}}).text;
          const bool agreed = !text.empty() && width_agreement(text) != WidthAgreement::disputed;
          if (agreed) {
            ASSERT_EQ(screen.at(row, col).text, text) << row << ":" << col << " frame " << i;
          }
        }
      shown = next;
    }
  }
}

// Cells are in logical order: terminals turn right-to-left runs around themselves or not at all,
// and the controls that would steer them are filtered.
TEST(FrameWriterTest, RightToLeftTextIsInLogicalOrderAndMovesNothingElse) {
  Frame next(Rows{2}, Cols{20});
  next.write({Rows{0}, Cols{0}}, sanitize("│ \u202eשלום abc\u202c"), {});
  next.write({Rows{0}, Cols{19}}, "│", {});
  next.write({Rows{1}, Cols{0}}, "│ العَرَبِيّة", {});
  next.write({Rows{1}, Cols{19}}, "│", {});
  VtScreen screen(2, 20);
  const std::string bytes = write_frame(nullptr, next, everything(), default_theme());
  EXPECT_EQ(foreign_sequence(bytes), std::nullopt);
  screen.feed(bytes);
  EXPECT_EQ(screen.at(0, 3).text, "ש");
  EXPECT_EQ(screen.at(0, 6).text, "ם");
  EXPECT_EQ(screen.at(0, 8).text, "a");
  for (int row = 0; row < 2; ++row) EXPECT_EQ(screen.at(row, 19).text, "│");
}

constexpr Capabilities kAbsolute{.absolute_column = true, .absolute_row = true};

Point at(int row, int col) {
  return {Rows{row}, Cols{col}};
}

TEST(CursorMotionTest, IsTheShortest) {
  EXPECT_EQ(cursor_motion({5, 5}, at(5, 5), {}), "");
  EXPECT_EQ(cursor_motion({}, at(0, 0), {}), "\x1b[H");
  EXPECT_EQ(cursor_motion({}, at(4, 0), {}), "\x1b[5H");
  EXPECT_EQ(cursor_motion({}, at(4, 9), {}), "\x1b[5;10H");
  EXPECT_EQ(cursor_motion({5, 9}, at(6, 0), {}), "\n\r");
  EXPECT_EQ(cursor_motion({5, 9}, at(5, 8), {}), "\b");
  EXPECT_EQ(cursor_motion({5, 9}, at(5, 10), {}), "\x1b[C");
  EXPECT_EQ(cursor_motion({5, {}}, at(5, 30), kAbsolute), "\x1b[31G");
  EXPECT_EQ(cursor_motion({5, {}}, at(5, 30), {}), "\r\x1b[30C");
  EXPECT_EQ(cursor_motion({{}, 30}, at(15, 30), kAbsolute), "\x1b[16d");
}

TEST(CursorMotionTest, LeadsFromEverywhereToEverywhere) {
  constexpr int kRows = 7, kCols = 12;
  VtScreen screen(kRows, kCols);
  for (const Capabilities& can : {Capabilities{}, kAbsolute}) {
    for (int from = 0; from < kRows * kCols; ++from) {
      for (int to = 0; to < kRows * kCols; ++to) {
        screen.feed(cursor_motion({}, at(from / kCols, from % kCols), can));
        const CursorAt known{from / kCols, from % kCols};
        screen.feed(cursor_motion(known, at(to / kCols, to % kCols), can));
        ASSERT_EQ(screen.cursor(), at(to / kCols, to % kCols)) << from;
      }
    }
  }
  EXPECT_EQ(screen.n_scrolled(), 0);
}

// Also where there are not enough rows below: the way back is as long.
TEST(CursorMotionTest, IsRelativeWhereTheRowIsNotKnown) {
  EXPECT_EQ(relative_motion({3, 4}, at(3, 4), kAbsolute), "");
  EXPECT_EQ(relative_motion({3, 4}, at(0, 0), kAbsolute), "\x1b[3A\r");
  VtScreen screen(4, 12);
  screen.feed("\x1b[3;2Htop");
  screen.feed(relative_motion({0, 4}, at(3, 6), kAbsolute) + "x");
  screen.feed(relative_motion({3, {}}, at(0, 3), kAbsolute));
  EXPECT_EQ(screen.cursor(), at(0, 3));
  EXPECT_EQ(screen.to_text(), " top\n\n\n      x\n");
}

Frame rows_of(const std::vector<std::string>& lines) {
  Frame frame(Rows{static_cast<int>(lines.size())}, Cols{30});
  for (int row = 0; row < static_cast<int>(lines.size()); ++row)
    frame.write({Rows{row}, Cols{0}}, lines[static_cast<std::size_t>(row)], {});
  return frame;
}

std::string line(int n) {
  return "this is line number " + std::to_string(n);
}

TEST(FrameScrollTest, FindsTheBlockThatMoved) {
  const Frame shown = rows_of({"title", line(1), line(2), line(3), line(4), "status"});
  EXPECT_EQ(find_scroll(shown, rows_of({"title", line(3), line(4), line(5), line(6), "status"})),
            (FrameScroll{.top = 1, .bottom = 5, .up = 2}));
  EXPECT_EQ(find_scroll(shown, rows_of({"title", line(0), line(1), line(2), line(3), "status"})),
            (FrameScroll{.top = 1, .bottom = 5, .up = -1}));
}

TEST(FrameScrollTest, NothingIsFoundWhereItWouldNotPay) {
  const Frame shown = rows_of({line(1), line(2), line(3), line(4)});
  EXPECT_EQ(find_scroll(shown, shown), std::nullopt);
  EXPECT_EQ(find_scroll(shown, rows_of({line(1), line(2), line(4), line(4)})), std::nullopt);
  EXPECT_EQ(find_scroll(rows_of({"a", "b", "c", "d"}), rows_of({"b", "c", "d", "e"})),
            std::nullopt);
  EXPECT_EQ(find_scroll(shown, rows_of({line(7), line(8), line(9), line(10)})), std::nullopt);
}

TEST(FrameScrollTest, StylesAreAPartOfARow) {
  const Frame shown = rows_of({line(1), line(2), line(3), line(4)});
  Frame next(Rows{4}, Cols{30});
  for (int row = 0; row < 4; ++row) next.write({Rows{row}, Cols{0}}, line(row + 2), {.bold = true});
  EXPECT_EQ(find_scroll(shown, next), std::nullopt);
}

TEST(FrameScrollTest, AFrameWithoutRowsIsFine) {
  EXPECT_EQ(find_scroll(Frame(Rows{0}, Cols{0}), Frame(Rows{0}, Cols{0})), std::nullopt);
}

}  // namespace
}  // namespace confab::ui
