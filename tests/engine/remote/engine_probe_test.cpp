// SPDX-License-Identifier: MIT
#include "engine/remote/engine_probe.h"

#include <gtest/gtest.h>

#include "tests/engine/error_of.h"
#include "tests/engine/remote/engine_server.h"

namespace confab::engine {
namespace {

using Pages = std::map<std::string, std::string>;

EngineFacts probe(const Pages& pages) {
  EngineServer engine(pages);
  HttpClient client;
  return probe_engine(client, engine.address());
}

TEST(EngineProbeTest, LlamaServerTellsItsContextSlotsAndTemplate) {
  const EngineFacts facts = probe(llama_server_pages());
  EXPECT_EQ(facts.kind, EngineKind::llama_server);
  EXPECT_EQ(facts.n_slots, 4);
  EXPECT_EQ(facts.version, "b1-x");
  EXPECT_NE(facts.chat_template.find("<think>"), std::string::npos);
  ASSERT_EQ(facts.models.size(), 1U);
  EXPECT_EQ(facts.models[0].id, "m.gguf");
  EXPECT_EQ(facts.models[0].n_ctx, 4096);
  EXPECT_EQ(facts.models[0].n_ctx_train, 32768);
  EXPECT_EQ(facts.models[0].n_params, 1'500'000'000);
  EXPECT_EQ(facts.models[0].quantisation, "Q4_K");
}

TEST(EngineProbeTest, VllmAndSglangTellTheirContext) {
  const EngineFacts vllm = probe(vllm_pages());
  EXPECT_EQ(vllm.kind, EngineKind::vllm);
  EXPECT_EQ(vllm.models.at(0).n_ctx, 32768);
  const EngineFacts sglang =
      probe({{"/v1/models", R"({"data":[{"id":"s","owned_by":"sglang","max_model_len":8192}]})"}});
  EXPECT_EQ(sglang.kind, EngineKind::sglang);
  EXPECT_EQ(sglang.models.at(0).n_ctx, 8192);
}

TEST(EngineProbeTest, OllamaTellsWhatIsLoadedAndWhatAModelWasMadeFor) {
  EngineServer engine(ollama_pages());
  HttpClient client;
  EngineFacts facts = probe_engine(client, engine.address());
  EXPECT_EQ(facts.kind, EngineKind::ollama);
  EXPECT_EQ(facts.version, "0.12.0");
  ASSERT_EQ(facts.models.size(), 2U);
  EXPECT_TRUE(facts.models[0].is_loaded);
  EXPECT_EQ(facts.models[0].n_ctx, 4096);
  EXPECT_EQ(facts.models[0].n_params, 3'200'000'000);
  EXPECT_FALSE(facts.models[1].is_loaded);
  learn_model(client, engine.address(), facts.kind, facts.models[0]);
  EXPECT_EQ(facts.models[0].n_ctx_train, 131072);
  EXPECT_EQ(facts.models[0].can_reason, false);
}

TEST(EngineProbeTest, LmStudioTellsTheContextThatIsLoaded) {
  const Pages pages{
      {"/v1/models", R"({"data":[{"id":"q","owned_by":"organization_owner"},)"
                     R"({"id":"embed","owned_by":"organization_owner"}]})"},
      {"/api/v0/models",
       R"({"data":[{"id":"q","type":"llm","state":"loaded","max_context_length":32768,)"
       R"("loaded_context_length":4096,"quantization":"Q4_K_M"},{"id":"embed","type":"embeddings"}]})"}};
  const EngineFacts facts = probe(pages);
  EXPECT_EQ(facts.kind, EngineKind::lm_studio);
  ASSERT_EQ(facts.models.size(), 1U);
  EXPECT_EQ(facts.models[0].n_ctx, 4096);
  EXPECT_EQ(facts.models[0].n_ctx_train, 32768);
  Pages newer = pages;
  newer["/api/v1/models"] =
      R"({"models":[{"key":"q","params_string":"4B","size_bytes":5,"loaded_instances":[)"
      R"({"id":"q","config":{"context_length":16384}}]}]})";
  EXPECT_EQ(probe(newer).models.at(0).n_ctx, 16384);
}

TEST(EngineProbeTest, AnUnknownEngineThatSpeaksTheProtocolIsTaken) {
  const EngineFacts facts = probe({{"/v1/models", R"({"data":[{"id":"x"}]})"}});
  EXPECT_EQ(facts.kind, EngineKind::other);
  EXPECT_EQ(facts.models.at(0).n_ctx, 0);
}

TEST(EngineProbeTest, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_NE(error_of([] { probe({}); }).find("no engine that confab knows answers at http://"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              probe({{"/v1/models", "<html>"}});
            }).find("no engine"),
            std::string::npos);
  LoopbackServer locked([](const LoopbackRequest&, LoopbackServer::Connection& to) {
    to.reply(401, R"({"error":{"message":"Invalid API Key"}})");
  });
  HttpClient client;
  const std::string refused = error_of(
      [&] { probe_engine(client, {.name = "work", .url = locked.url(), .key = "s3cret"}); });
  EXPECT_TRUE(refused.starts_with("work: it refuses the key: Invalid API Key (status 401)"));
  EXPECT_EQ(refused.find("s3cret"), std::string::npos);
}

TEST(EngineProbeTest, AnAddressThatEndsInAnotherVersionIsTheBaseItself) {
  LoopbackServer server([](const LoopbackRequest& request, LoopbackServer::Connection& to) {
    if (request.path != "/api/paas/v4/models") return void(to.reply(404, "{}"));
    to.reply(200, R"({"data":[{"id":"x"}]})");
  });
  HttpClient client;
  const EngineFacts facts =
      probe_engine(client, {.name = "work", .url = server.url() + "/api/paas/v4"});
  EXPECT_EQ(facts.api, "");
  EXPECT_EQ(facts.models.at(0).id, "x");
  EXPECT_EQ(probe({{"/v1/models", R"({"data":[{"id":"x"}]})"}}).api, "/v1");
}

TEST(EngineProbeTest, ModelsThatAPersonNamesNeedNoList) {
  EngineServer server({});
  HttpClient client;
  EngineAddress address = server.address();
  address.models = {"m"};
  const EngineFacts facts = probe_engine(client, address);
  ASSERT_EQ(facts.models.size(), 1U);
  EXPECT_EQ(facts.models.at(0).id, "m");
  EXPECT_EQ(facts.kind, EngineKind::other);
}

// Whoever listens on a usual port may be anything.
TEST(EngineProbeTest, HostileListenersAreNoEngines) {
  const std::string deep =
      R"({"data":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  EXPECT_NE(error_of([&] { probe({{"/v1/models", deep}, {"/api/version", deep}}); }), "");
  LoopbackServer endless([](const LoopbackRequest&, LoopbackServer::Connection& to) {
    to.begin_stream("application/json");
    while (to.send("8000\r\n" + std::string(0x8000, '[') + "\r\n")) {
    }
  });
  HttpClient client;
  const std::string said =
      error_of([&] { probe_engine(client, {.name = "work", .url = endless.url()}); });
  EXPECT_EQ(said, "work: it sends more than 8 MiB");
}

TEST(EngineProbeTest, WaitsForAModelThatIsBeingLoaded) {
  std::atomic<int> n = 0;
  LoopbackServer server([&](const LoopbackRequest& request, LoopbackServer::Connection& to) {
    if (request.path != "/v1/models") return void(to.reply(404, "{}"));
    if (n++ == 0)
      to.reply(503, R"({"error":{"message":"Loading model","type":"unavailable_error"}})");
    else
      to.reply(200, R"({"data":[{"id":"x","owned_by":"llamacpp"}]})");
  });
  HttpClient client;
  std::string said;
  const EngineAddress address{.name = "work", .url = server.url()};
  const EngineFacts facts = probe_engine(client, address, [&](const std::string& why) {
    said = why;
    return true;
  });
  EXPECT_EQ(facts.models.at(0).id, "x");
  EXPECT_EQ(said, "work is not ready: Loading model (status 503)");
  n = 0;
  EXPECT_EQ(
      error_of([&] { probe_engine(client, address, [](const std::string&) { return false; }); }),
      "work: not waited for");
}

TEST(EngineProbeTest, AModelIsFoundByItsNameOrAPartOfIt) {
  const EngineAddress address{.name = "work", .url = "http://h"};
  EngineFacts facts;
  facts.models = {{.id = "llama3.2:latest"},
                  {.id = "Qwen/Qwen3-8B", .is_loaded = true},
                  {.id = "Qwen/Qwen3-32B"}};
  EXPECT_EQ(find_served(facts, address, "").id, "Qwen/Qwen3-8B");
  EXPECT_EQ(find_served(facts, address, "llama3.2").id, "llama3.2:latest");
  EXPECT_EQ(find_served(facts, address, "qwen3-32b").id, "Qwen/Qwen3-32B");
  EXPECT_EQ(error_of([&] { find_served(facts, address, "qwen"); }),
            "work: 'qwen' may be any of 2 models; it has llama3.2:latest, Qwen/Qwen3-8B, "
            "Qwen/Qwen3-32B");
  EXPECT_NE(error_of([&] { find_served(facts, address, "gpt"); }).find("no model 'gpt'"),
            std::string::npos);
  EXPECT_NE(error_of([&] { find_served({}, address, ""); }).find("load one there first"),
            std::string::npos);
}

}  // namespace
}  // namespace confab::engine
