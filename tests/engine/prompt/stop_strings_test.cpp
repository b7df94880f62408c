// SPDX-License-Identifier: MIT
#include "engine/prompt/stop_strings.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

struct Result {
  std::string text;
  bool stopped;
  bool operator==(const Result&) const = default;
};

// Feeds `bytes` in pieces of n bytes.
Result run(std::vector<std::string> strings, std::string_view bytes, std::size_t n) {
  StopStrings stop(std::move(strings));
  Result result{"", false};
  for (std::size_t at = 0; at < bytes.size() && !result.stopped; at += n) {
    result.stopped = stop.push(bytes.substr(at, n), result.text);
  }
  stop.finish(result.text);
  return result;
}

struct Case {
  std::vector<std::string> strings;
  std::string bytes;
  Result want;
};

TEST(StopStringsTest, EndsBeforeTheFirstStringForEveryCut) {
  const Case cases[] = {
      {{}, "all of it", {"all of it", false}},
      {{""}, "empty ones never match", {"empty ones never match", false}},
      {{"User:"}, "Hello.\nUser: next", {"Hello.\n", true}},
      {{"User:"}, "User", {"User", false}},
      {{"aab"}, "aaaab", {"aa", true}},         // the start of a match inside a near match
      {{"abcd", "bc"}, "xabcd", {"xa", true}},  // "bc" is complete first
      {{"bc", "abc"}, "xabc", {"x", true}},     // of two complete ones the longest
      {{"\xE2\x82\xAC"}, "1 \xE2\x82\xAC", {"1 ", true}},
      {{"###", "\n\n"}, "a#b##c\n\nd", {"a#b##c", true}},
      {{std::string("\0", 1)}, std::string("a\0b", 3), {"a", true}},
  };
  for (const Case& c : cases) {
    for (std::size_t n = 1; n <= c.bytes.size(); ++n) {
      EXPECT_EQ(run(c.strings, c.bytes, n).text, c.want.text) << c.bytes << " by " << n;
      EXPECT_EQ(run(c.strings, c.bytes, n).stopped, c.want.stopped) << c.bytes << " by " << n;
    }
  }
}

TEST(StopStringsTest, HoldsBackOnlyWhatMayBeAStopString) {
  StopStrings stop({"\nUser:"});
  std::string text;
  EXPECT_FALSE(stop.push("one\nUs", text));
  EXPECT_EQ(text, "one");
  EXPECT_FALSE(stop.push("eful\n", text));
  EXPECT_EQ(text, "one\nUseful");
  stop.finish(text);
  EXPECT_EQ(text, "one\nUseful\n");
}

}  // namespace
}  // namespace confab::engine
