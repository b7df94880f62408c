// SPDX-License-Identifier: MIT
#include "ui/terminal/frame_scroll.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace confab::ui {
namespace {

Frame frame_of(const std::vector<std::string>& lines) {
  Frame frame(Rows{static_cast<int>(lines.size())}, Cols{30});
  for (int row = 0; row < static_cast<int>(lines.size()); ++row)
    frame.write({Rows{row}, Cols{0}}, lines[static_cast<std::size_t>(row)], {});
  return frame;
}

std::string line(int n) {
  return "this is line number " + std::to_string(n);
}

TEST(FrameScrollTest, FindsTheBlockThatMoved) {
  const Frame shown = frame_of({"title", line(1), line(2), line(3), line(4), "status"});
  EXPECT_EQ(find_scroll(shown, frame_of({"title", line(3), line(4), line(5), line(6), "status"})),
            (FrameScroll{.top = 1, .bottom = 5, .up = 2}));
  EXPECT_EQ(find_scroll(shown, frame_of({"title", line(0), line(1), line(2), line(3), "status"})),
            (FrameScroll{.top = 1, .bottom = 5, .up = -1}));
}

TEST(FrameScrollTest, NothingIsFoundWhereItWouldNotPay) {
  const Frame shown = frame_of({line(1), line(2), line(3), line(4)});
  EXPECT_EQ(find_scroll(shown, shown), std::nullopt);
  EXPECT_EQ(find_scroll(shown, frame_of({line(1), line(2), line(4), line(4)})), std::nullopt);
  EXPECT_EQ(find_scroll(frame_of({"a", "b", "c", "d"}), frame_of({"b", "c", "d", "e"})),
            std::nullopt);
  EXPECT_EQ(find_scroll(shown, frame_of({line(7), line(8), line(9), line(10)})), std::nullopt);
}

TEST(FrameScrollTest, StylesAreAPartOfARow) {
  const Frame shown = frame_of({line(1), line(2), line(3), line(4)});
  Frame next(Rows{4}, Cols{30});
  for (int row = 0; row < 4; ++row) next.write({Rows{row}, Cols{0}}, line(row + 2), {.bold = true});
  EXPECT_EQ(find_scroll(shown, next), std::nullopt);
}

TEST(FrameScrollTest, AFrameWithoutRowsIsFine) {
  EXPECT_EQ(find_scroll(Frame(Rows{0}, Cols{0}), Frame(Rows{0}, Cols{0})), std::nullopt);
}

}  // namespace
}  // namespace confab::ui
