// SPDX-License-Identifier: MIT
#include "engine/remote/remote_chat_model.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/engine/error_of.h"
#include "tests/engine/remote/engine_server.h"
#include "tests/engine/run/chat_model_rig.h"

namespace confab::engine {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Connection = LoopbackServer::Connection;
using front::ask;
using front::collect;

constexpr const char* kStop = R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";

std::string delta(const std::string& text, const char* key = "content") {
  return json{{"choices", {{{"index", 0}, {"delta", {{key, text}}}, {"finish_reason", nullptr}}}}}
      .dump();
}

// Says the last message again, a word a chunk.
void echo(const LoopbackRequest& request, Connection& to) {
  const std::string text = json::parse(request.body)["messages"].back()["content"];
  to.begin_stream();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size() - 1) + 1;
    to.event(delta(text.substr(at, end - at)));
    at = end;
  }
  to.event(kStop);
  to.event(R"({"choices":[],"usage":{"prompt_tokens":321,"completion_tokens":4}})");
  to.event("[DONE]");
  to.end_stream();
}

std::unique_ptr<ChatModel> load(const EngineServer& engine, int n_ctx = 0) {
  return load_remote_model({.address = engine.address(), .n_ctx = n_ctx});
}

TEST(RemoteChatModelTest, TellsWhereItIsAndWhatItKnows) {
  const EngineServer engine(llama_server_pages());
  const auto model = load(engine);
  const ModelInfo& info = model->info();
  EXPECT_EQ(info.name, "work/m.gguf");
  EXPECT_EQ(info.path, "work/m.gguf");
  EXPECT_EQ(info.n_ctx, 4096);
  EXPECT_EQ(info.n_ctx_train, 32768);
  EXPECT_EQ(info.n_parallel, 4);
  EXPECT_EQ("http://" + info.place, engine.address().url);
  EXPECT_TRUE(info.is_on_this_machine);
  EXPECT_TRUE(info.estimates_tokens);
  EXPECT_TRUE(info.can_reason);
  EXPECT_EQ(info.notice, "");
  EXPECT_FALSE(info.is_in_the_clear);
}

// Of a name of this machine that is_loopback() does not know.
TEST(RemoteChatModelTest, TellsThatOthersCanReadWhatIsSaidAlsoWhereItsContextIsNotKnown) {
  const EngineServer engine(plain_pages());
  EngineAddress address = engine.address();
  address.url.replace(address.url.find("127.0.0.1"), 9, "0.0.0.0");
  const auto model = load_remote_model({.address = address});
  EXPECT_TRUE(model->info().is_in_the_clear);
  EXPECT_FALSE(model->info().is_on_this_machine);
  EXPECT_NE(model->info().notice.find("does not say how long its context is"), std::string::npos);
}

TEST(RemoteChatModelTest, AContextThatNobodyTellsIsAssumedAloud) {
  const EngineServer engine(plain_pages());
  EXPECT_EQ(load(engine)->info().n_ctx, 8192);
  EXPECT_NE(load(engine)->info().notice.find("does not say how long its context is"),
            std::string::npos);
  EXPECT_EQ(load(engine, 2048)->info().n_ctx, 2048);
  EXPECT_EQ(load(engine, 2048)->info().notice, "");
}

TEST(RemoteChatModelTest, OllamaIsToldTheContext) {
  EngineServer engine(ollama_pages(), [](const LoopbackRequest&, Connection& to) {
    to.begin_stream("application/x-ndjson");
    to.chunk("{\"message\":{\"content\":\"Hi\"},\"done\":false}\n");
    to.chunk("{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n");
    to.end_stream();
  });
  const auto model = load(engine, 20'000);
  EXPECT_EQ(model->info().n_ctx, 20'000);
  model->generate(ask("?", 9));
  EXPECT_EQ(collect(*model).text, "Hi");
  const LoopbackRequest request = engine.server().requests().back();
  EXPECT_EQ(request.path, "/api/chat");
  EXPECT_EQ(json::parse(request.body)["options"]["num_ctx"], 20'000);
  EXPECT_EQ(load(engine)->info().n_ctx, 4096);  // as it is loaded there
}

TEST(RemoteChatModelTest, AnAnswerComesInPiecesWithItsFigures) {
  const EngineServer engine(llama_server_pages(), &echo);
  const auto model = load(engine);
  model->generate(ask("one two three four", 9));
  const front::Answer answer = collect(*model);
  EXPECT_EQ(answer.text, "one two three four");
  ASSERT_TRUE(answer.end) << answer.error;
  EXPECT_EQ(answer.end->reason, FinishReason::end_of_turn);
  EXPECT_EQ(answer.end->stats.n_prompt, 321);
  EXPECT_EQ(answer.end->stats.n_generated, 4);
  EXPECT_EQ(answer.end->n_ctx_used, 325);
  EXPECT_GT(answer.end->stats.ttft.count(), 0);
  EXPECT_TRUE(answer.end->tokens.empty());
}

TEST(RemoteChatModelTest, CountsLearnFromTheEngine) {
  const EngineServer engine(llama_server_pages(), &echo);
  const auto model = load(engine);
  const std::vector<Turn> turns{{{"user", std::string(900, 'a')}}};
  const int before = model->count_tokens(turns);
  for (int i = 0; i < 6; ++i) {
    model->generate({.turns = turns});
    collect(*model);
  }
  EXPECT_NEAR(model->count_tokens(turns), 321, 10);
  EXPECT_NE(model->count_tokens(turns), before);
  model->count({.number = 7, .turns = turns});
  const Event counted = front::next(*model);
  EXPECT_EQ(std::get<Counted>(counted).number, 7U);
  EXPECT_EQ(std::get<Counted>(counted).n_tokens, model->count_tokens(turns));
}

TEST(RemoteChatModelTest, CancellingIsToldWithin50MsAndClosesTheConnection) {
  std::atomic<bool> saw_close = false;
  EngineServer engine(llama_server_pages(), [&](const LoopbackRequest&, Connection& to) {
    to.begin_stream();
    to.event(delta("Hel"));
    saw_close = !to.wait(20s);
    to.close();
  });
  const auto model = load(engine);
  const AnswerId id = model->generate(ask("?", 9));
  while (!std::holds_alternative<TextDelta>(front::next(*model))) continue;
  model->cancel(id);
  const Event end = front::next(*model);
  ASSERT_TRUE(std::holds_alternative<Finished>(end));
  EXPECT_EQ(std::get<Finished>(end).reason, FinishReason::cancelled);
  for (int i = 0; i < 2000 && !saw_close; ++i) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(saw_close);
  model->cancel(id);
  EXPECT_FALSE(model->next_event());
}

TEST(RemoteChatModelTest, AnAnswerThatBreaksOffKeepsWhatCame) {
  EngineServer engine(llama_server_pages(), [](const LoopbackRequest&, Connection& to) {
    to.begin_stream();
    to.event(delta("Hel"));
    to.close();
  });
  const auto model = load(engine);
  model->generate(ask("?", 9));
  const front::Answer answer = collect(*model);
  EXPECT_EQ(answer.text, "Hel");
  EXPECT_EQ(answer.error, "work: the connection to " + engine.server().host() + " broke");
  EXPECT_EQ(answer.error.find('\n'), std::string::npos);
}

TEST(RemoteChatModelTest, AnEngineThatIsGoneIsToldAndCanBeAskedAgain) {
  std::unique_ptr<ChatModel> model;
  {
    const EngineServer engine(llama_server_pages(), &echo);
    model = load(engine);
  }
  for (int i = 0; i < 2; ++i) {
    model->generate(ask("?", 9));
    EXPECT_NE(collect(*model).error.find("nothing answers at"), std::string::npos);
  }
}

TEST(RemoteChatModelTest, ParametersThatAreLeftOutAreToldOnce) {
  const EngineServer engine(plain_pages(), &echo);
  const auto model = load(engine);
  const auto remarks = [&] {
    GenerateRequest request = ask("a", 9);
    request.chosen = {"mirostat"};
    model->generate(request);
    std::vector<std::string> told;
    for (;;) {
      const Event event = front::next(*model);
      if (const auto* remark = std::get_if<Remark>(&event)) told.push_back(remark->text);
      if (is_end(event)) return told;
    }
  };
  EXPECT_EQ(
      remarks(),
      (std::vector<std::string>{"work (OpenAI-compatible) does not take mirostat: left out"}));
  EXPECT_TRUE(remarks().empty());
}

TEST(RemoteChatModelTest, AShapeThatTheEngineCannotHoldFailsBeforeAnythingIsSent) {
  EngineServer engine(plain_pages(), &echo);
  const auto model = load(engine);
  GenerateRequest request = ask("a", 9);
  request.shape = {.kind = ConstraintSpec::Kind::pattern, .text = "a+"};
  model->generate(request);
  EXPECT_NE(collect(*model).error.find("cannot hold an answer to a regular expression"),
            std::string::npos);
  for (const LoopbackRequest& sent : engine.server().requests()) EXPECT_EQ(sent.method, "GET");
}

TEST(RemoteChatModelTest, ScoresByTheFirstToken) {
  const EngineServer engine(vllm_pages(), [](const LoopbackRequest&, Connection& to) {
    to.reply(200, R"({"choices":[{"logprobs":{"content":[{"token":"yes","top_logprobs":[)"
                  R"({"token":"yes","logprob":-0.1},{"token":"no","logprob":-3}]}]}}]})");
  });
  const auto model = load(engine);
  model->score({.turns = {{{"user", "?"}}}, .options = {"yes", "no"}});
  const Event event = front::next(*model);
  const auto& scored = std::get<Scored>(event);
  EXPECT_NEAR(scored.options.at(0).log_p, -0.1, 1e-9);
  EXPECT_NEAR(scored.options.at(1).log_p, -3, 1e-9);
}

TEST(RemoteChatModelTest, AReaderWhoIsSlowLosesNothing) {
  constexpr int kPieces = 400;
  const std::string piece(50'000, 'x');
  const EngineServer engine(llama_server_pages(), [&](const LoopbackRequest&, Connection& to) {
    to.begin_stream();
    for (int i = 0; i < kPieces; ++i)
      if (!to.event(delta(piece))) return;
    to.event(kStop);
    to.end_stream();
  });
  const auto model = load(engine);
  model->generate(ask("?", -1));
  std::this_thread::sleep_for(300ms);
  const front::Answer answer = collect(*model);
  EXPECT_EQ(answer.text.size(), kPieces * piece.size());
  EXPECT_TRUE(answer.end) << answer.error;
}

TEST(RemoteChatModelTest, TwoHundredAnswersAtOnceAllCome) {
  const EngineServer engine(vllm_pages(), &echo);
  const auto model = load(engine);
  std::map<AnswerId, std::string> want, got;
  for (int i = 0; i < 200; ++i) {
    const std::string text = "question number " + std::to_string(i);
    want[model->generate(ask(text, -1))] = text;
  }
  for (int n_ended = 0; n_ended < 200;) {
    pollfd entry{model->wake_fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&entry, 1, 60'000), 1);
    while (const auto event = model->next_event()) {
      if (const auto* text = std::get_if<TextDelta>(&event->event))
        got[event->answer] += text->text;
      if (const auto* failed = std::get_if<Failed>(&event->event)) ADD_FAILURE() << failed->message;
      n_ended += static_cast<int>(is_end(event->event));
    }
  }
  EXPECT_EQ(got, want);
}

}  // namespace
}  // namespace confab::engine
