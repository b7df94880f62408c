// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/error.h"

namespace confab::app {
namespace {

EnginesQuery parsed(const std::vector<std::string>& words) {
  ChatOptions defaults;
  defaults.model.engines = {{.name = "work", .url = "http://h"}};
  return std::get<EnginesQuery>(parse_command_line(words, defaults));
}

TEST(EnginesWordsTest, EnginesOfTheConfigurationComeAlong) {
  const EnginesQuery plain = parsed({"engines"});
  EXPECT_FALSE(plain.check);
  EXPECT_FALSE(plain.json);
  ASSERT_EQ(plain.engines.size(), 1U);
  EXPECT_EQ(plain.engines[0].name, "work");
  EXPECT_TRUE(parsed({"engines", "--check"}).check);
  EXPECT_TRUE(parsed({"engines", "--json"}).json);
  EXPECT_THROW(parsed({"engines", "work"}), UsageError);
}

}  // namespace
}  // namespace confab::app
