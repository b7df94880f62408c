// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_keys.h"

#include <gtest/gtest.h>

#include <string>

#include "ui/transcript/transcript_view.h"

namespace confab::ui {
namespace {

TEST(TranscriptKeysTest, EachKeyScrollsItsWay) {
  Transcript said;
  TranscriptView view(said);
  for (int i = 0; i < 20; ++i) said.add_answer(std::to_string(i));
  const auto top = [&view] {
    Frame frame(Rows{5}, Cols{20});
    view.draw(frame, Rows{0}, Rows{5});
    return frame.to_text().substr(0, frame.to_text().find('\n'));
  };
  EXPECT_EQ(top(), "  17");
  const std::pair<Command, const char*> steps[] = {
      {Command::line_up, ""},       {Command::line_down, "  17"}, {Command::page_up, "  15"},
      {Command::page_down, "  17"}, {Command::wheel_up, ""},      {Command::to_top, "  0"},
      {Command::wheel_down, ""},    {Command::to_bottom, "  17"}};
  for (const auto& [command, shown] : steps) {
    EXPECT_TRUE(scroll(view.window(), command));
    EXPECT_EQ(top(), shown) << static_cast<int>(command);
  }
}

TEST(TranscriptKeysTest, OtherCommandsAreOthers) {
  Transcript said;
  TranscriptView view(said);
  EXPECT_FALSE(scroll(view.window(), Command::interrupt));
  EXPECT_FALSE(scroll(view.window(), Command::focus));
}

}  // namespace
}  // namespace confab::ui
