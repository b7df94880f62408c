// SPDX-License-Identifier: MIT
#include "app/chat/welcome.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

TEST(WelcomeTest, FitsOnOneLineAndNamesTheFlag) {
  EXPECT_LE(demo_welcome().size(), 80U);
  EXPECT_EQ(demo_welcome().find('\n'), std::string::npos);
  EXPECT_NE(demo_welcome().find("-m "), std::string::npos);
  EXPECT_NE(demo_welcome().find("wrong"), std::string::npos);
}

TEST(WelcomeTest, AFullContextSaysWhatToDo) {
  EXPECT_NE(context_full_text(8192).find("8192"), std::string::npos);
  EXPECT_NE(context_full_text(8192).find("-c"), std::string::npos);
}

TEST(WelcomeTest, AQuestionThatIsTooLongSaysWhatToDo) {
  const std::string text = too_long_text("prompt: too long");
  for (const char* part : {"prompt: too long", "/forget", "/compact", "-c"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace confab::app
