// SPDX-License-Identifier: MIT
#include "ui/transcript/overlay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace confab::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

class OverlayTest : public testing::Test {
 protected:
  static std::string text() {
    std::string all = "Commands:\n";
    for (int i = 1; i <= 20; ++i) all += "/command" + std::to_string(i) + "   does it\n";
    return all;
  }
  Overlay::Outcome press(Key::Code code) { return overlay_.feed({.code = code}); }
  void type(std::string_view letters) {
    for (const char c : letters) overlay_.feed({.character = static_cast<char32_t>(c)});
  }
  std::string screen(int rows = 8, int cols = 60) {
    Frame frame(Rows{rows}, Cols{cols});
    overlay_.draw(frame);
    return frame.to_text();
  }
  Overlay overlay_{"Help", text()};
};

TEST_F(OverlayTest, ShowsItsBeginningAndScrolls) {
  EXPECT_THAT(screen(), HasSubstr("  Commands:\n  /command1   does it\n"));
  EXPECT_THAT(screen(), HasSubstr("6/21"));
  press(Key::Code::down);
  EXPECT_THAT(screen(), Not(HasSubstr("Commands:")));
  press(Key::Code::end);
  EXPECT_THAT(screen(), HasSubstr("/command20 "));
  EXPECT_THAT(screen(), HasSubstr("21/21"));
  press(Key::Code::down);
  press(Key::Code::page_up);
  EXPECT_THAT(screen(), HasSubstr("/command10 "));
  press(Key::Code::home);
  EXPECT_THAT(screen(), HasSubstr("Commands:"));
}

TEST_F(OverlayTest, TypingLooksForWords) {
  screen();
  type("command1");
  EXPECT_THAT(screen(), HasSubstr("1 of 11"));
  press(Key::Code::enter);
  EXPECT_THAT(screen(), HasSubstr("2 of 11"));
  EXPECT_THAT(screen(), HasSubstr("/command10"));
  type("99");
  EXPECT_THAT(screen(), HasSubstr("not found"));
  EXPECT_EQ(press(Key::Code::escape), Overlay::Outcome::open);
  EXPECT_THAT(screen(), HasSubstr("type to search"));
  EXPECT_EQ(press(Key::Code::escape), Overlay::Outcome::left);
}

TEST_F(OverlayTest, EnterAndControlCLeaveIt) {
  EXPECT_EQ(press(Key::Code::enter), Overlay::Outcome::left);
  type("x");
  EXPECT_EQ(overlay_.feed({.character = U'c', .ctrl = true}), Overlay::Outcome::left);
}

TEST_F(OverlayTest, NothingHostileIsDrawnAtAnySize) {
  Overlay overlay("\x1b[2J", "\x1b[2J\xc2\x9b\nwords that are wrapped, 界界界\n");
  for (const int rows : {1, 2, 3, 4, 24})
    for (const int cols : {1, 2, 7, 8, 80}) {
      Frame frame(Rows{rows}, Cols{cols});
      overlay.draw(frame);
      EXPECT_EQ(frame.to_text().find('\x1b'), std::string::npos);
      overlay.feed({.code = Key::Code::page_down});
    }
}

}  // namespace
}  // namespace confab::ui
