// SPDX-License-Identifier: MIT
#include "app/cli/tool_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/error.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

std::string fault(const std::vector<std::string>& words) {
  try {
    parse_command_line(words, {});
  } catch (const UsageError& wrong) {
    return wrong.what();
  }
  return {};
}

TEST(QuantizeOptionsTest, FilesAndTypeAreRead) {
  const auto command = std::get<QuantizeCommand>(
      parse_command_line({"quantize", "a.gguf", "b.gguf", "Q4_K_M", "-t", "3"}, {}));
  EXPECT_EQ(command.in, "a.gguf");
  EXPECT_EQ(command.out, "b.gguf");
  EXPECT_EQ(command.n_threads, 3);
  EXPECT_EQ(command.type.name, "Q4_K_M");
}

TEST(QuantizeOptionsTest, WhatIsWrongIsNamed) {
  EXPECT_THAT(fault({"quantize", "a", "b", "Q9"}), HasSubstr("TYPE must be one of"));
  EXPECT_THAT(fault({"quantize", "a", "b", "Q9"}), HasSubstr("not Q9"));
  EXPECT_THAT(fault({"quantize", "a"}), HasSubstr("OUT"));
}

}  // namespace
}  // namespace confab::app
