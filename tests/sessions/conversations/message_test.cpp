// SPDX-License-Identifier: MIT
#include "sessions/conversations/message.h"

#include <gtest/gtest.h>

namespace confab::sessions {
namespace {

TEST(MessageTest, NamesComeBack) {
  for (const Role role : {Role::system, Role::user, Role::assistant, Role::tool})
    EXPECT_EQ(role_of(name_of(role)), role);
  for (const MessageState state :
       {MessageState::draft, MessageState::done, MessageState::stopped, MessageState::error})
    EXPECT_EQ(state_of(name_of(state)), state);
  for (const Reading reading : {Reading::usual, Reading::pinned, Reading::dropped})
    EXPECT_EQ(reading_of(name_of(reading)), reading);
  EXPECT_EQ(name_of(Role::assistant), "assistant");  // as chat templates have it
  EXPECT_FALSE(role_of("robot"));
  EXPECT_FALSE(role_of(""));
  EXPECT_FALSE(state_of("Done"));
  EXPECT_FALSE(reading_of(""));
}

}  // namespace
}  // namespace confab::sessions
