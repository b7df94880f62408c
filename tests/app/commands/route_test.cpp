// SPDX-License-Identifier: MIT
#include "app/commands/route.h"

#include <gmock/gmock.h>

#include <memory>

#include "app/chat/backend.h"
#include "app/commands/completion.h"
#include "app/pump.h"
#include "tests/app/commands/command_fixture.h"
#include "tests/engine/remote/engine_server.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RouteTest : public CommandFixture {
 protected:
  void begin(const std::string& route = "rules") {
    paths_.templates = dir_ / "templates";
    context_.paths = &paths_;
    ChatOptions options;
    options.route = route;
    begin_routing(context_, options);
  }
  // As a front end asks.
  void ask(const std::string& text) {
    auto question = routed_question(context_, text);
    ASSERT_TRUE(question);
    chat_.send(*std::move(question));
    answer("Answer.");
  }
  float last_temperature() const { return model_.requests.back().sampling.temperature; }
  std::string last_question() const { return model_.requests.back().turns.back().message.content; }
  void own(const std::string& name, const std::string& source) {
    dir_.file("templates/" + name, source);
  }

  TempDir dir_;
  Paths paths_;
};

TEST_F(RouteTest, AQuestionIsAskedWithTheTemplateOfItsClass) {
  begin();
  ask("Write it in Python");
  EXPECT_FLOAT_EQ(last_temperature(), 0.3F);
  EXPECT_EQ(last_notice(),
            "asked as code, since it says \"python\": temperature 0.3; /route off "
            "asks as it is");
  ask("Hello");
  EXPECT_FLOAT_EQ(last_temperature(), 0.8F);
  EXPECT_EQ(console_.notices.size(), 1U);
}

TEST_F(RouteTest, IsToldOnceForEachTemplate) {
  begin();
  ask("Write it in Python");
  ask("And now in Rust and bash");
  EXPECT_EQ(console_.notices.size(), 1U);
  ask("Extract the names: Ann and Bob");
  EXPECT_EQ(console_.notices.size(), 2U);
}

TEST_F(RouteTest, WhatSomebodyHasSetStays) {
  begin();
  run("/set temperature 1");
  ask("Write it in Python");
  EXPECT_FLOAT_EQ(last_temperature(), 1);
}

TEST_F(RouteTest, ShowsTheLastDecisionAndItsReason) {
  begin();
  run("/route");
  EXPECT_THAT(last_notice(), HasSubstr("Routing is rules.\n"));
  ask("Write it in Python");
  run("/route");
  EXPECT_THAT(last_notice(), HasSubstr("The last question was asked as code, since it says "
                                       "\"python\": temperature 0.3."));
  EXPECT_THAT(last_notice(), HasSubstr("commit-message"));
  ask("xyzzy");
  run("/route");
  EXPECT_THAT(last_notice(), HasSubstr("was asked as it is: nothing in it says what it is."));
}

TEST_F(RouteTest, IsChosenAndRemembered) {
  begin();
  context_.remembered = Remembered(dir_ / "state.toml");
  run("/route off");
  EXPECT_EQ(last_notice(), "Routing is now off.");
  EXPECT_THAT(read_file(dir_ / "state.toml"), HasSubstr("route = 'off'"));
  ask("Write it in Python");
  EXPECT_FLOAT_EQ(last_temperature(), 0.8F);
  run("/route review");
  EXPECT_THAT(last_notice(), HasSubstr("All questions are asked with the template review now"));
  ask("x = 1");
  EXPECT_TRUE(last_question().starts_with("Review this."));
  EXPECT_TRUE(last_question().ends_with("\n\nx = 1"));
  EXPECT_THAT(read_file(dir_ / "state.toml"), HasSubstr("route = 'off'"));
  run("/route reveiw");
  EXPECT_EQ(last_error(), "/route: no template 'reveiw'; did you mean review?");
}

TEST_F(RouteTest, TemplatesAreCommands) {
  begin();
  EXPECT_TRUE(is_template_call(context_, "/review this\nand that"));
  EXPECT_FALSE(is_template_call(context_, "/code this"));
  EXPECT_FALSE(is_template_call(context_, "review"));
  run("/translate German Good morning.");
  EXPECT_EQ(console_.n_answers_shown, 1);
  EXPECT_THAT(last_question(), HasSubstr("into German."));
  EXPECT_TRUE(last_question().ends_with("\n\nGood morning."));
  answer("Guten Morgen.");
  run_template(context_, "/review focus=\"bad names\" one\ntwo");
  EXPECT_THAT(last_question(), HasSubstr("Look for bad names."));
  EXPECT_TRUE(last_question().ends_with("\n\none\ntwo"));
  EXPECT_THAT(console_.errors, IsEmpty());
}

TEST_F(RouteTest, ATemplateWithoutAnythingToWorkOnIsNotAsked) {
  own("joke.toml", "description = \"a joke\"\ninstruction = \"Tell me a joke.\"\n");
  own("rhyme.toml", "description = \"a rhyme\"\ninstruction = \"A rhyme on {{input}}\"\n");
  begin();
  for (const char* text : {"/translate German", "/summarize", "/rhyme", "/translate German  \n"}) {
    run(text);
    EXPECT_THAT(last_error(), HasSubstr("nothing to work on")) << text;
  }
  EXPECT_THAT(model_.requests, IsEmpty());
  run("/joke");
  EXPECT_EQ(last_question(), "Tell me a joke.") << "which is all there is to it";
  answer("Ha.");
  run("/translate German");
  EXPECT_THAT(last_question(), HasSubstr("into German")) << "the answer above";
}

TEST_F(RouteTest, AFileThatIsNamedGoesWithATemplate) {
  begin();
  const std::string file = dir_.file("a.c", "int x;\n");
  run("/review @" + file);
  EXPECT_THAT(last_question(), HasSubstr("int x;"));
  answer("Fine.");
  run("/translate @" + file);  // a file is not the language
  EXPECT_THAT(last_error(), HasSubstr("TO is missing; it is called as /translate TO"));
}

TEST_F(RouteTest, ATemplateWaitsForTheRunningAnswer) {
  begin();
  chat_.send("Hello");
  run("/review x");
  EXPECT_THAT(last_error(), HasSubstr("/review: an answer is being written"));
}

TEST_F(RouteTest, AnotherAnswerIsOfTheSameTemplate) {
  own("names.toml", "instruction = 'Names.'\nregex = '[a-z]+'\ntemperature = 0.5");
  begin();
  run("/names Ann");
  answer("ann");
  run("/retry");
  EXPECT_EQ(model_.requests.back().shape.text, "[a-z]+");
  EXPECT_FLOAT_EQ(last_temperature(), 0.5F);
  answer("ann");
  run("/retry temperature 0.9");
  EXPECT_FLOAT_EQ(last_temperature(), 0.9F);
  EXPECT_EQ(model_.requests.back().shape.text, "[a-z]+");
  answer("ann");
  chat_.send("Hello");
  answer("Hello.");
  run("/retry");
  EXPECT_EQ(model_.requests.back().shape.text, "");
}

TEST_F(RouteTest, WhatIsOfAWholeRunIsToldOnce) {
  own("mine.toml",
      "instruction = 'Say it.'\nctx_size = 512\nsystem = 'Be brief.'\noverflow = 'split'");
  begin();
  run_template(context_, "/mine a");
  EXPECT_EQ(
      last_notice(),
      "mine: ctx_size, system, overflow hold for confab mine alone; this chat keeps its own.");
  EXPECT_NE(model_.requests.back().turns.front().message.content, "Be brief.");
  answer("Answer.");
  run_template(context_, "/mine b");
  answer("Answer.");
  run_template(context_, "/summarize c");
  EXPECT_EQ(console_.notices.size(), 1U) << "nor of one that is built in";
}

TEST_F(RouteTest, TheFormThatATemplateExpectsIsSaidAndChecked) {
  own("items.toml", "instruction = 'List them.'\nexpect = 'list:2'");
  begin();
  run_template(context_, "/items a, b");
  EXPECT_EQ(last_question(), asked_in_form("List them.\n\na, b", parse_expectation("list:2")));
  answer("- a\n- b");
  check_form(context_, {});
  EXPECT_THAT(console_.notices, IsEmpty());
  run_template(context_, "/items a, b");
  answer("- a");
  check_form(context_, {});
  EXPECT_EQ(last_notice(),
            "This is not list:2, which items expects: it has 1 item, not 2; /retry asks again.");
  run("/retry");
  EXPECT_EQ(last_question(), asked_in_form("List them.\n\na, b", parse_expectation("list:2")));
  answer("- a\n- b");
  check_form(context_, {.end = AnswerEnd::length});
  EXPECT_THAT(last_notice(), HasSubstr("it was too long, and so was cut off"));
  const std::size_t n = console_.notices.size();
  check_form(context_, {.end = AnswerEnd::stopped});
  ask("Hello");
  check_form(context_, {});
  EXPECT_EQ(console_.notices.size(), n) << "what has no form, or was stopped, is not checked";
}

TEST_F(RouteTest, AShapeThatIsSetTakesThePlaceOfAForm) {
  own("items.toml", "instruction = 'List them.'\nexpect = 'list:2'");
  begin();
  chat_.answer_options().shape = {.kind = engine::ConstraintSpec::Kind::pattern, .text = "a"};
  run_template(context_, "/items a, b");
  EXPECT_EQ(last_question(), "List them.\n\na, b");
  answer("a");
  check_form(context_, {});
  EXPECT_THAT(console_.notices, IsEmpty());
}

TEST_F(RouteTest, AQuestionThatIsChangedIsOfAClassToo) {
  begin();
  ask("Hello");
  EXPECT_FLOAT_EQ(last_temperature(), 0.8F);
  run("/edit Write it in Python");
  EXPECT_FLOAT_EQ(last_temperature(), 0.3F);
  answer("Answer.");
  run("/edit Hello");
  EXPECT_FLOAT_EQ(last_temperature(), 0.8F);
  answer("Answer.");
}

// Its instruction is part of the text by then, and is not said twice.
TEST_F(RouteTest, AQuestionOfATemplateThatIsChangedStaysOne) {
  own("mine.toml", "instruction = 'Say it in {{1}}.'\ntemperature = 0.125");
  begin();
  run_template(context_, "/mine Latin tree");
  EXPECT_EQ(last_question(), "Say it in Latin.\n\ntree");
  answer("Answer.");
  run("/edit Say it in Latin. house");
  EXPECT_EQ(last_question(), "Say it in Latin. house");
  EXPECT_FLOAT_EQ(last_temperature(), 0.125F);
  answer("Answer.");
  run("/edit Hello");
  EXPECT_EQ(last_question(), "Hello");
  EXPECT_FLOAT_EQ(last_temperature(), 0.8F);
}

TEST_F(RouteTest, AFileThatIsWrongIsTold) {
  own("mine.toml", "x = 1");
  begin();
  EXPECT_THAT(last_error(), HasSubstr("mine.toml:1: no key 'x'"));
}

TEST_F(RouteTest, NamesAreCompletedAndSuggested) {
  begin();
  const auto texts = [&](const char* before, const char* word) {
    std::vector<std::string> all;
    for (const ui::Candidate& one : complete(context_, before, word)) all.push_back(one.text);
    return all;
  };
  EXPECT_THAT(texts("", "/comm"), ElementsAre("/commit-message"));
  EXPECT_THAT(texts("/route ", "rev"), Contains("review"));
  EXPECT_THAT(texts("/route ", "au"), Contains("auto"));
  run("/reveiw x");
  EXPECT_THAT(last_error(), HasSubstr("did you mean /review?"));
}

// With a model that is asked itself.
class RouteByModelTest : public RouteTest {
 protected:
  RouteByModelTest() {
    auto model = std::make_unique<FakeModel>();
    fake_ = model.get();
    backend_.model = std::move(model);
    context_.backend = &backend_;
    begin("auto");
  }
  std::optional<Question> tell(engine::Event event) {
    return take_class(context_, {static_cast<engine::AnswerId>(1), std::move(event)});
  }
  Backend backend_;
  FakeModel* fake_ = nullptr;
};

TEST_F(RouteByModelTest, InDoubtTheQuestionWaitsForTheModel) {
  EXPECT_EQ(routed_question(context_, "xyzzy"), std::nullopt);
  ASSERT_EQ(fake_->scorings.size(), 1U);
  run("/new");
  EXPECT_THAT(last_error(), HasSubstr("/new: an answer is being written"));
  EXPECT_EQ(tell(engine::PrefillProgress{1, 2, 0}), std::nullopt);
  engine::Scored scored;
  for (int i = 0; i < 12; ++i) scored.options.push_back({.log_p = i == 0 ? -0.1 : -9});
  const auto question = tell(scored);
  ASSERT_TRUE(question);
  EXPECT_EQ(question->text, "xyzzy");
  EXPECT_FLOAT_EQ(question->options->sampling.temperature, 0.3F);
  EXPECT_THAT(last_notice(), HasSubstr("since the model says so"));
  EXPECT_FALSE(context_.routing.pending);
}

// A question to another engine is asked when that has answered, and comes back when it does not.
TEST_F(RouteByModelTest, TheModelOfATemplateIsWaitedFor) {
  engine::EngineServer server(engine::vllm_pages());
  const auto await = [this] {
    while (backend_.awaited) {
      wait_readable({awaited_fd(backend_)}, std::chrono::seconds(60));
      take_awaited(backend_, chat_);
    }
  };
  own("afar.toml", "instruction = \"Far.\"\nmodel = \"" + server.server().url() + "\"\n");
  own("gone.toml", "instruction = \"Gone.\"\nmodel = \"http://127.0.0.1:1\"\n");
  begin("off");
  run_template(context_, "/gone the question");
  EXPECT_TRUE(backend_.awaited);
  EXPECT_TRUE(fake_->requests.empty());
  run("/new");
  EXPECT_THAT(last_error(), HasSubstr("/new: waiting for"));
  await();
  EXPECT_THAT(last_error(), HasSubstr("no engine is running at 127.0.0.1:1"));
  EXPECT_THAT(console_.taken_back, ElementsAre("the question"));
  EXPECT_EQ(take_ready(context_), std::nullopt);
  run_template(context_, "/afar the question");
  await();
  EXPECT_THAT(last_notice(), HasSubstr("/org/model, as afar has it"));
  const auto question = take_ready(context_);
  ASSERT_TRUE(question);
  EXPECT_EQ(question->text, "Far.\n\nthe question");
  EXPECT_EQ(take_ready(context_), std::nullopt);
  run_template(context_, "/afar and another");
  EXPECT_FALSE(backend_.awaited) << "it is that one already";
}

TEST_F(RouteByModelTest, WhatIsCancelledIsAskedAsItIs) {
  EXPECT_EQ(routed_question(context_, "xyzzy"), std::nullopt);
  forget_class(context_);
  EXPECT_EQ(fake_->n_cancelled, 1);
  const auto question = tell(finished({}, engine::FinishReason::cancelled));
  ASSERT_TRUE(question);
  EXPECT_EQ(question->options, std::nullopt);
  EXPECT_EQ(context_.routing.last.reason, "the model could not be asked");
}

}  // namespace
}  // namespace confab::app
