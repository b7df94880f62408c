// SPDX-License-Identifier: MIT
#include "app/cli/question_options.h"

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
  EXPECT_EQ(parse({"-p", "x"}).overflow, Overflow::none);
  EXPECT_EQ(parse({"-p", "x", "--overflow", "split"}).overflow, Overflow::split);
  EXPECT_EQ(parse({"-p", "x", "--overflow=truncate"}).overflow, Overflow::truncate);
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
              HasSubstr("--overflow must be error, split, truncate, shift, summarise or stop, not "
                        "cut"));
  EXPECT_EQ(fault({"-p", "x", "--json", "--n", "2"}), "none");
}

TEST(OnceOptionsTest, WithoutAQuestionTheyMeanNothing) {
  EXPECT_EQ(fault({"--json"}),
            "--json, --stream-json or --extract needs a question: confab -p \"QUESTION\"");
  EXPECT_EQ(fault({"-q"}), "--quiet needs a question: confab -p \"QUESTION\"");
  EXPECT_THAT(fault({"--n", "2"}), HasSubstr("/retry N"));
}

TEST(OnceOptionsTest, AnOverflowIsForTheChatOrForAQuestion) {
  EXPECT_EQ(parse({"--overflow", "stop"}).overflow, Overflow::stop);
  EXPECT_EQ(parse({"--overflow", "summarize"}).overflow, Overflow::summarise);
  EXPECT_EQ(fault({"--overflow", "split"}),
            "--overflow split needs a question: confab -p \"QUESTION\"; the chat takes shift, "
            "summarise or stop");
  EXPECT_EQ(fault({"-p", "x", "--overflow", "summarise"}),
            "--overflow summarise is for the chat; with -p give error, split, truncate or shift");
  EXPECT_EQ(parse({"-p", "x", "--overflow", "shift"}).overflow, Overflow::shift);
  ChatOptions configured;  // which is for either
  configured.overflow = Overflow::stop;
  configured.sources["overflow"] = {Origin::config};
  const auto options = std::get<ChatOptions>(parse_command_line({"-p", "x"}, configured));
  EXPECT_EQ(options.overflow, Overflow::stop);
}

TEST(OnceOptionsTest, AFormIsExpected) {
  const OnceOptions once = parse({"-p", "x", "--expect", "list:3"}).once;
  EXPECT_EQ(once.expected, (Expectation{.kind = Expectation::Kind::list, .n = 3}));
  EXPECT_EQ(once.n_retries, 2);
  EXPECT_EQ(parse({"-p", "x", "--expect", "json", "--retries", "0"}).once.n_retries, 0);
  EXPECT_FALSE(parse({"-p", "x"}).once.expected.is_wanted());
  EXPECT_EQ(fault({"-p", "x", "--expect", "list:none"}),
            "--expect: the length of a list must be a whole number from 1 to 1,000, not none");
  EXPECT_THAT(fault({"-p", "x", "--expect", ""}), HasSubstr("--expect: '' is not a form: give "));
  EXPECT_THAT(fault({"-p", "x", "--expect", "json", "--retries", "21"}), HasSubstr("from 0 to 20"));
}

TEST(OnceOptionsTest, WhatAFormDoesNotGoWithIsRefused) {
  EXPECT_EQ(fault({"--expect", "json"}), "--expect needs a question: confab -p \"QUESTION\"");
  EXPECT_EQ(fault({"-p", "x", "--retries", "3"}), "--retries works only with --expect");
  const auto beside = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"-p", "x", "--expect", "list"});
    return fault(words);
  };
  EXPECT_EQ(beside({"--n", "2"}), "--expect and --n cannot be used together: give one of them");
  for (const char* flag : {"--json-schema={}", "--grammar=root ::= \"a\"", "--regex=a"})
    EXPECT_EQ(beside({flag}),
              "--expect and --json-schema, --grammar or --regex cannot be used together: give one "
              "of them");
  for (const char* flag : {"--yes-no", "--choose=a,b"})
    EXPECT_EQ(beside({flag}),
              "--expect and --yes-no or --choose cannot be used together: give one of them");
  EXPECT_THAT(beside({"-x"}), HasSubstr("only for code: --expect code"));
  EXPECT_EQ(beside({"--json"}), "none");
  EXPECT_EQ(beside({"--stream-json"}), "none");
}

TEST(OnceOptionsTest, CodeThatIsTakenOutIsTheCodeThatIsExpected) {
  const auto languages = [](const std::string& form, std::vector<std::string> words) {
    words.insert(words.begin(), {"-p", "x", "--expect", form});
    const OnceOptions once = parse(words).once;
    return once.expected.language + "|" + once.language;
  };
  EXPECT_EQ(languages("code:python", {"-x"}), "python|python");
  EXPECT_EQ(languages("code", {"-x", "python"}), "python|python");
  EXPECT_EQ(languages("code", {"-x"}), "|");
  EXPECT_EQ(languages("code:sh", {"-x", "sh"}), "sh|sh");
  EXPECT_EQ(fault({"-p", "x", "--expect", "code:sh", "-x", "python"}),
            "--extract python and --expect code:sh name different languages: give one of them");
}

TEST(OnceOptionsTest, NothingBehindTwoDashesIsALanguage) {
  std::vector<std::string> words{"-x", "--", "-x", "b"};
  fill_in_language(words);
  EXPECT_THAT(words, ElementsAre("-x", "", "--", "-x", "b"));
}

}  // namespace
}  // namespace confab::app
