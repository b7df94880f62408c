// SPDX-License-Identifier: MIT
// What every ChatModel promises, of one on this machine and of the same one behind HTTP.
#include <gtest/gtest.h>
#include <poll.h>

#include <map>
#include <memory>

#include "engine/remote/remote_chat_model.h"
#include "engine/run/local_chat_model.h"
#include "tests/engine/remote/bridge_server.h"
#include "tests/engine/run/chat_model_rig.h"

namespace confab::engine {
namespace {

using namespace std::chrono_literals;

constexpr int kContext = 4096;

class ChatModelContractTest : public testing::TestWithParam<const char*> {
 protected:
  ChatModelContractTest() {
    if (is_remote()) {
      bridge_ = std::make_unique<BridgeServer>(kContext);
      model = load_remote_model({.address = bridge_->address()});
    } else {
      model = load_chat_model({.path = file_.path(), .n_ctx = kContext, .n_threads = 1});
    }
  }
  static bool is_remote() { return std::string(GetParam()) == "remote"; }

  static GenerateRequest greedy(const std::string& text, int n_predict) {
    GenerateRequest request = front::ask(text, n_predict);
    request.chosen = {"temperature"};
    return request;
  }
  front::Answer answer(GenerateRequest request) {
    model->generate(std::move(request));
    return front::collect(*model);
  }

 private:
  const TinyModelFile file_{{.n_ctx = 8192}};
  std::unique_ptr<BridgeServer> bridge_;

 protected:
  std::unique_ptr<ChatModel> model;
};

TEST_P(ChatModelContractTest, SaysWhatItIsBeforeAnythingIsAsked) {
  EXPECT_FALSE(model->info().name.empty());
  EXPECT_EQ(model->info().n_ctx, kContext);
  EXPECT_GE(model->info().n_parallel, 1);
  EXPECT_EQ(model->info().place.empty(), !is_remote());
  EXPECT_FALSE(model->next_event());
}

TEST_P(ChatModelContractTest, AnAnswerHasAnEndWithItsFiguresAndNothingAfterIt) {
  const front::Answer one = answer(greedy("the cat", 8));
  ASSERT_TRUE(one.end) << one.error;
  EXPECT_FALSE(one.text.empty());
  EXPECT_EQ(one.end->reason, FinishReason::length);
  EXPECT_EQ(one.end->stats.n_generated, 8);
  EXPECT_GT(one.end->stats.n_prompt, 0);
  EXPECT_NEAR(one.end->n_ctx_used, one.end->stats.n_prompt + 8, 1);  // the last need not be read
  EXPECT_GT(one.end->stats.ttft.count(), 0);
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(model->next_event());
}

TEST_P(ChatModelContractTest, TheSameQuestionHasTheSameAnswerHereAndThere) {
  const TinyModelFile file{{.n_ctx = 8192}};
  const auto here = load_chat_model({.path = file.path(), .n_ctx = kContext, .n_threads = 1});
  for (const char* text : {"the cat", "one two", "é?"}) {
    here->generate(greedy(text, 12));
    EXPECT_EQ(answer(greedy(text, 12)).text, front::collect(*here).text) << text;
  }
}

TEST_P(ChatModelContractTest, AnswersAreToldApart) {
  std::map<AnswerId, std::string> texts;
  const std::string first = answer(greedy("the cat", 6)).text;
  const std::string second = answer(greedy("one two", 9)).text;
  const AnswerId one = model->generate(greedy("the cat", 6));
  const AnswerId two = model->generate(greedy("one two", 9));
  EXPECT_NE(one, two);
  for (int n_ended = 0; n_ended < 2;) {
    pollfd entry{model->wake_fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&entry, 1, 60'000), 1);
    while (const auto told = model->next_event()) {
      if (const auto* text = std::get_if<TextDelta>(&told->event))
        texts[told->answer] += text->text;
      n_ended += static_cast<int>(is_end(told->event));
    }
  }
  EXPECT_EQ(texts[one], first);
  EXPECT_EQ(texts[two], second);
}

TEST_P(ChatModelContractTest, ACancelledAnswerEndsAndTheModelCanBeUsedAgain) {
  GenerateRequest endless = greedy("the cat", 3000);
  endless.sampling.ignore_eos = true;
  endless.chosen.emplace_back("ignore_eos");
  const AnswerId id = model->generate(std::move(endless));
  while (!std::holds_alternative<TextDelta>(front::next(*model))) continue;
  model->cancel(id);
  for (;;) {
    const Event event = front::next(*model);
    ASSERT_FALSE(std::holds_alternative<Failed>(event));
    const auto* end = std::get_if<Finished>(&event);
    if (end == nullptr) continue;
    EXPECT_EQ(end->reason, FinishReason::cancelled);
    break;
  }
  model->cancel(id);
  EXPECT_EQ(answer(greedy("the cat", 5)).end->stats.n_generated, 5);
}

TEST_P(ChatModelContractTest, AnAnswerThatIsGoneOnWithIsToldFromItsBeginning) {
  const std::string whole = answer(greedy("the cat", 12)).text;
  const std::string begun = whole.substr(0, whole.find(' ') + 1);
  GenerateRequest request = greedy("the cat", 6);
  request.turns.push_back({{"assistant", begun}});
  request.continues = true;
  const front::Answer rest = answer(std::move(request));
  ASSERT_TRUE(rest.end) << rest.error;
  EXPECT_TRUE(rest.text.starts_with(begun)) << rest.text;
  EXPECT_GT(rest.text.size(), begun.size());
}

TEST_P(ChatModelContractTest, APromptThatIsTooLongIsRefusedAsSuch) {
  std::string lots;
  for (int i = 0; i < 2 * kContext; ++i) lots += "cat ";
  model->generate(greedy(lots, 4));
  for (;;) {
    const Event event = front::next(*model);
    ASSERT_FALSE(std::holds_alternative<TextDelta>(event));
    const auto* failed = std::get_if<Failed>(&event);
    if (failed == nullptr) continue;
    EXPECT_TRUE(failed->prompt_too_long) << failed->message;
    EXPECT_EQ(failed->message.find('\n'), std::string::npos);
    break;
  }
  EXPECT_TRUE(answer(greedy("the cat", 4)).end);
}

TEST_P(ChatModelContractTest, ACountComesWithItsNumber) {
  const std::vector<Turn> turns{{{"user", "the cat"}}};
  model->count({.number = 41, .turns = turns});
  const Event event = front::next(*model);
  EXPECT_EQ(std::get<Counted>(event).number, 41U);
  EXPECT_EQ(std::get<Counted>(event).n_tokens, model->count_tokens(turns));
  EXPECT_NE(model->prompt_text(turns).find("the cat"), std::string::npos);
}

TEST_P(ChatModelContractTest, AnAnswerHasTheShapeThatWasAskedFor) {
  GenerateRequest request = greedy("the cat", 20);
  request.shape = {.kind = ConstraintSpec::Kind::choices, .choices = {"yes", "no"}};
  const front::Answer shaped = answer(std::move(request));
  ASSERT_TRUE(shaped.end) << shaped.error;
  EXPECT_TRUE(shaped.text == "yes" || shaped.text == "no") << shaped.text;
  EXPECT_TRUE(shaped.end->is_in_shape);
}

TEST_P(ChatModelContractTest, WhatItIsToldBetweenAnswersChangesNone) {
  const std::string before = answer(greedy("the cat", 8)).text;
  model->prepare({.turns = {{{"user", "the cat"}}}, .draft = "and"});
  model->spare_memory(true);
  model->spare_power(true);
  EXPECT_EQ(answer(greedy("the cat", 8)).text, before);
  model->spare_memory(false);
  model->spare_power(false);
  model->unload();
  EXPECT_EQ(answer(greedy("the cat", 8)).text, before);
}

TEST_P(ChatModelContractTest, CanBeDestroyedWhileItGenerates) {
  model->generate(greedy("the cat", 200));
  front::next(*model);
  model.reset();
}

INSTANTIATE_TEST_SUITE_P(Both, ChatModelContractTest, testing::Values("local", "remote"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace confab::engine
