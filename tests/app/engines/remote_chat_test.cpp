// SPDX-License-Identifier: MIT
// A chat with engines elsewhere: what is kept of it, and how it goes on where they fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <nlohmann/json.hpp>

#include "app/chat/answer_loop.h"
#include "app/chat/backend.h"
#include "app/chat/chat.h"
#include "app/pump.h"
#include "tests/engine/remote/engine_server.h"
#include "tests/engine/tiny_model.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using engine::EngineServer;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using Connection = LoopbackServer::Connection;

std::string delta(const std::string& text) {
  return json{{"choices", {{{"index", 0}, {"delta", {{"content", text}}}}}}}.dump();
}

void answer(Connection& to, const std::string& text) {
  to.begin_stream();
  to.event(delta(text));
  to.event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})");
  to.event("[DONE]");
  to.end_stream();
}

struct Silent final : AnswerSink {
  void progress(std::size_t, const AnswerWait& wait) override {
    if (const auto* waiting = std::get_if<engine::Waiting>(&wait)) waited = waiting->reason;
  }
  void reasoning(std::size_t, const engine::ReasoningDelta&) override {}
  bool text(std::size_t, const engine::TextDelta&) override { return true; }
  std::string waited;
};

class RemoteChatTest : public testing::Test {
 protected:
  RemoteChatTest() {
    paths_.database = dir_.path() / "data" / "confab.db";
    paths_.kv = dir_.path() / "cache" / "kv";
    options_.model.n_threads = 1;
  }
  // -m with the address of an engine.
  void name_engine(const EngineServer& server) {
    options_.model.path = server.address().url;
    options_.model.named = true;
  }
  // Throws for what was waited for in vain.
  static void change_to(Backend& backend, Chat& chat, const std::string& model) {
    use_model(backend, chat, model, [](const std::string& fault) {
      if (!fault.empty()) throw std::runtime_error(fault);
    });
    take_ready(backend, chat);
  }
  static void take_ready(Backend& backend, Chat& chat) {
    while (backend.awaited) {
      wait_readable({awaited_fd(backend)}, std::chrono::seconds(60));
      take_awaited(backend, chat);
    }
  }
  AnswerOutcome run(Backend& backend, Chat& chat) {
    engine::ChatModel& model = *backend.model;
    return AnswerLoop(&chat, sink_).run(model, [&model] {
      pollfd entry{model.wake_fd(), POLLIN, 0};
      if (::poll(&entry, 1, 60'000) != 1) throw std::runtime_error("no event came");
    });
  }

  TempDir dir_;
  Paths paths_;
  ChatOptions options_;
  Silent sink_;
};

TEST_F(RemoteChatTest, AnAnswerIsKeptWithTheEngineThatWroteIt) {
  const EngineServer server(
      engine::llama_server_pages(),
      [](const LoopbackRequest&, Connection& to) { answer(to, "Hi there."); });
  name_engine(server);
  Backend backend = open_backend(options_, paths_, true);
  Chat chat(*backend.model, backend.store.get(), options_);
  chat.send(Question("Hello?"));
  EXPECT_EQ(run(backend, chat).end, AnswerEnd::finished);
  const auto kept = backend.store->messages(*chat.conversation());
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[1].content, "Hi there.");
  EXPECT_EQ(kept[1].model, server.address().url.substr(7) + "/m.gguf");
  EXPECT_TRUE(kept[1].tokens.empty());
}

TEST_F(RemoteChatTest, AConversationMovesBetweenThisMachineAndAnEngine) {
  EngineServer server(engine::llama_server_pages(),
                      [](const LoopbackRequest&, Connection& to) { answer(to, "From afar."); });
  const engine::TinyModelFile file;
  options_.model.path = file.path();
  Backend backend = open_backend(options_, paths_, true);
  Chat chat(*backend.model, backend.store.get(), options_);
  chat.answer_options().n_predict = 4;
  chat.send(Question("One?"));
  run(backend, chat);
  const std::string first = chat.messages()[1].content;
  use_model(backend, chat, server.address().url);
  EXPECT_EQ(backend.model->info().path, file.path()) << "until the engine answers";
  take_ready(backend, chat);
  chat.send(Question("Two?"));
  EXPECT_EQ(run(backend, chat).end, AnswerEnd::finished);
  const json sent = json::parse(server.server().requests().back().body);
  ASSERT_EQ(sent["messages"].size(), 3U);
  EXPECT_EQ(sent["messages"][1]["content"], first);
  use_model(backend, chat, file.path());
  chat.send(Question("Three?"));
  EXPECT_EQ(run(backend, chat).end, AnswerEnd::length);
  const auto kept = backend.store->messages(*chat.conversation());
  ASSERT_EQ(kept.size(), 6U);
  EXPECT_EQ(kept[1].model, kept[5].model);
  EXPECT_THAT(kept[3].model, HasSubstr("/m.gguf"));
}

TEST_F(RemoteChatTest, ABrokenAnswerStaysAndIsGoneOnWith) {
  std::atomic<int> n = 0;
  EngineServer server(engine::llama_server_pages(), [&](const LoopbackRequest&, Connection& to) {
    if (n++ > 0) return answer(to, " there was a fox.");
    to.begin_stream();
    to.event(delta("Once"));
    to.close();
  });
  name_engine(server);
  Backend backend = open_backend(options_, paths_, true);
  Chat chat(*backend.model, backend.store.get(), options_);
  chat.send(Question("A story?"));
  const AnswerOutcome broken = run(backend, chat);
  EXPECT_EQ(broken.end, AnswerEnd::failed);
  EXPECT_THAT(broken.fault, HasSubstr("broke"));
  EXPECT_EQ(backend.store->messages(*chat.conversation()).at(1).content, "Once");
  chat.continue_answer();
  EXPECT_EQ(run(backend, chat).end, AnswerEnd::finished);
  EXPECT_EQ(chat.messages()[1].content, "Once there was a fox.");
  const json sent = json::parse(server.server().requests().back().body);
  EXPECT_EQ(sent["continue_final_message"], true);
  EXPECT_EQ(sent["messages"].back()["content"], "Once");
  chat.retry();
  EXPECT_EQ(run(backend, chat).end, AnswerEnd::finished);
  EXPECT_EQ(chat.messages()[1].content, " there was a fox.");
}

TEST_F(RemoteChatTest, AnEngineThatIsLoadingIsWaitedForAndSaysSo) {
  std::atomic<int> n = 0;
  const EngineServer server(
      engine::llama_server_pages(), [&](const LoopbackRequest&, Connection& to) {
        if (n++ > 0) return answer(to, "Yes.");
        to.reply(503, R"({"error":{"message":"Loading model"}})", "Retry-After: 1\r\n");
      });
  name_engine(server);
  Backend backend = open_backend(options_, paths_, true);
  Chat chat(*backend.model, backend.store.get(), options_);
  chat.send(Question("There?"));
  EXPECT_EQ(run(backend, chat).end, AnswerEnd::finished);
  EXPECT_THAT(sink_.waited, HasSubstr("is not ready: Loading model"));
}

TEST_F(RemoteChatTest, APromptThatIsTooLongIsGivenBack) {
  const EngineServer server(
      engine::llama_server_pages(), [](const LoopbackRequest&, Connection& to) {
        to.reply(400, R"({"error":{"message":"too long","type":"exceed_context_size_error"}})");
      });
  name_engine(server);
  Backend backend = open_backend(options_, paths_, true);
  Chat chat(*backend.model, backend.store.get(), options_);
  chat.send(Question("All of it?"));
  const AnswerOutcome refused = run(backend, chat);
  EXPECT_TRUE(refused.too_long);
  ASSERT_TRUE(refused.refused);
  EXPECT_EQ(refused.refused->text, "All of it?");
  EXPECT_TRUE(chat.messages().empty());
}

TEST_F(RemoteChatTest, OnlyWhatSomebodyHasChosenIsSaid) {
  EngineServer server(engine::llama_server_pages(),
                      [](const LoopbackRequest&, Connection& to) { answer(to, "Yes."); });
  name_engine(server);
  Backend backend = open_backend(options_, paths_, true);
  Chat chat(*backend.model, backend.store.get(), options_);
  chat.send(Question("One?"));
  run(backend, chat);
  EXPECT_FALSE(json::parse(server.server().requests().back().body).contains("temperature"));
  EXPECT_EQ(set_parameter(*find_set_parameter("temp"), chat.answer_options(), "0.8", Origin::chat),
            "");
  chat.send(Question("Two?"));
  run(backend, chat);
  EXPECT_FLOAT_EQ(json::parse(server.server().requests().back().body)["temperature"], 0.8F);
}

// By a name of this machine that does not look like one.
TEST_F(RemoteChatTest, HttpToAnotherMachineWarnsOnceForEachOfThem) {
  const EngineServer first(engine::plain_pages()), second(engine::llama_server_pages());
  const auto elsewhere = [](const EngineServer& server) {
    return "0.0.0.0" + server.address().url.substr(std::string("http://127.0.0.1").size());
  };
  const auto warning = [](const std::string& host) {
    return "what you say goes to " + host +
           " unencrypted: use https:// if others can read on the way";
  };
  const engine::TinyModelFile file;
  options_.model.path = "http://" + elsewhere(first);
  options_.model.named = true;
  Backend backend = open_backend(options_, paths_, true);
  const std::string notice = backend.take_notice();
  EXPECT_THAT(notice, HasSubstr(warning(elsewhere(first))));
  EXPECT_THAT(notice, HasSubstr("does not say how long its context is")) << "both are said";
  Chat chat(*backend.model, backend.store.get(), options_);
  change_to(backend, chat, file.path());
  EXPECT_EQ(backend.take_notice(), "");
  change_to(backend, chat, "http://" + elsewhere(first));
  EXPECT_THAT(backend.take_notice(), Not(HasSubstr("unencrypted")));
  change_to(backend, chat, "http://" + elsewhere(second));
  EXPECT_EQ(backend.take_notice(), warning(elsewhere(second)));
  change_to(backend, chat, second.address().url);
  EXPECT_EQ(backend.take_notice(), "") << "it never leaves this machine";
}

// It was remembered, or is that of the conversation: no reason to have no chat.
TEST_F(RemoteChatTest, AnEngineThatIsGoneIsNoReasonToHaveNoChat) {
  const engine::TinyModelFile file;
  options_.model.engines = {{.name = "work", .url = "http://127.0.0.1:1"}};
  const sessions::NewMessage said[] = {
      {.role = sessions::Role::user, .content = "Hello?"},
      {.role = sessions::Role::assistant, .content = "Hi.", .model = "work/m"}};
  options_.model.path = file.path();
  open_backend(options_, paths_, true).store->create_conversation(said);
  options_.continue_last = true;
  Backend backend = open_backend(options_, paths_, true);
  EXPECT_EQ(backend.model->info().path, file.path());
  const std::string notice = backend.take_notice();
  EXPECT_THAT(notice, HasSubstr("work: nothing answers at 127.0.0.1:1; using"));
}

}  // namespace
}  // namespace confab::app
