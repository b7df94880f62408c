// SPDX-License-Identifier: MIT
// A row of the table is all that an option needs: each is walked through the command line,
// config.toml, the environment, completion and the manual.
#include "app/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/cli/manual.h"
#include "tests/app/cli/option_fixture.h"

namespace confab::app {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class OptionTest : public testing::TestWithParam<Option> {
 protected:
  static std::string variable(const std::string& text) {
    return variable_of(GetParam()) + "=" + text;
  }
  static std::string printed(std::vector<std::string> words) {
    return std::get<PrintAndExit>(parse_command_line(std::move(words), {})).text;
  }
};

std::string name_of(const testing::TestParamInfo<Option>& info) {
  return std::string(info.param.key);
}

TEST_P(OptionTest, IsTheSameByFlagKeyAndVariable) {
  const std::string text = other_text(GetParam());
  const Given flag = by_flag(GetParam(), text), file = by_file(toml_line(GetParam(), text)),
              environment = by_environment({variable(text)});
  for (const Given* given : {&flag, &file, &environment}) {
    EXPECT_EQ(given->fault, "");
    EXPECT_EQ(given->options.notice, "");
    EXPECT_EQ(value_texts(GetParam().value, given->options), Texts{text});
    EXPECT_EQ(all_values(given->options), all_values(flag.options));
  }
  EXPECT_EQ(source_of(GetParam(), flag.options).origin, Origin::command_line);
  EXPECT_EQ(source_of(GetParam(), file.options).origin, Origin::config);
  EXPECT_EQ(source_of(GetParam(), file.options).line, 1);
  EXPECT_EQ(source_of(GetParam(), environment.options).origin, Origin::environment);
  EXPECT_EQ(source_of(GetParam(), {}).origin, Origin::built_in);
}

TEST_P(OptionTest, IsRefusedInTheSameWordsBehindEachName) {
  std::vector<std::string> refused;
  for (const char* text : {"-7", "123456789012", "maybe"})
    if (ChatOptions options; !put_value(GetParam().value, options, Texts{text}, {}).empty())
      refused.emplace_back(text);
  const OptionValue& value = GetParam().value;
  const bool is_text =
      std::holds_alternative<TextValue>(value) || std::holds_alternative<TextsValue>(value);
  EXPECT_TRUE(is_text == refused.empty() || std::holds_alternative<const Parameter*>(value));
  for (const std::string& text : refused) {
    const std::string words = "must be " + range_text(GetParam().value);
    EXPECT_THAT(by_flag(GetParam(), text).fault,
                HasSubstr(long_flag(GetParam()) + " " + words + ", not " + text));
    EXPECT_EQ(by_environment({variable(text)}).fault,
              variable_of(GetParam()) + " " + words + ", not " + text);
    const std::string line = toml_line(GetParam(), text);
    EXPECT_THAT(by_file(line).fault,
                HasSubstr("/config.toml:1: " + std::string(GetParam().key) + " " + words));
  }
}

TEST_P(OptionTest, LaterSourcesWin) {
  const std::string text = other_text(GetParam());
  const ChatOptions built_in;
  const Texts before = value_texts(GetParam().value, built_in);
  const std::string key = toml_line(GetParam(), text);
  ChatOptions options = by_file(key, built_in, Origin::remembered).options;
  EXPECT_EQ(source_of(GetParam(), options).origin, Origin::remembered);
  options = by_file(key, options).options;
  EXPECT_EQ(source_of(GetParam(), options).origin, Origin::config);
  options = by_environment({variable(text)}, options).options;
  EXPECT_EQ(source_of(GetParam(), options).origin, Origin::environment);
  // The empty one says nothing.
  EXPECT_EQ(source_of(GetParam(), by_environment({variable("")}, options).options).origin,
            Origin::environment);
  options = by_flag(GetParam(), text, options).options;
  EXPECT_EQ(source_of(GetParam(), options).origin, Origin::command_line);
  EXPECT_NE(value_texts(GetParam().value, options), before);
}

TEST_P(OptionTest, IsInHelpManualsAndCompletion) {
  const std::string flag = long_flag(GetParam());
  EXPECT_THAT(printed({"--help"}), HasSubstr(flag));
  EXPECT_THAT(printed({"--man"}), HasSubstr(roff_text(flag)));
  const std::string page = printed({"--man", "config"});
  EXPECT_THAT(page, HasSubstr("\\fB" + roff_text(GetParam().key) + "\\fR\n"));
  EXPECT_THAT(page, HasSubstr(roff_text(variable_of(GetParam()))));
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_THAT(printed({"--completion", shell}), HasSubstr(flag.substr(2))) << shell;
    EXPECT_THAT(printed({"--completion", shell}), HasSubstr(std::string(GetParam().key))) << shell;
  }
}

TEST_P(OptionTest, OtherSpellingsMeanIt) {
  const std::string text = other_text(GetParam());
  Texts spellings;
  for (const CommandShape& command : command_line_shapes())
    for (const OptionShape& option : command.options)
      if (command.words == "config" && std::ranges::count(option.names, long_flag(GetParam())) > 0)
        spellings = option.names;
  EXPECT_FALSE(spellings.empty());
  if (is_switch(GetParam())) return;  // another notation for each of them
  for (const std::string& spelling : spellings) {
    const Given given = by_flags({spelling, text});
    EXPECT_EQ(given.fault, "") << spelling;
    EXPECT_EQ(value_texts(GetParam().value, given.options), Texts{text}) << spelling;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, OptionTest, testing::ValuesIn(option_table()), name_of);

TEST(OptionTableTest, NamesAreEachGivenOnce) {
  std::set<std::string> names;
  for (const Option& option : option_table()) {
    EXPECT_TRUE(names.insert(std::string(option.key)).second) << option.key;
    EXPECT_TRUE(names.insert(std::string(option.flag)).second) << option.flag;
    EXPECT_EQ(find_option(option.key), &option);
    EXPECT_FALSE(help_text(option).empty());
    EXPECT_THAT(variable_of(option), testing::MatchesRegex("CONFAB_[A-Z0-9_]+"));
    if (!option.instead_of.empty()) {
      EXPECT_EQ(find_option(option.instead_of)->instead_of, option.key);
    }
  }
  EXPECT_EQ(find_option("warmth"), nullptr);
}

TEST(OptionTableTest, SwitchesHaveAContrary) {
  EXPECT_TRUE(by_flags({"--mouse"}).options.mouse);
  ChatOptions on;
  on.mouse = true;
  EXPECT_FALSE(by_flags({"--no-mouse"}, on).options.mouse);
  EXPECT_FALSE(by_flags({"--mouse=false"}, on).options.mouse);
  EXPECT_TRUE(by_flags({"--no-mouse", "--mouse"}).options.mouse) << "the last one counts";
  EXPECT_FALSE(by_flags({"--mouse", "--no-mouse"}).options.mouse);
  EXPECT_FALSE(by_flags({"--no-lookup"}).options.model.lookup);
  EXPECT_TRUE(by_flags({"--lookup"}).options.model.lookup);
  EXPECT_TRUE(by_flags({"--no-draft=false"}).options.model.drafts);
  EXPECT_FALSE(by_flags({"--incognito"}).options.save);
  EXPECT_FALSE(by_environment({"CONFAB_INCOGNITO=1"}).options.save);
  EXPECT_THAT(by_flags({"--no-draft=soon"}).fault,
              testing::StartsWith("--no-draft must be true or false, not soon"));
}

TEST(OptionTableTest, OneSourceSaysAThingInOneWay) {
  EXPECT_THAT(by_flags({"--system", "a", "-sysf", "b"}).fault,
              HasSubstr("--system-file and --system cannot be used together: give one of them"));
  EXPECT_THAT(by_file("system = 'a'\nsystem_file = 'b'\n").fault,
              EndsWith("config.toml:2: system_file and system cannot be used together: give one of "
                       "them"));
  EXPECT_EQ(by_environment({"CONFAB_SYSTEM=a", "CONFAB_SYSTEM_FILE=b"}).fault,
            "CONFAB_SYSTEM_FILE and CONFAB_SYSTEM cannot be used together: give one of them");
  // Of two sources the later one counts.
  const ChatOptions file = by_file("system_file = 'b'\n").options;
  const ChatOptions flag = by_flags({"--system", "a"}, file).options;
  EXPECT_EQ(flag.system, "a");
  EXPECT_EQ(flag.system_file, "");
  EXPECT_EQ(source_of(*find_option("system_file"), flag).origin, Origin::built_in);
}

TEST(OptionTableTest, ListsAreGivenPieceByPiece) {
  const Texts two{"User:", "###"};
  EXPECT_EQ(by_flags({"-r", "User:", "--reverse-prompt", "###"}).options.stop, two);
  EXPECT_EQ(by_file("reverse_prompt = ['User:', '###']\n").options.stop, two);
  EXPECT_EQ(by_environment({"CONFAB_REVERSE_PROMPT=User:\n###\n"}).options.stop, two);
  const ChatOptions file = by_file("reverse_prompt = 'one'\n").options;
  EXPECT_EQ(file.stop, Texts{"one"});
  EXPECT_EQ(by_flags({"-r", "other"}, file).options.stop, Texts{"other"}) << "not both";
  EXPECT_EQ(by_flags({"-r", ""}, file).options.stop, Texts{}) << "takes back what the file says";
  EXPECT_THAT(by_file("reverse_prompt = [1]\n").fault, HasSubstr("must be strings, in quotes"));
}

}  // namespace
}  // namespace confab::app
