// SPDX-License-Identifier: MIT
#include "app/batch/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/error.h"
#include "tests/app/fake_model.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string prompts(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += json{{"prompt", "p" + std::to_string(i)}}.dump() + "\n";
  return text;
}

class BatchRunTest : public testing::Test {
 protected:
  void begin(const std::string& requests, BatchRun::Options options) {
    run.reset();
    output.reset();
    input = std::make_unique<BatchInput>(folder.file("in.jsonl", requests), ChatOptions{});
    output = std::make_unique<BatchOutput>(folder / "out.jsonl");
    run = std::make_unique<BatchRun>(model, *input, *output, options);
    go_on();
  }
  void go_on() {
    run->fill();
    run->write();
  }
  // The answer to a request of the model, by number.
  void answer(std::size_t request, const std::string& text) {
    model.tell(request, engine::TextDelta{.text = text, .n_generated = 2});
    model.tell(request, finished({1, 2}));
    run->take();
    go_on();
  }
  std::vector<int> lines() const {
    std::vector<int> numbers;
    std::istringstream in(read_file(folder / "out.jsonl"));
    for (std::string line; std::getline(in, line);)
      numbers.push_back(json::parse(line)["line"].get<int>());
    return numbers;
  }
  std::vector<std::string> asked() const {
    std::vector<std::string> texts;
    for (const auto& request : model.requests)
      texts.push_back(request.turns.back().message.content);
    return texts;
  }

  const TempDir folder;
  FakeModel model;
  std::unique_ptr<BatchInput> input;
  std::unique_ptr<BatchOutput> output;
  std::unique_ptr<BatchRun> run;
};

TEST_F(BatchRunTest, KeepsSoManyInFlight) {
  begin(prompts(5), {.n_parallel = 2});
  EXPECT_THAT(asked(), ElementsAre("p0", "p1"));
  answer(1, "one");
  EXPECT_THAT(asked(), ElementsAre("p0", "p1", "p2"));
  answer(0, "zero");
  answer(2, "two");
  answer(3, "three");
  EXPECT_FALSE(run->is_idle());
  answer(4, "four");
  EXPECT_TRUE(run->is_idle());
  EXPECT_THAT(lines(), ElementsAre(2, 1, 3, 4, 5));
  EXPECT_EQ(run->figures().n_now, 5U);
  EXPECT_EQ(run->figures().n_tokens, 10);
}

// They are put in order at the end: a crash then loses none that is finished.
TEST_F(BatchRunTest, AnAnswerIsWrittenWhenItIsWholeWhateverTheOrder) {
  begin(prompts(4), {.n_parallel = 3});
  answer(2, "two");
  EXPECT_THAT(lines(), ElementsAre(3));
  answer(0, "zero");
  EXPECT_THAT(lines(), ElementsAre(3, 1));
}

TEST_F(BatchRunTest, GoesOnWhereItWasStopped) {
  begin(prompts(6), {.n_parallel = 3});
  answer(2, "two");
  answer(0, "zero");
  run->stop();
  EXPECT_EQ(model.cancelled.size(), 3U);
  for (const std::size_t i : {1U, 3U, 4U}) {
    model.tell(i, engine::TextDelta{.text = "half"});
    model.tell(i, finished({1}, engine::FinishReason::cancelled));
  }
  run->take();
  go_on();
  EXPECT_TRUE(run->is_idle());
  EXPECT_THAT(lines(), ElementsAre(3, 1));
  model.requests.clear();
  begin(prompts(6), {.n_parallel = 8});
  EXPECT_THAT(asked(), ElementsAre("p1", "p3", "p4", "p5"));
  EXPECT_EQ(run->figures().n_before, 2U);
  answer(3, "five");
  answer(2, "four");
  answer(0, "one");
  answer(1, "three");
  EXPECT_THAT(lines(), ElementsAre(3, 1, 6, 5, 2, 4));
}

TEST_F(BatchRunTest, AnEngineThatIsGoneStopsTheRunAndUsesUpNoRequest) {
  begin(prompts(4), {.n_parallel = 1});
  answer(0, "one");
  model.tell(1, engine::Failed{.message = "work: cannot connect", .is_unreachable = true});
  run->take();
  go_on();
  EXPECT_TRUE(run->is_idle());
  EXPECT_EQ(run->lost(), "work: cannot connect");
  EXPECT_THAT(asked(), ElementsAre("p0", "p1"));
  EXPECT_THAT(lines(), ElementsAre(1));
  EXPECT_EQ(run->figures().n_failed, 0);
}

TEST_F(BatchRunTest, ErrorsAreOfTheirLine) {
  begin(prompts(1) + "nonsense\n" + R"({"prompt": "a", "files": "/nowhere/at/all"})" + "\n" +
            prompts(1),
        {.n_parallel = 1});
  model.tell(0, engine::Failed{.message = "the prompt is too long"});
  run->take();
  go_on();
  EXPECT_THAT(asked(), ElementsAre("p0", "p0"));
  answer(1, "yes");
  EXPECT_TRUE(run->is_idle());
  EXPECT_THAT(lines(), ElementsAre(1, 2, 3, 4));
  const std::string text = read_file(folder / "out.jsonl");
  EXPECT_THAT(text, HasSubstr("the prompt is too long"));
  EXPECT_THAT(text, HasSubstr("line 2: not JSON"));
  EXPECT_THAT(text, HasSubstr("/nowhere/at/all"));
  EXPECT_EQ(run->figures().n_failed, 3);
}

// The model is not to wait for the disk.
TEST_F(BatchRunTest, ALineIsWrittenAfterTheNextRequestIsAsked) {
  begin(prompts(2), {.n_parallel = 1});
  model.tell(0, engine::TextDelta{.text = "zero"});
  model.tell(0, finished({1}));
  run->take();
  run->fill();
  EXPECT_THAT(asked(), ElementsAre("p0", "p1"));
  EXPECT_THAT(lines(), ElementsAre());
  EXPECT_EQ(run->figures().n_now, 0U);
  run->write();
  EXPECT_THAT(lines(), ElementsAre(1));
  EXPECT_EQ(run->figures().n_now, 1U);
}

TEST_F(BatchRunTest, WhatIsNotAsExpectedIsAskedForAgain) {
  begin(R"({"prompt": "Colours?", "expect": "list:2", "retries": 1})"
        "\n" +
            prompts(1),
        {.n_parallel = 1});
  EXPECT_THAT(asked().back(), AllOf(StartsWith("Colours?"), HasSubstr("list of exactly 2 items")));
  const std::string first = asked().back();
  answer(0, "- red");
  EXPECT_THAT(lines(), ElementsAre());
  ASSERT_EQ(asked().size(), 2U) << "in its place, before the next request";
  EXPECT_THAT(asked().back(), AllOf(StartsWith(first), HasSubstr("it has 1 item, not 2")));
  answer(1, "- red\n- blue");
  ASSERT_EQ(asked().size(), 3U);
  answer(2, "yes");
  EXPECT_THAT(lines(), ElementsAre(1, 2));
  std::istringstream in(read_file(folder / "out.jsonl"));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(json::parse(line)["answer"], "- red\n- blue");
  EXPECT_EQ(json::parse(line)["refused"], json::parse(R"(["it has 1 item, not 2"])"));
  std::getline(in, line);
  EXPECT_FALSE(json::parse(line).contains("refused"));
  EXPECT_EQ(run->figures().n_tokens, 6) << "those that were refused are written too";
}

TEST_F(BatchRunTest, WhatNeverIsAsExpectedIsAnError) {
  begin(R"({"prompt": "a", "expect": "json", "retries": 1})"
        "\n",
        {.n_parallel = 1});
  answer(0, "no");
  model.tell(1, engine::TextDelta{.text = "[1]"});
  model.tell(1, finished({1}, engine::FinishReason::length));
  run->take();
  go_on();
  EXPECT_TRUE(run->is_idle());
  EXPECT_EQ(run->figures().n_failed, 1);
  EXPECT_EQ(
      json::parse(read_file(folder / "out.jsonl"))["error"],
      "no answer has the form json after 2 attempts; of the last one: it was too long, and so "
      "was cut off");
}

TEST_F(BatchRunTest, OfJsonThatIsExpectedTheFenceIsTakenOff) {
  begin(R"({"prompt": "a", "expect": "json", "retries": 0})"
        "\n",
        {.n_parallel = 1});
  answer(0, "```json\n{\"a\": 1}\n```");
  EXPECT_EQ(json::parse(read_file(folder / "out.jsonl"))["answer"], "{\"a\": 1}");
}

// Nothing is asked for again then: the same command goes on with it.
TEST_F(BatchRunTest, ARefusedAnswerOfARunThatStopsHasNoLine) {
  begin(R"({"prompt": "a", "expect": "list"})"
        "\n",
        {.n_parallel = 1});
  run->stop();
  answer(0, "no");
  EXPECT_TRUE(run->is_idle());
  EXPECT_EQ(asked().size(), 1U);
  EXPECT_THAT(lines(), ElementsAre());
}

// That is no answer to a request: it would be the same for all that are left.
TEST_F(BatchRunTest, WhenTheModelFileIsAtFaultNothingIsWritten) {
  model.change_info().path = "/m.gguf";
  begin(prompts(2), {.n_parallel = 2});
  model.tell(0, engine::Failed{.message = "/m.gguf: the file was overwritten"});
  EXPECT_THROW(run->take(), UserError);
  EXPECT_THAT(lines(), ElementsAre());
  model.tell(1, engine::TextDelta{.text = "one"});
  model.tell(1, finished({1}));
  model.tell(0, engine::Failed{.message = "/m.gguf: the file was overwritten"});
  EXPECT_THROW(run->take(), UserError);
  EXPECT_THAT(lines(), ElementsAre(2)) << "but what was answered before";
}

TEST_F(BatchRunTest, AnswersToOtherRequestsAreNotAddedTo) {
  begin("{\"prompt\": \"a\", \"id\": \"x\"}\n", {.n_parallel = 1});
  answer(0, "yes");
  EXPECT_THROW(begin("{\"prompt\": \"a\", \"id\": \"y\"}\n", {.n_parallel = 1}), UserError);
}

TEST_F(BatchRunTest, ARequestIsAskedAsItSays) {
  model.change_info().sampling = {{"temp", 0.3}, {"top_k", 7}};
  begin(R"({"prompt": "a", "temperature": 0.5, "max_tokens": 4, "stop": "x", "thinking": true})"
        "\n",
        {.n_parallel = 1});
  ASSERT_EQ(model.requests.size(), 1U);
  const engine::GenerateRequest& request = model.requests[0];
  EXPECT_FLOAT_EQ(request.sampling.temperature, 0.5F);
  EXPECT_EQ(request.sampling.top_k, 7) << "as the model's makers recommend";
  EXPECT_EQ(request.n_predict, 4);
  EXPECT_THAT(request.stop, ElementsAre("x"));
  EXPECT_EQ(request.settings.thinking, true);
}

TEST_F(BatchRunTest, AnAnswerThatDoesNotHaveItsShapeIsAnError) {
  begin(R"({"prompt": "a", "regex": "[ab]{9}"})"
        "\n",
        {.n_parallel = 1});
  model.tell(0, engine::TextDelta{.text = "abab"});
  engine::Finished cut = finished({1}, engine::FinishReason::length);
  cut.is_in_shape = false;
  model.tell(0, cut);
  run->take();
  go_on();
  EXPECT_THAT(read_file(folder / "out.jsonl"), HasSubstr("cut off before it had its shape"));
  EXPECT_EQ(run->figures().n_failed, 1);
}

TEST_F(BatchRunTest, AShapeThatCannotBeSoShortIsAnErrorWithWhatToDo) {
  begin(R"({"prompt": "a", "regex": "[ab]{9}", "max_tokens": 3})"
        "\n",
        {.n_parallel = 1});
  model.tell(0, engine::Failed{.message = "it has 9 tokens", .shape_too_long = true});
  run->take();
  go_on();
  EXPECT_THAT(read_file(folder / "out.jsonl"),
              HasSubstr(R"(it has 9 tokens; give more max_tokens")"));
  EXPECT_EQ(run->figures().n_failed, 1);
}

TEST_F(BatchRunTest, AShapeStandsBetweenMarkersWhereTheRequestSaysSo) {
  begin(R"({"prompt": "a", "regex": "[ab]", "within": ["<x>", "</x>"]})"
        "\n",
        {.n_parallel = 1});
  ASSERT_EQ(model.requests.size(), 1U);
  EXPECT_EQ(model.requests[0].shape.text, "[ab]");
  EXPECT_EQ(model.requests[0].shape.opening, "<x>");
  EXPECT_EQ(model.requests[0].shape.closing, "</x>");
}

}  // namespace
}  // namespace confab::app
