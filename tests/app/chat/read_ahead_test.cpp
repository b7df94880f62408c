// SPDX-License-Identifier: MIT
#include "app/chat/prompt_size.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

std::string words(std::size_t n_bytes) {
  std::string text;
  while (text.size() < n_bytes) text += "abcd ";
  return text.substr(0, n_bytes);
}

TEST(ReadAheadTest, AShortDraftIsNotWorthIt) {
  EXPECT_FALSE(settled_part("", ""));
  EXPECT_FALSE(settled_part("why is the sky", ""));
  EXPECT_FALSE(settled_part(std::string(1000, 'x'), ""));  // one word: it may still change
}

TEST(ReadAheadTest, EndsBeforeTheWordThatIsBeingTyped) {
  EXPECT_EQ(settled_part(words(400) + " unfini", ""), words(400));
  EXPECT_EQ(settled_part(words(400) + "\n", ""), words(400));
}

TEST(ReadAheadTest, GoesOnByLargeSteps) {
  const std::string prepared = words(400);
  EXPECT_FALSE(settled_part(prepared + words(kReadAheadStep - 10) + " x", prepared));
  EXPECT_TRUE(settled_part(prepared + words(kReadAheadStep) + " x", prepared));
  EXPECT_FALSE(settled_part(prepared.substr(0, 300), prepared));  // it has more already
}

TEST(ReadAheadTest, AnEditCountsFromWhereItWasMade) {
  const std::string prepared = words(1000);
  std::string edited = prepared;
  edited[900] = '#';
  EXPECT_FALSE(settled_part(edited + " x", prepared));
  edited[500] = '#';
  EXPECT_EQ(settled_part(edited + " x", prepared), edited);
}

}  // namespace
}  // namespace confab::app
