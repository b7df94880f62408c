// SPDX-License-Identifier: MIT
#include "app/prompts/template_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "app/parameters.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

PromptTemplate own(const std::string& source) {
  const ReadTemplate out = read_template("mine", source, "/t/mine.toml");
  EXPECT_THAT(out.faults, IsEmpty());
  return out.read;
}
PromptTemplate built_in(const std::string& source) {
  return read_template("code", source).read;
}
std::string temperature_of(const AnswerOptions& options) {
  return value_text(*find_set_parameter("temperature"), options);
}
const PromptTemplate kTranslate =
    own("instruction = 'Into {{to}}, {{tone}}:'\n[arguments]\nto = {}\ntone = 'kindly'\n");

TEST(TemplateCallTest, NamedArgumentsAndThoseThatAreNeededAreTakenFromTheWords) {
  Words words{"German", "a.txt", "tone=very kind", "x=y"};
  const ArgumentValues values = take_arguments(kTranslate, "confab mine", words);
  EXPECT_EQ(values.at("to"), "German");
  EXPECT_EQ(values.at("tone"), "very kind");
  EXPECT_THAT(words, ElementsAre("a.txt", "x=y"));
  words = {"a.txt", "to=German"};
  EXPECT_EQ(take_arguments(kTranslate, "confab mine", words).at("to"), "German");
  EXPECT_THAT(words, ElementsAre("a.txt"));
}

TEST(TemplateCallTest, WhatIsMissingOrThereTwiceIsToldWithTheUsage) {
  const auto fault = [](Words words) -> std::string {
    try {
      take_arguments(kTranslate, "confab mine", words);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(fault({}), "TO is missing; it is called as confab mine TO [tone=...]");
  EXPECT_THAT(fault({"to=a", "to=b"}), HasSubstr("to is given twice"));
}

TEST(TemplateCallTest, WordsOfATextMayHaveBlanksBetweenQuotes) {
  std::string text = "tone=\"very kind\"  to=German the rest";
  EXPECT_EQ(take_argument_word(text), "tone=very kind");
  EXPECT_EQ(take_argument_word(text), "to=German");
  EXPECT_EQ(text, "the rest");
  text = "";
  EXPECT_EQ(take_argument_word(text), "");
}

TEST(TemplateCallTest, TheInstructionStandsBeforeWhatIsAskedOrAroundIt) {
  const Words before = filled(kTranslate, {{"to", "German"}});
  EXPECT_THAT(before, ElementsAre("Into German, kindly:"));
  EXPECT_EQ(instructed(before, "Good morning."), "Into German, kindly:\n\nGood morning.");
  EXPECT_EQ(instructed(before, ""), "Into German, kindly:");
  const Words around = filled(own("instruction = 'A {{input}} B {{input}} C'"), {});
  EXPECT_EQ(instructed(around, "x"), "A x B x C");
  EXPECT_EQ(instructed({}, "x"), "x");
}

TEST(TemplateCallTest, WhatIsGivenIsNotReadAsAnInstruction) {
  const PromptTemplate mine = own("instruction = '{{to}} {{input}}'\n[arguments]\nto = {}");
  EXPECT_EQ(instructed(filled(mine, {{"to", "{{input}}"}}), "{{to}}"), "{{input}} {{to}}");
}

TEST(TemplateCallTest, ABuiltInTemplateGivesWayToWhateverSomebodyHasSet) {
  const PromptTemplate code = built_in("temperature = 0.3");
  ChatOptions options;
  EXPECT_THAT(apply(code, options), ElementsAre("temperature 0.3"));
  EXPECT_EQ(temperature_of(options), "0.3");
  for (const Origin origin : {Origin::model, Origin::remembered, Origin::config,
                              Origin::environment, Origin::command_line, Origin::chat}) {
    ChatOptions set;
    ASSERT_EQ(set_parameter(*find_set_parameter("temperature"), set, "0.9", origin), "");
    EXPECT_THAT(apply(code, set), IsEmpty());
    EXPECT_EQ(temperature_of(set), "0.9");
  }
}

TEST(TemplateCallTest, WhatAModelsMakersRecommendIsNotChangedByABuiltInTemplate) {
  AnswerOptions options;
  apply(built_in("temperature = 0.3"), options);
  const std::vector<engine::Recommendation> makers{{.name = "temp", .value = 0.6F}};
  EXPECT_EQ(temperature_of(with_recommended(options, makers)), "0.6");
  AnswerOptions mine;
  apply(own("temperature = 0.3"), mine);
  EXPECT_EQ(temperature_of(with_recommended(mine, makers)), "0.3");
}

TEST(TemplateCallTest, AnOwnTemplateWinsOverTheFileAndNotOverFlags) {
  const PromptTemplate mine = own("temperature = 0.3\nmodel = 'qwen'\nsystem = 'Brief.'");
  const auto with = [](Origin origin) {
    ChatOptions options;
    const Words texts{"9"}, names{"other"};
    EXPECT_EQ(set_option(*find_option("temperature"), options, texts, {origin}), "");
    EXPECT_EQ(set_option(*find_option("model"), options, names, {origin}), "");
    EXPECT_EQ(set_option(*find_option("system_file"), options, names, {origin}), "");
    return options;
  };
  ChatOptions options = with(Origin::config);
  EXPECT_EQ(apply(mine, options).size(), 3U);
  EXPECT_EQ(options.model.path, "qwen");
  EXPECT_EQ(options.system, "Brief.");
  EXPECT_EQ(options.system_file, "");
  options = with(Origin::command_line);
  EXPECT_THAT(apply(mine, options), IsEmpty());
  EXPECT_EQ(options.model.path, "other");
  EXPECT_EQ(options.system, "");
}

TEST(TemplateCallTest, OfOneAnswerOnlyWhatIsOfAnswersIsSet) {
  const PromptTemplate mine = own(
      "temperature = 0.3\nmodel = 'qwen'\nthinking = false\nreverse_prompt = 'END'\nregex = 'a+'");
  AnswerOptions options;
  EXPECT_THAT(apply(mine, options), ElementsAre("temperature 0.3", "thinking false",
                                                "reverse_prompt END", "an answer of its shape"));
  EXPECT_EQ(options.thinking, false);
  EXPECT_THAT(options.stop, ElementsAre("END"));
  EXPECT_EQ(options.shape.text, "a+");
  options.thinking = true;
  options.stop = {"HERE"};
  options.shape.text = "b";
  ASSERT_EQ(set_parameter(*find_set_parameter("temperature"), options, "1", Origin::chat), "");
  EXPECT_THAT(apply(mine, options), IsEmpty());
  EXPECT_EQ(model_of(mine), "qwen");
  EXPECT_EQ(model_of(kTranslate), "");
}

TEST(TemplateCallTest, WhatAnAnswerIsCheckedForGivesWayToWhatIsAskedFor) {
  const PromptTemplate mine = own("expect = 'list:3'");
  ChatOptions options;
  EXPECT_THAT(apply(mine, options), ElementsAre("expect list:3"));
  EXPECT_EQ(options.once.expected.n, 3U);
  ChatOptions code, several, shaped, other;
  code.once.output = OutputFormat::code;
  several.n_answers = 2;
  shaped.shape = {.kind = engine::ConstraintSpec::Kind::pattern, .text = "a"};
  other.once.expected = parse_expectation("json");
  for (ChatOptions* set : {&code, &several, &shaped, &other})
    EXPECT_THAT(apply(mine, *set), IsEmpty());
  EXPECT_EQ(name_of(other.once.expected), "json");
}

TEST(TemplateCallTest, TheOverflowIsThatOfTheTemplateWhereNobodyHasChosenOne) {
  const PromptTemplate mine = own("overflow = 'split'");
  ChatOptions options;
  apply(mine, options);
  EXPECT_EQ(options.overflow, Overflow::split);
  for (const Overflow asked : {Overflow::truncate, Overflow::error}) {
    options.overflow = asked;
    options.sources["overflow"] = {Origin::command_line};
    apply(mine, options);
    EXPECT_EQ(options.overflow, asked) << "a flag overrides it";
    options.sources["overflow"] = {Origin::config};
    apply(mine, options);
    EXPECT_EQ(options.overflow, Overflow::split) << "and it overrides config.toml";
  }
}

}  // namespace
}  // namespace confab::app
