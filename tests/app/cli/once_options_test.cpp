// SPDX-License-Identifier: MIT
#include "app/cli/once_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ChatOptions parse(std::vector<std::string> words) {
  return std::get<ChatOptions>(parse_command_line(std::move(words), {}));
}

std::string fault(std::vector<std::string> words) {
  try {
    parse(std::move(words));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(OnceOptionsTest, WhatComesOutHasAFormat) {
  EXPECT_EQ(parse({"-p", "x"}).once.output, OutputFormat::text);
  EXPECT_EQ(parse({"-p", "x", "--json"}).once.output, OutputFormat::json);
  EXPECT_EQ(parse({"-p", "x", "--stream-json"}).once.output, OutputFormat::json_events);
  EXPECT_EQ(parse({"-p", "x", "-x"}).once.output, OutputFormat::code);
  EXPECT_TRUE(parse({"-p", "x", "-q"}).once.quiet);
  EXPECT_TRUE(parse({"-p", "x", "--keep-html"}).once.keep_html);
  EXPECT_EQ(parse({"-p", "x"}).once.overflow, Overflow::error);
  EXPECT_EQ(parse({"-p", "x", "--overflow", "split"}).once.overflow, Overflow::split);
  EXPECT_EQ(parse({"-p", "x", "--overflow=truncate"}).once.overflow, Overflow::truncate);
}

TEST(OnceOptionsTest, ALanguageIsToldFromAFile) {
  const TempDir dir;
  const std::string file = dir.file("python", "a file that is called so");
  const auto language = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"-p", "?"});
    const ChatOptions options = parse(words);
    EXPECT_EQ(options.once.output, OutputFormat::code);
    return options.once.language + "|" + (options.files.empty() ? "" : options.files[0]);
  };
  EXPECT_EQ(language({"-x", "python"}), "python|");
  EXPECT_EQ(language({"--extract", "c++", "a.txt"}), "c++|a.txt");
  EXPECT_EQ(language({"--extract=json", "a.txt"}), "json|a.txt");
  EXPECT_EQ(language({"-x", "a.txt"}), "|a.txt");
  EXPECT_EQ(language({"-x", file}), "|" + file);
  EXPECT_EQ(language({"-x", "-q"}), "|");
  EXPECT_EQ(language({"-x", "-"}), "|-");
  EXPECT_EQ(language({"-x"}), "|");
}

TEST(OnceOptionsTest, OptionsThatExcludeEachOtherAreRefused) {
  EXPECT_THAT(fault({"-p", "x", "--json", "-x"}), HasSubstr("cannot be used together"));
  EXPECT_THAT(fault({"-p", "x", "--json", "--stream-json"}), HasSubstr("give one of them"));
  EXPECT_EQ(fault({"-p", "x", "-x", "--n", "2"}),
            "--extract and --n cannot be used together: give one of them");
  EXPECT_THAT(fault({"-p", "x", "--overflow", "cut"}),
              HasSubstr("--overflow must be error, split or truncate, not cut"));
  EXPECT_EQ(fault({"-p", "x", "--json", "--n", "2"}), "none");
}

TEST(OnceOptionsTest, WithoutAQuestionTheyMeanNothing) {
  EXPECT_EQ(fault({"--json"}),
            "--json, --stream-json or --extract needs a question: confab -p \"QUESTION\"");
  EXPECT_EQ(fault({"--overflow", "split"}), "--overflow needs a question: confab -p \"QUESTION\"");
  EXPECT_EQ(fault({"-q"}), "--quiet needs a question: confab -p \"QUESTION\"");
  EXPECT_THAT(fault({"--n", "2"}), HasSubstr("/retry N"));
}

TEST(OnceOptionsTest, NothingBehindTwoDashesIsALanguage) {
  std::vector<std::string> words{"-x", "--", "-x", "b"};
  fill_in_language(words);
  EXPECT_THAT(words, ElementsAre("-x", "", "--", "-x", "b"));
}

}  // namespace
}  // namespace confab::app
