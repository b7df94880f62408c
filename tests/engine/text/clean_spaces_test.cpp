// SPDX-License-Identifier: MIT
#include "engine/text/clean_spaces.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(CleanSpacesTest, BeforePunctuation) {
  EXPECT_EQ(clean_spaces("Hello , world ! Really ? Yes ."), "Hello, world! Really? Yes.");
  EXPECT_EQ(clean_spaces("two  ."), "two .");
  EXPECT_EQ(clean_spaces(" : ;"), " : ;");
}

TEST(CleanSpacesTest, Contractions) {
  EXPECT_EQ(clean_spaces("it 's I 'm we 're they 've"), "it's I'm we're they've");
  EXPECT_EQ(clean_spaces("I 'd don 't we 'll"), "I 'd don 't we 'll");  // as llama.cpp leaves them
}

TEST(CleanSpacesTest, LoneApostrophe) {
  EXPECT_EQ(clean_spaces("a ' b"), "a'b");
}

TEST(CleanSpacesTest, LeavesTheRest) {
  for (const char* text : {"", " ", "  ", "'s", ".", "a b\n c\t", "'", " '"}) {
    EXPECT_EQ(clean_spaces(text), text);
  }
}

}  // namespace
}  // namespace confab::engine
