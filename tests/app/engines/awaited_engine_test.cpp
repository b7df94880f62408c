// SPDX-License-Identifier: MIT
#include "app/engines/engine_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "app/pump.h"
#include "engine/error.h"
#include "tests/engine/remote/engine_server.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using engine::EngineServer;
using std::chrono::seconds;
using testing::HasSubstr;
using Connection = LoopbackServer::Connection;

void await(AwaitedEngine& engine) {
  while (!engine.is_over()) wait_readable({engine.wake_fd()}, seconds(60));
}

std::string fault_of(AwaitedEngine& engine) {
  try {
    await(engine);
    engine.take();
  } catch (const std::runtime_error& fault) {
    return fault.what();
  }
  return {};
}

EngineChoice work_at(const std::string& url) {
  return {.engine = {.name = "work", .url = url}, .model = {}};
}

// An engine that wants a key.
class LockedEngine {
 public:
  explicit LockedEngine(std::string key)
      : key_(std::move(key)), server_([this](const LoopbackRequest& request, Connection& to) {
          if (request.header("authorization") != "Bearer " + key_)
            return void(to.reply(401, R"({"error":{"message":"who are you?"}})"));
          const auto pages = engine::vllm_pages();
          const auto page = pages.find(request.path);
          to.reply(page == pages.end() ? 404 : 200, page == pages.end() ? "{}" : page->second);
        }) {}
  std::string url() const { return server_.url(); }

 private:
  std::string key_;
  LoopbackServer server_;
};

TEST(AwaitedEngineTest, GivesTheModelOnceItAnswers) {
  EngineServer server(engine::llama_server_pages());
  AwaitedEngine engine(work_at(server.server().url()), 0, {});
  EXPECT_EQ(engine.text(), "waiting for work");
  await(engine);
  const AwaitedEngine::Ready ready = engine.take();
  EXPECT_EQ(ready.model->info().name, "work/m.gguf");
  EXPECT_EQ(ready.key, "");
}

TEST(AwaitedEngineTest, TellsWhyItIsNotReady) {
  std::atomic<int> n = 0;
  const LoopbackServer server([&](const LoopbackRequest& request, Connection& to) {
    if (request.path != "/v1/models") return void(to.reply(404, "{}"));
    if (n++ == 0)
      to.reply(503, R"({"error":{"message":"Loading model","type":"unavailable_error"}})");
    else
      to.reply(200, R"({"data":[{"id":"x","owned_by":"vllm","max_model_len":4096}]})");
  });
  AwaitedEngine engine(work_at(server.url()), 0, {});
  while (engine.text() == "waiting for work") wait_readable({engine.wake_fd()}, seconds(60));
  EXPECT_EQ(engine.text(), "work is not ready: Loading model (status 503)");
  await(engine);
  EXPECT_EQ(engine.take().model->info().name, "work/x");
}

// A command for the key is run when the engine is used first, and again when that key is refused.
TEST(AwaitedEngineTest, AKeyIsLookedForOnlyWhenItIsNeeded) {
  const TempDir dir;
  const LockedEngine server("second");
  EngineChoice choice = work_at(server.url());
  choice.engine.key_command = "echo run >> " + (dir / "runs").string() + "; echo second";
  AwaitedEngine first(choice, 0, {});
  await(first);
  EXPECT_EQ(first.take().key, "second");
  EXPECT_EQ(read_file(dir / "runs"), "run\n");
  AwaitedEngine known(choice, 0, "second");
  await(known);
  EXPECT_EQ(known.take().key, "second");
  EXPECT_EQ(read_file(dir / "runs"), "run\n");
  AwaitedEngine old(choice, 0, "first");
  await(old);
  EXPECT_EQ(old.take().key, "second");
  EXPECT_EQ(read_file(dir / "runs"), "run\nrun\n");
  choice.engine.key_command = "echo third";
  AwaitedEngine wrong(choice, 0, {});
  EXPECT_THAT(fault_of(wrong), HasSubstr("work: it refuses the key: who are you?"));
}

// Each is stopped while it waits: for an answer, for its model to be loaded, for its key.
TEST(AwaitedEngineTest, IsStoppedWhateverItWaitsFor) {
  const LoopbackServer silent([](const LoopbackRequest&, Connection& to) { to.wait(seconds(60)); });
  const LoopbackServer loading([](const LoopbackRequest&, Connection& to) {
    to.reply(503, R"({"error":{"message":"Loading model"}})");
  });
  EngineChoice slow_key = work_at(silent.url());
  slow_key.engine.key_command = "exec sleep 60";
  for (const EngineChoice& choice : {work_at(silent.url()), work_at(loading.url()), slow_key}) {
    const auto begin = std::chrono::steady_clock::now();
    AwaitedEngine engine(choice, 0, {});
    if (choice.engine.url == loading.url())
      while (engine.text() == "waiting for work") wait_readable({engine.wake_fd()}, seconds(60));
    engine.stop();
    EXPECT_EQ(fault_of(engine), "work: not waited for");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(10));
  }
}

TEST(AwaitedEngineTest, OneThatIsLeftAloneEnds) {
  const LoopbackServer silent([](const LoopbackRequest&, Connection& to) { to.wait(seconds(60)); });
  const auto begin = std::chrono::steady_clock::now();
  { AwaitedEngine engine(work_at(silent.url()), 0, {}); }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(10));
}

}  // namespace
}  // namespace confab::app
