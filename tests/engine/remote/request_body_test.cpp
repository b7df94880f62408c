// SPDX-License-Identifier: MIT
#include "engine/remote/request_body.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

using nlohmann::json;
using Kind = EngineKind;
using Shape = ConstraintSpec::Kind;

constexpr Kind kKinds[] = {Kind::llama_server, Kind::vllm,   Kind::sglang,
                           Kind::lm_studio,    Kind::ollama, Kind::other};

GenerateRequest ask(const std::string& text) {
  return {.turns = {{{"system", "Be brief."}}, {{"user", text}}}};
}

json body_of(Kind kind, const GenerateRequest& request, int n_ctx = 0) {
  return json::parse(request_body({.kind = kind, .model = "m", .n_ctx = n_ctx}, request).text);
}

TEST(RequestBodyTest, MessagesModelAndStreamAreSaidToEveryEngine) {
  for (const Kind kind : kKinds) {
    const json body = body_of(kind, ask("Hi \xFF"));
    EXPECT_EQ(body["model"], "m");
    EXPECT_EQ(body["stream"], true);
    EXPECT_EQ(body["messages"][0], (json{{"role", "system"}, {"content", "Be brief."}}));
    EXPECT_EQ(body["messages"][1]["content"], "Hi \xEF\xBF\xBD");
  }
}

// An engine has its own values, and a limit of 0 would be taken at its word.
TEST(RequestBodyTest, WhatNobodyHasChosenIsNotSaid) {
  for (const Kind kind : kKinds) {
    const std::string text = request_body({.kind = kind, .model = "m"}, ask("?")).text;
    for (const char* word : {"temperature", "top_k", "max_tokens", "num_predict", "seed", "stop\"",
                             "chat_template_kwargs", "response_format", "\"think\""})
      EXPECT_EQ(text.find(word), std::string::npos) << word << " in " << text;
  }
}

TEST(RequestBodyTest, WhatSomebodyHasChosenIsSaidInTheEnginesWords) {
  GenerateRequest request = ask("?");
  request.sampling.temperature = 0.5F;
  request.sampling.top_k = 0;
  request.sampling.repeat_penalty = 1.25F;
  request.sampling.seed = 7;
  request.chosen = {"temperature", "top_k", "repeat_penalty", "seed"};
  request.n_predict = 9;
  request.stop = {"END"};
  const json llama = body_of(Kind::llama_server, request);
  EXPECT_EQ(llama["temperature"], 0.5);
  EXPECT_EQ(llama["top_k"], 0);
  EXPECT_EQ(llama["repeat_penalty"], 1.25);
  EXPECT_EQ(llama["seed"], 7);
  EXPECT_EQ(llama["max_tokens"], 9);
  EXPECT_EQ(llama["stop"], json({"END"}));
  const json vllm = body_of(Kind::vllm, request);
  EXPECT_EQ(vllm["top_k"], -1);
  EXPECT_EQ(vllm["repetition_penalty"], 1.25);
  EXPECT_FALSE(vllm.contains("repeat_penalty"));
  const json ollama = body_of(Kind::ollama, request, 16384);
  EXPECT_EQ(ollama["options"]["num_ctx"], 16384);
  EXPECT_EQ(ollama["options"]["num_predict"], 9);
  EXPECT_EQ(ollama["options"]["temperature"], 0.5);
  EXPECT_EQ(ollama["truncate"], false);
  EXPECT_EQ(ollama["shift"], false);
}

TEST(RequestBodyTest, NumbersAreSentAsTheyWereGiven) {
  GenerateRequest request = ask("?");
  request.sampling.temperature = 0.2F;
  request.sampling.top_p = 0.95F;
  request.chosen = {"temperature", "top_p"};
  const std::string text = request_body({.kind = Kind::other, .model = "m"}, request).text;
  EXPECT_NE(text.find("\"temperature\":0.2,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"top_p\":0.95"), std::string::npos) << text;
}

TEST(RequestBodyTest, WhatAnEngineDoesNotTakeIsLeftOutAndNamed) {
  GenerateRequest request = ask("?");
  request.chosen = {"mirostat", "temperature", "top_k"};
  request.reasoning_budget = 100;
  const RequestBody other = request_body({.kind = Kind::other, .model = "m"}, request);
  EXPECT_EQ(other.left_out, (std::vector<std::string>{"top_k", "mirostat", "reasoning_budget"}));
  EXPECT_EQ(other.text.find("mirostat"), std::string::npos);
  EXPECT_TRUE(request_body({.kind = Kind::llama_server, .model = "m"}, request).left_out.empty());
}

TEST(RequestBodyTest, ASchemaGoesOutInTheFieldThatEachEngineHonours) {
  GenerateRequest request = ask("?");
  request.shape = {.kind = Shape::json_schema, .text = R"({"type":"object"})"};
  for (const Kind kind :
       {Kind::llama_server, Kind::vllm, Kind::sglang, Kind::lm_studio, Kind::other})
    EXPECT_EQ(body_of(kind, request)["response_format"]["json_schema"]["schema"],
              (json{{"type", "object"}}));
  EXPECT_EQ(body_of(Kind::ollama, request)["format"], (json{{"type", "object"}}));
}

TEST(RequestBodyTest, GrammarsAndChoicesAreSaidWhereTheyAreKnownAndRefusedElsewhere) {
  GenerateRequest grammar = ask("?"), pattern = ask("?"), choices = ask("?");
  grammar.shape = {.kind = Shape::gbnf, .text = "root ::= \"a\""};
  pattern.shape = {.kind = Shape::pattern, .text = "a+"};
  choices.shape = {.kind = Shape::choices, .choices = {"yes", "n\"o"}};
  EXPECT_EQ(body_of(Kind::llama_server, grammar)["grammar"], "root ::= \"a\"");
  EXPECT_EQ(body_of(Kind::llama_server, choices)["grammar"], R"(root ::= "yes" | "n\"o")");
  EXPECT_EQ(body_of(Kind::vllm, grammar)["structured_outputs"]["grammar"], "root ::= \"a\"");
  EXPECT_EQ(body_of(Kind::vllm, pattern)["structured_outputs"]["regex"], "a+");
  EXPECT_EQ(body_of(Kind::vllm, choices)["structured_outputs"]["choice"], (json{"yes", "n\"o"}));
  EXPECT_EQ(body_of(Kind::sglang, pattern)["regex"], "a+");
  EXPECT_EQ(body_of(Kind::sglang, choices)["regex"], "(yes|n\"o)");
  for (const Kind kind : {Kind::ollama, Kind::lm_studio, Kind::other})
    for (const GenerateRequest* request : {&grammar, &pattern, &choices})
      EXPECT_NE(error_of([&] {
                  request_body({.kind = kind, .model = "m"}, *request);
                }).find("ask for a JSON Schema, or use a model on this machine"),
                std::string::npos);
  EXPECT_NE(error_of([&] { request_body({.kind = Kind::llama_server}, pattern); }), "");
}

TEST(RequestBodyTest, ReasoningGoesBackUnderTheNameItCameWith) {
  GenerateRequest request = ask("?");
  request.turns.push_back({{"assistant", "Yes.", "Hm."}});
  const auto assistant = [&](Kind kind, const std::string& key) {
    return json::parse(
        request_body({.kind = kind, .reasoning_key = key}, request).text)["messages"][2];
  };
  EXPECT_EQ(assistant(Kind::vllm, "reasoning_content")["reasoning_content"], "Hm.");
  EXPECT_EQ(assistant(Kind::vllm, "")["reasoning"], "Hm.");
  EXPECT_EQ(assistant(Kind::llama_server, "")["reasoning_content"], "Hm.");
  EXPECT_EQ(assistant(Kind::ollama, "")["thinking"], "Hm.");
  EXPECT_EQ(assistant(Kind::other, "").size(), 2U);
}

TEST(RequestBodyTest, AnAnswerIsGoneOnWithAsTheEngineCan) {
  GenerateRequest request = ask("?");
  request.turns.push_back({{"assistant", "Once"}});
  request.continues = true;
  const json vllm = body_of(Kind::vllm, request);
  EXPECT_EQ(vllm["continue_final_message"], true);
  EXPECT_EQ(vllm["add_generation_prompt"], false);
  EXPECT_EQ(vllm["messages"].back()["role"], "assistant");
  EXPECT_EQ(body_of(Kind::ollama, request)["messages"].back()["role"], "assistant");
  EXPECT_EQ(body_of(Kind::other, request)["messages"].back()["role"], "user");
}

TEST(RequestBodyTest, ThinkingIsSaidOnlyWhereSomebodySwitchedIt) {
  GenerateRequest request = ask("?");
  request.settings.thinking = false;
  EXPECT_EQ(body_of(Kind::ollama, request)["think"], false);
  EXPECT_EQ(body_of(Kind::sglang, request)["chat_template_kwargs"]["enable_thinking"], false);
  EXPECT_FALSE(body_of(Kind::other, request).contains("chat_template_kwargs"));
}

TEST(RequestBodyTest, AScoringAsksForOneTokenAndItsRivals) {
  const ScoreRequest request{.turns = {{{"user", "?"}}}, .options = {"a", "b"}};
  const json body = json::parse(score_body({.kind = Kind::vllm, .model = "m"}, request).text);
  EXPECT_EQ(body["max_tokens"], 1);
  EXPECT_EQ(body["logprobs"], true);
  EXPECT_EQ(body["top_logprobs"], 20);
  EXPECT_EQ(body["stream"], false);
  EXPECT_FALSE(body.contains("stream_options"));
}

}  // namespace
}  // namespace confab::engine
