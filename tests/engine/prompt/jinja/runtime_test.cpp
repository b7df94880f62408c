// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"

namespace confab::engine::jinja {
namespace {

Limits limits(std::size_t steps, std::size_t work_bytes) {
  return {steps, work_bytes};
}

TEST(Runtime, CountsSteps) {
  Runtime runtime(limits(3, 0), {});
  runtime.step(3);
  runtime.at(7);
  EXPECT_THAT([&] { runtime.step(); },
              testing::ThrowsMessage<ModelError>(testing::StartsWith("line 7: ")));
}

TEST(Runtime, CountsWork) {
  Runtime runtime(limits(0, 100), {});
  runtime.work(100);
  EXPECT_THROW(runtime.work(1), ModelError);
}

TEST(Runtime, BoundsSizes) {
  Runtime runtime(limits(1, std::size_t{1} << 40U), {});
  EXPECT_THROW(runtime.text(Text(std::string(kMaxTextBytes + 1, 'x'))), ModelError);
  EXPECT_THROW(runtime.list(std::vector<Value>(kMaxElements + 1)), ModelError);
  Value nested;
  for (int i = 0; i < kMaxNesting; ++i) nested = runtime.list({nested});
  EXPECT_EQ(nested.depth(), kMaxNesting);
  EXPECT_THROW(runtime.list({nested}), ModelError);
}

// A clock that a test sets, and that counts how often it was read.
struct TestClock {
  RenderWatch watch(std::stop_token stop = {}) {
    return {.stop = std::move(stop), .clock = [this] {
              ++n_read;
              return now;
            }};
  }
  std::chrono::nanoseconds now{0};
  int n_read = 0;
};

TEST(Runtime, EndsWhenItsTimeIsUp) {
  TestClock clock;
  Runtime runtime({.steps = 1'000'000, .time = std::chrono::seconds(2)}, {}, clock.watch());
  runtime.at(3);
  clock.now = std::chrono::seconds(2);
  for (int i = 0; i < 100'000; ++i) runtime.step();
  clock.now += std::chrono::nanoseconds(1);
  const auto go_on = [&] {
    for (int i = 0; i < 100'000; ++i) runtime.step();
  };
  EXPECT_THAT(go_on, testing::ThrowsMessage<ModelError>(
                         "line 3: the template runs too long: it may take 2.0 s"));
}

TEST(Runtime, EndsWhenItIsStopped) {
  std::stop_source source;
  TestClock clock;
  Runtime runtime({}, {}, clock.watch(source.get_token()));
  runtime.work(std::size_t{10} << 20U);
  source.request_stop();
  EXPECT_THROW(runtime.work(std::size_t{10} << 20U), Stopped);
}

TEST(Runtime, LooksAtTheClockOnceInSoMuchWork) {
  TestClock clock;
  Runtime runtime({}, {}, clock.watch());
  for (int i = 0; i < 100'000; ++i) {
    runtime.step();
    runtime.work(10);
  }
  EXPECT_GE(clock.n_read, 2);
  EXPECT_LE(clock.n_read, 20);
}

TEST(Runtime, CutsLongMessages) {
  const Runtime runtime(limits(1, 1), {});
  std::string message = "a";
  for (int i = 0; i < 1000; ++i) message += "\u00e9";
  try {
    runtime.fail(message);
  } catch (const ModelError& error) {
    EXPECT_EQ(std::string_view(error.what()), "line 1: " + message.substr(0, 999) + "...");
  }
}

TEST(Runtime, KnowsTheClassOfACharacter) {
  Runtime ascii(limits(0, 0), {});
  for (int c = 0; c < 128; ++c) {
    const std::string character(1, static_cast<char>(c));
    for (const CharClass char_class :
         {CharClass::alpha, CharClass::digit, CharClass::decimal, CharClass::numeric,
          CharClass::alnum, CharClass::upper, CharClass::lower, CharClass::printable}) {
      EXPECT_EQ(is_of_class(ascii, character, char_class), all_of_class(character, char_class))
          << c;
    }
  }
  Runtime other(limits(0, 1000), {});
  EXPECT_TRUE(is_of_class(other, "\u00e9", CharClass::alpha));
  EXPECT_THROW(ascii.work(1), ModelError);
  EXPECT_THROW(other.work(1000), ModelError);
}

TEST(Runtime, ErrorsAreOneLine) {
  const Runtime runtime(limits(1, 1), {});
  EXPECT_THAT([&] { runtime.fail("a\nb\x1b[31m"); },
              testing::ThrowsMessage<ModelError>("line 1: a b [31m"));
}

TEST(TextBuilderTest, KeepsMarks) {
  Runtime runtime({}, {});
  TextBuilder builder(runtime);
  EXPECT_TRUE(builder.empty());
  builder.append("a");
  builder.append(Text("bcd", 2), 1, 3);
  builder.append_times(Text("e", 3), 2);
  const Value value = std::move(builder).finish();
  EXPECT_EQ(value.text().view(), "acdee");
  EXPECT_THAT(value.text().marks(), testing::ElementsAre(Mark{1, 3, 2}, Mark{3, 5, 3}));
}

TEST(TextBuilderTest, BoundsTheLength) {
  Runtime runtime({.work_bytes = std::size_t{1} << 40U}, {});
  TextBuilder builder(runtime);
  builder.append(std::string(kMaxTextBytes, 'x'));
  builder.append("");
  EXPECT_THAT(
      [&] { builder.append("x"); },
      testing::ThrowsMessage<ModelError>("line 1: a string becomes longer than 16777216 bytes"));
  TextBuilder times(runtime);
  EXPECT_THROW(times.append_times(Text("xyz"), kMaxTextBytes), ModelError);
}

TEST(TextBuilderTest, CountsWhatItIsGiven) {
  Runtime runtime({.work_bytes = 1000}, {});
  TextBuilder builder(runtime);
  builder.append(std::string(900, 'x'));
  EXPECT_THROW(builder.append(std::string(100, 'x')), ModelError);
  Runtime empty({.work_bytes = 1000}, {});
  TextBuilder often(empty);
  const auto append_nothing = [&] {
    for (int i = 0; i < 1000; ++i) often.append("");
  };
  EXPECT_THROW(append_nothing(), ModelError);
}

}  // namespace
}  // namespace confab::engine::jinja
