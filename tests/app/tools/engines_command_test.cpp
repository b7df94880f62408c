// SPDX-License-Identifier: MIT
#include "app/tools/engines_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/engine/remote/engine_server.h"

namespace confab::app {
namespace {

using engine::EngineServer;
using testing::HasSubstr;

struct Ran {
  std::string out, err;
  int status;
};

Ran run(const EnginesQuery& query) {
  std::ostringstream out, err;
  const int status = run_engines(query, out, err);
  return {out.str(), err.str(), status};
}

TEST(EnginesCommandTest, EnginesThatAreNamedAreAskedOnlyWhenToldTo) {
  EngineServer server(engine::llama_server_pages());
  EnginesQuery query{.engines = {{.name = "work", .url = server.address().url}}};
  const Ran unasked = run(query);
  EXPECT_EQ(unasked.status, 0);
  EXPECT_THAT(unasked.out, HasSubstr("work"));
  EXPECT_THAT(unasked.out, HasSubstr("not asked"));
  EXPECT_TRUE(server.server().requests().empty());
  query.check = true;
  const Ran asked = run(query);
  EXPECT_EQ(asked.status, 0);
  EXPECT_THAT(asked.out, HasSubstr("work/m.gguf"));
  EXPECT_THAT(asked.out, HasSubstr("llama-server"));
  EXPECT_THAT(asked.out, HasSubstr("4,096"));
}

TEST(EnginesCommandTest, OneThatDoesNotAnswerIsAFailure) {
  const Ran ran = run(
      {.engines = {{.name = "gone", .url = "http://127.0.0.1:1", .models = {"m"}}}, .check = true});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("gone/m"));
  EXPECT_THAT(ran.out, HasSubstr("does not answer"));
  EXPECT_THAT(ran.err, HasSubstr("confab: gone: nothing answers at 127.0.0.1:1\n"));
}

TEST(EnginesCommandTest, JsonHasAllThatIsKnown) {
  EngineServer server(engine::ollama_pages());
  const Ran ran = run(
      {.engines = {{.name = "home", .url = server.address().url}}, .check = true, .json = true});
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_GE(json.size(), 1U);
  EXPECT_EQ(json[0]["engine"], "Ollama");
  EXPECT_EQ(json[0]["models"][0]["id"], "llama3.2:latest");
  EXPECT_EQ(json[0]["models"][0]["parameters"], 3'200'000'000);
}

}  // namespace
}  // namespace confab::app
