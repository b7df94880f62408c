// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
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

TEST(Runtime, ErrorsAreOneLine) {
  const Runtime runtime(limits(1, 1), {});
  EXPECT_THAT([&] { runtime.fail("a\nb\x1b[31m"); },
              testing::ThrowsMessage<ModelError>("line 1: a b [31m"));
}

}  // namespace
}  // namespace confab::engine::jinja
