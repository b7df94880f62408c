// SPDX-License-Identifier: MIT
#include "app/line/given_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/error.h"
#include "app/parameters.h"
#include "tests/app/fake_model.h"
#include "tests/app/program.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

class RoutedQuestionTest : public ::testing::Test {
 protected:
  RoutedQuestionTest() {
    options_.read_stdin = false;
    paths_.templates = dir_ / "templates";
  }
  RoutedQuestion ask(const std::string& text, const std::string& route = "rules") {
    options_.prompt = text;
    options_.route = route;
    told_.clear();
    return RoutedQuestion(options_, paths_,
                          [this](std::string_view line) { told_.emplace_back(line); });
  }
  std::string fault(const std::string& text, const std::string& route) {
    try {
      ask(text, route);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  }
  static std::string temperature_of(const AnswerOptions& options) {
    return value_text(*find_set_parameter("temperature"), options);
  }
  void own(const std::string& name, const std::string& source) {
    dir_.file("templates/" + name, source);
  }

  TempDir dir_;
  Paths paths_;
  ChatOptions options_;
  Words told_;
};

TEST_F(RoutedQuestionTest, WhatATemplateChangesIsToldAndStandsInTheOptions) {
  RoutedQuestion code = ask("Write it in Python");
  EXPECT_EQ(temperature_of(code.options()), "0.3");
  const Question question = code.take();
  EXPECT_EQ(question.text, "Write it in Python");
  EXPECT_EQ(temperature_of(*question.options), "0.3");
  EXPECT_THAT(told_, ElementsAre("asked as code, since it says \"python\": temperature 0.3; "
                                 "--route off asks as it is"));
}

TEST_F(RoutedQuestionTest, NothingIsToldWhereNothingIsChanged) {
  EXPECT_EQ(ask("Good morning!").take().text, "Good morning!");
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_EQ(temperature_of(ask("Write it in Python", "off").options()), "0.8");
  EXPECT_THAT(told_, IsEmpty());
  ASSERT_EQ(set_parameter(*find_set_parameter("temperature"), options_, "1", Origin::config), "");
  EXPECT_EQ(temperature_of(ask("Write it in Python").options()), "1");
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(RoutedQuestionTest, AClassOfOnesOwnHasAnInstruction) {
  own("rewrite.toml", "instruction = \"Be brief.\\n{{input}}\"\nmodel = 'small.gguf'");
  RoutedQuestion rewrite = ask("Translate this: hello");
  EXPECT_EQ(rewrite.options().model.path, "small.gguf");
  EXPECT_EQ(rewrite.take().text, "Be brief.\nTranslate this: hello");
  EXPECT_THAT(told_, ElementsAre(HasSubstr("asked as rewrite")));
}

TEST_F(RoutedQuestionTest, ATemplateThatIsCalledGoesWithItsFiles) {
  options_.files = {dir_.file("a.c", "int x;\n")};
  RoutedQuestion review = ask("", "review");
  const Question question = review.take();
  EXPECT_TRUE(question.text.starts_with("Review this. Look for wrong results"));
  ASSERT_EQ(question.attachments.size(), 1U);
  EXPECT_THAT(told_, IsEmpty());
  options_.template_arguments = {{"to", "German"}};
  EXPECT_THAT(ask("Hello.", "translate").take().text, HasSubstr("into German."));
}

TEST_F(RoutedQuestionTest, SaysWhatIsMissing) {
  EXPECT_EQ(fault("", "review"),
            "review needs something to work on: confab review FILE, or pipe it into confab "
            "review");
  EXPECT_THAT(fault("", "rules"), HasSubstr("-p needs a question"));
  EXPECT_THAT(fault("x", "reveiw"), HasSubstr("did you mean review?"));
  own("joke.toml", "instruction = 'Tell a joke.'");
  EXPECT_EQ(ask("", "joke").take().text, "Tell a joke.");
}

TEST_F(RoutedQuestionTest, AFileThatIsWrongIsToldAndTheOthersAreUsed) {
  own("code.toml", "temprature = 1");
  EXPECT_EQ(temperature_of(ask("Write it in Python").options()), "0.3");
  EXPECT_THAT(told_.front(), HasSubstr("code.toml:1: no key 'temprature'"));
}

TEST_F(RoutedQuestionTest, InDoubtTheModelDecidesWhereThatIsWanted) {
  FakeModel model;
  int n_waits = 0;
  const auto wait = [&] { return ++n_waits > 0; };
  EXPECT_TRUE(ask("xyzzy").ask_model(model, wait));
  EXPECT_THAT(model.scorings, IsEmpty());

  RoutedQuestion code = ask("xyzzy", "auto");
  engine::Scored scored;
  for (int i = 0; i < 12; ++i) scored.options.push_back({.log_p = i == 0 ? -0.1 : -9});
  model.events = {engine::PrefillProgress{1, 2, 0}, scored};
  EXPECT_TRUE(code.ask_model(model, wait));
  EXPECT_EQ(model.scorings.size(), 1U);
  EXPECT_EQ(temperature_of(*code.take().options), "0.3");
  EXPECT_THAT(told_, ElementsAre(HasSubstr("asked as code, since the model says so, with 1.00")));
}

TEST_F(RoutedQuestionTest, WhatTheModelCannotTellIsAskedAsItIs) {
  FakeModel model;
  RoutedQuestion question = ask("xyzzy", "auto");
  model.events = {engine::Failed{"no"}};
  EXPECT_TRUE(question.ask_model(model, [] { return true; }));
  EXPECT_EQ(question.take().text, "xyzzy");
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(RoutedQuestionTest, ASignalGivesItUp) {
  FakeModel model;
  RoutedQuestion question = ask("xyzzy", "auto");
  model.events = {finished({}, engine::FinishReason::cancelled)};
  EXPECT_FALSE(question.ask_model(model, [] { return false; }));
  EXPECT_EQ(model.n_cancelled, 1);
}

// --- the built program

constexpr const char* kDiff =
    "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n";

TEST(TemplateProgramTest, ADiffIsPipedIntoACommand) {
  const TempDir home;
  const RunResult result = run_program(home, {"commit-message", "-n", "8", "-t", "1"}, kDiff);
  EXPECT_TRUE(result.status == 0 || result.status == 6) << result.status << result.err;
  EXPECT_NE(result.out, "");
  const RunResult none = run_program(home, {"commit-message"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("commit-message needs something to work on"));
}

TEST(TemplateProgramTest, AnOwnTemplatesAnswerHasItsShape) {
  const TempDir home;
  home.file(".config/confab/templates/person.toml", R"(
instruction = "Who is this about?"
predict = 60
json_schema = '''{"type": "object", "properties": {"name": {"type": "string", "maxLength": 20}},
  "required": ["name"], "additionalProperties": false}'''
)");
  const RunResult result =
      run_program(home, {"person", "-t", "1", "--temp", "0"}, "Ada Lovelace wrote a program.\n");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(nlohmann::json::parse(result.out).at("name").is_string()) << result.out;
}

TEST(TemplateProgramTest, AWrongTemplateIsOneLineAndTheOthersWork) {
  const TempDir home;
  const std::string file =
      home.file(".config/confab/templates/mine.toml", "instruction = \"x\"\nformat = 1\n");
  const RunResult wrong = run_program(home, {"mine"}, "text");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("mine.toml:2: no key 'format'"));
  EXPECT_EQ(std::ranges::count(wrong.err, '\n'), 1);
  const RunResult other = run_program(home, {"proofread", "-n", "4", "-t", "1"}, "A text.\n");
  EXPECT_TRUE(other.status == 0 || other.status == 6) << other.err;
  EXPECT_THAT(other.err, HasSubstr("mine.toml:2"));
}

TEST(TemplateProgramTest, TheModelIsAskedOnlyWithAuto) {
  const TempDir home;
  const Words words{"-p", "xyzzy", "-n", "3", "-t", "1", "--temp", "0"};
  const RunResult rules = run_program(home, words);
  Words with_auto = words;
  with_auto.insert(with_auto.end(), {"--route", "auto"});
  const RunResult asked = run_program(home, with_auto);
  EXPECT_EQ(asked.status, rules.status) << asked.err;
  EXPECT_EQ(asked.out, rules.out);  // --temp is set, and so nothing is changed
  EXPECT_EQ(run_program(home, {"-p", "x", "--route", "reveiw"}).status, 2);
}

}  // namespace
}  // namespace confab::app
