// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/text_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/error.h"

namespace confab::engine::jinja {
namespace {

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
