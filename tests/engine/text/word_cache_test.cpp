// SPDX-License-Identifier: MIT
#include "engine/text/word_cache.h"

#include <gmock/gmock.h>

#include <string>

namespace confab::engine {
namespace {

using testing::ElementsAre;

TEST(WordCacheTest, RepeatedWordsAreEncodedOnce) {
  std::vector<Token> out{99};
  WordCache cache(1 << 20, out);
  int n_encoded = 0;
  const auto encode = [&](std::string_view word) {
    ++n_encoded;
    for (const char c : word) out.push_back(c);
  };
  for (const char* word : {"ab", "c", "ab", "ab", "c"}) cache.append(word, encode);
  EXPECT_THAT(out, ElementsAre(99, 'a', 'b', 'c', 'a', 'b', 'a', 'b', 'c'));
  EXPECT_EQ(n_encoded, 2);
}

TEST(WordCacheTest, ShortTextsAndLongWordsAreNotKept) {
  std::vector<Token> out;
  int n_encoded = 0;
  const auto encode = [&](std::string_view) {
    ++n_encoded;
    out.push_back(1);
  };
  WordCache small(100, out);
  small.append("ab", encode);
  small.append("ab", encode);
  WordCache large(1 << 20, out);
  large.append(std::string(24, 'x'), encode);
  large.append(std::string(24, 'x'), encode);
  EXPECT_EQ(n_encoded, 4);
}

// More words than entries: some share one, and none is taken for another.
TEST(WordCacheTest, ManyWordsAreKeptApart) {
  std::vector<Token> out;
  WordCache cache(1 << 20, out);
  std::vector<Token> want;
  for (int i = 0; i < 60000; ++i) {
    const int word = (i * 7919) % 20011;
    cache.append(std::to_string(word), [&](std::string_view) {
      out.push_back(word);
      out.push_back(-word);
    });
    want.push_back(word);
    want.push_back(-word);
  }
  EXPECT_EQ(out, want);
}

TEST(WordCacheTest, WordsWithoutIdsStayWithout) {
  std::vector<Token> out;
  WordCache cache(1 << 20, out);
  for (int i = 0; i < 3; ++i) cache.append("x", [](std::string_view) {});
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace confab::engine
