// SPDX-License-Identifier: MIT
#include "app/cli/template_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/cli/cli.h"
#include "app/commands/commands.h"
#include "app/error.h"
#include "app/prompts/template_set.h"
#include "tests/app/home_dir.h"

namespace confab::app {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

class TemplateCommandTest : public ::testing::Test {
 protected:
  TemplateCommandTest() { unsetenv("XDG_CONFIG_HOME"); }
  void own(const std::string& name, const std::string& source) {
    home_.file(".config/confab/templates/" + name, source);
  }
  static ChatOptions parse(const Words& words) {
    return std::get<ChatOptions>(parse_command_line(words, {}));
  }
  static std::string printed(const Words& words) {
    return std::get<PrintAndExit>(parse_command_line(words, {})).text;
  }
  static std::string fault(const Words& words) {
    try {
      parse_command_line(words, {});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  }
  HomeDir home_;
};

TEST_F(TemplateCommandTest, IsAQuestionAskedWithTheTemplate) {
  const ChatOptions options = parse({"review", "a.c", "b.c", "-n", "5", "-q", "--json", "-m", "x"});
  EXPECT_EQ(options.route, "review");
  EXPECT_EQ(options.prompt, "");
  EXPECT_THAT(options.files, ElementsAre("a.c", "b.c"));
  EXPECT_EQ(options.n_predict, 5);
  EXPECT_TRUE(options.once.quiet);
  EXPECT_EQ(options.once.output, OutputFormat::json);
  EXPECT_EQ(options.model.path, "x");
  EXPECT_THAT(options.template_arguments, IsEmpty());
  EXPECT_EQ(parse({"commit-message", "-x"}).once.output, OutputFormat::code);
}

TEST_F(TemplateCommandTest, TakesArgumentsThenATextThenFiles) {
  const ChatOptions options = parse({"translate", "German", "a.txt"});
  EXPECT_EQ(options.template_arguments.at("to"), "German");
  EXPECT_THAT(options.files, ElementsAre("a.txt"));
  EXPECT_EQ(parse({"translate", "German", "Good morning, all."}).prompt, "Good morning, all.");
  EXPECT_EQ(parse({"translate", "to=German", "-p", "Hello"}).prompt, "Hello");
  EXPECT_EQ(parse({"review", "focus=leaks", "a.c"}).template_arguments.at("focus"), "leaks");
  const std::string blank = home_.file("my file.txt", "x");
  EXPECT_THAT(parse({"review", blank}).files, ElementsAre(blank));
}

TEST_F(TemplateCommandTest, WhatIsWrongIsOneLine) {
  EXPECT_EQ(fault({"translate"}), "TO is missing; it is called as confab translate TO");
  EXPECT_THAT(fault({"explain", "what is this", "-p", "and that"}), HasSubstr("there twice"));
  EXPECT_THAT(fault({"review", "--yes-no", "Is it?"}), HasSubstr("cannot be used with --yes-no"));
  EXPECT_EQ(fault({"reveiw", "a.c"}), "no command 'reveiw': did you mean confab review?");
  EXPECT_THAT(fault({"code"}), HasSubstr("no command 'code'"));  // a class
}

TEST_F(TemplateCommandTest, OnesOwnAreCommandsToo) {
  own("standup.toml", "description = 'what I did'\ninstruction = 'List it.'");
  EXPECT_EQ(parse({"standup", "log.txt"}).route, "standup");
  EXPECT_EQ(fault({"standpu"}), "no command 'standpu': did you mean confab standup?");
  own("broken.toml", "\ntemprature = 1");
  EXPECT_EQ(parse({"standup"}).route, "standup");
  EXPECT_THAT(fault({"broken"}), HasSubstr("broken.toml:2: no key 'temprature'"));
}

TEST_F(TemplateCommandTest, HelpSaysWhatItIsAndItsArguments) {
  for (const Words& words : {Words{"review", "--help"}, Words{"help", "review"}}) {
    const std::string text = printed(words);
    EXPECT_THAT(text, HasSubstr("its faults, the worst first"));
    EXPECT_THAT(text, HasSubstr("confab review [focus=...] [TEXT] [FILE]..."));
    EXPECT_THAT(text, HasSubstr("focus: what to look for (default: wrong results"));
    EXPECT_THAT(text, HasSubstr("--model"));
  }
}

TEST_F(TemplateCommandTest, TemplatesListsThemAndPrintsOne) {
  own("standup.toml", "description = 'what I did'\ninstruction = 'List it.'");
  own("help.toml", "");
  const std::string list = printed({"templates"});
  EXPECT_THAT(list, HasSubstr("translate TO"));
  EXPECT_THAT(list, HasSubstr("what I did (~/.config/confab/templates/standup.toml)"));
  EXPECT_THAT(list, HasSubstr("Classes of questions:\n  chat "));
  EXPECT_THAT(list, HasSubstr("Left out:\n  "));
  EXPECT_THAT(list, HasSubstr("help is a word of confab's own"));
  EXPECT_EQ(printed({"templates", "standup"}),
            "description = 'what I did'\ninstruction = 'List it.'");
  EXPECT_THAT(printed({"templates", "code"}), HasSubstr("temperature = 0.3"));
  EXPECT_EQ(fault({"templates", "reviw"}), "no template 'reviw'; did you mean review?");
}

TEST_F(TemplateCommandTest, CompletionsKnowTheBuiltInOnes) {
  const std::vector<CommandShape> shapes = command_line_shapes();
  const auto review = std::ranges::find(shapes, "review", &CommandShape::words);
  ASSERT_NE(review, shapes.end());
  EXPECT_FALSE(review->options.empty());
  EXPECT_TRUE(review->last_repeats);
  EXPECT_THAT(template_command_names(), Contains("commit-message"));
}

// A template of such a name could not be called.
TEST_F(TemplateCommandTest, TheNamesOfAllCommandsAreReserved) {
  const TemplateSet built_in = TemplateSet::load();
  for (const CommandShape& shape : command_line_shapes()) {
    const std::string word = shape.words.substr(0, shape.words.find(' '));
    if (word.empty() || built_in.find_command(word) != nullptr) continue;
    EXPECT_TRUE(is_reserved(word)) << word;
  }
  for (const Command& command : commands())
    for (const std::string_view name : all_names(command))
      if (name != "/?") {
        EXPECT_TRUE(is_reserved(name.substr(1))) << name;
      }
}

}  // namespace
}  // namespace confab::app
