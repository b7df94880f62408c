// SPDX-License-Identifier: MIT
#include "app/cli/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "app/error.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(CliParserTest, WordsAreTakenInTheirOrder) {
  CLI::App app("x", "confab x");
  std::vector<std::string> words;
  app.add_option("WORDS", words);
  EXPECT_FALSE(run_parser(app, {"one", "two"}));
  EXPECT_EQ(words, (std::vector<std::string>{"one", "two"}));
}

TEST(CliParserTest, HelpIsTextAndAFaultPointsToIt) {
  CLI::App app("What x does", "confab x");
  EXPECT_THAT(run_parser(app, {"--help"})->text, HasSubstr("What x does"));
  EXPECT_THAT([&] { run_parser(app, {"--nope"}); },
              ThrowsMessage<UsageError>(HasSubstr("see confab x --help")));
}

}  // namespace
}  // namespace confab::app
