// SPDX-License-Identifier: MIT
#include "app/engines/engine_choice.h"

#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/engine/remote/engine_server.h"

namespace confab::app {
namespace {

using engine::EngineServer;

const std::vector<EngineConfig> kEngines{
    {.name = "work", .url = "https://h.test", .key_env = "K", .timeout = 5}};

TEST(EngineChoiceTest, ANameMeansAnEngineOrNone) {
  const auto named = engine_choice("work/org/model", kEngines);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->engine, kEngines[0]);
  EXPECT_EQ(named->model, "org/model");
  EXPECT_EQ(engine_choice("work", kEngines)->model, "");
  for (const char* name : {"other/model", "model.gguf", "llama3.2:3", "llama3.2:3b", "", "/a/b",
                           "org/repo:Q4_K_M", "host.test:8080/m"})
    EXPECT_FALSE(engine_choice(name, kEngines)) << name;
}

TEST(EngineChoiceTest, AnUrlMeansAnEngineAndTakesTheKeyOfTheOneThatIsNamed) {
  const auto url = engine_choice("http://10.0.0.1:8080/v1#m", kEngines);
  ASSERT_TRUE(url);
  EXPECT_EQ(url->engine.url, "http://10.0.0.1:8080");
  EXPECT_EQ(url->engine.name, "http://10.0.0.1:8080");
  EXPECT_EQ(url->model, "m");
  EXPECT_EQ(engine_choice("https://h.test/v1/", kEngines)->engine.key_env, "K");
  EXPECT_THROW(engine_choice("http://me:pw@h.test", kEngines), UserError);
  const auto near = engine_choice("127.0.0.1:8080/a/b", kEngines);
  ASSERT_TRUE(near);
  EXPECT_EQ(near->engine.url, "http://127.0.0.1:8080");
  EXPECT_EQ(near->engine.name, "127.0.0.1:8080");
  EXPECT_EQ(near->model, "a/b");
  EXPECT_EQ(engine_choice("http://localhost:1234", kEngines)->engine.name, "localhost:1234");
}

TEST(EngineChoiceTest, AnAddressIsTakenAsItIsPasted) {
  for (const char* name : {"127.0.0.1:8080/v1", "127.0.0.1:8080/v1/chat/completions",
                           "http://127.0.0.1:8080/v1/chat/completions", "127.0.0.1:8080/v1/"}) {
    const auto choice = engine_choice(name, kEngines);
    ASSERT_TRUE(choice) << name;
    EXPECT_EQ(choice->engine.url, "http://127.0.0.1:8080") << name;
    EXPECT_EQ(choice->model, "") << name;
  }
  EXPECT_EQ(engine_choice("127.0.0.1:8080/v1/org/m", kEngines)->model, "org/m");
  EXPECT_EQ(engine_choice("127.0.0.1:8080/v3", kEngines)->engine.url, "http://127.0.0.1:8080/v3");
  EXPECT_EQ(engine_choice("http://127.0.0.1:8080/api/paas/v4#m", kEngines)->engine.url,
            "http://127.0.0.1:8080/api/paas/v4");
}

TEST(EngineChoiceTest, UsualPortsAreOfThisMachineAndNotThoseThatHaveAName) {
  EXPECT_EQ(usual_engines({}).size(), 5U);
  const std::vector<EngineConfig> named{{.name = "a", .url = "http://localhost:8080"},
                                        {.name = "b", .url = "http://127.0.0.1:11434"}};
  const auto usual = usual_engines(named);
  EXPECT_EQ(usual.size(), 3U);
  for (const EngineConfig& engine : usual) EXPECT_TRUE(engine.url.starts_with("http://127.0.0.1:"));
}

TEST(EngineChoiceTest, EnginesAreAskedSideBySideAndFaultsAreKept) {
  EngineServer one(engine::llama_server_pages()), two(engine::vllm_pages());
  const std::vector<EngineConfig> configs{
      {.name = "one", .url = one.address().url},
      {.name = "gone", .url = "http://127.0.0.1:1"},
      {.name = "two", .url = two.address().url},
      {.name = "locked", .url = two.address().url, .key_env = "CONFAB_NO_SUCH_KEY"}};
  const auto asked = ask_engines(configs, std::chrono::seconds(5));
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_EQ(asked[0].facts.models.at(0).id, "m.gguf");
  EXPECT_EQ(asked[1].fault, "gone: nothing answers at 127.0.0.1:1");
  EXPECT_EQ(asked[2].facts.kind, engine::EngineKind::vllm);
  EXPECT_NE(asked[3].fault.find("is not set"), std::string::npos);
}

TEST(EngineChoiceTest, OfWhatIsNamedModelsAreOfferedWithoutAsking) {
  EngineServer server(engine::llama_server_pages());
  const std::vector<EngineConfig> configs{
      {.name = "work", .url = server.address().url, .models = {"a", "b"}}};
  const auto offered = offered_models(configs);
  ASSERT_GE(offered.size(), 2U);
  EXPECT_EQ(offered[0].name, "work/a");
  EXPECT_EQ(offered[1].name, "work/b");
  EXPECT_TRUE(server.server().requests().empty());
}

}  // namespace
}  // namespace confab::app
