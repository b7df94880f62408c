// SPDX-License-Identifier: MIT
// Whole answers that must have a shape: they have it, however they are computed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/constrain/json/json_schema.h"
#include "engine/constrain/machine.h"
#include "tests/engine/error_of.h"
#include "tests/engine/run/generator_rig.h"

namespace confab::engine {
namespace {

using Kind = ConstraintSpec::Kind;
using Json = nlohmann::json;

constexpr const char* kSchema = R"({"type": "object", "properties": {
    "name": {"type": "string", "maxLength": 12}, "n": {"type": "integer", "minimum": 0, "maximum": 999},
    "kind": {"enum": ["first", "second"]}, "list": {"type": "array", "items": {"type": "boolean"},
    "maxItems": 3}}, "required": ["name", "n", "kind", "list"], "additionalProperties": false})";
constexpr const char* kEndless = R"({"type": "array", "items": {"type": "string"}})";

GenerateRequest held(GenerateRequest request, Kind kind, std::string text) {
  request.shape = {kind, std::move(text)};
  return request;
}
GenerateRequest sampled(std::uint64_t seed, int n_predict = -1) {
  GenerateRequest request = random("tell me", seed);
  request.n_predict = n_predict;
  return request;
}
bool fits(const std::string& schema, const std::string& text) {
  RegexSet regexes;
  const auto grammar = parse_json_schema(regexes, schema);
  Machine machine(*grammar);
  return machine.advance(machine.start(), text).may_end;
}

class GeneratorShapeTest : public testing::TestWithParam<const char*> {
 protected:
  RigOptions options() const { return {.path = file.path()}; }

  const TinyModelFile file{circling_model(GetParam())};
};

std::vector<GenerateRequest> many_requests() {
  std::vector<GenerateRequest> all{held(greedy("hello", 200), Kind::json_schema, kSchema),
                                   held(greedy("on and on", 60), Kind::json_schema, kEndless)};
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    all.push_back(held(sampled(seed, 80), Kind::json_schema, seed % 2 == 0 ? kSchema : kEndless));
  all.push_back(
      held(greedy("hello", 80), Kind::gbnf, "root ::= \"again \" root | \"and \" root | \".\""));
  all.push_back(held(sampled(7, 60), Kind::pattern, "(?:[a-z]{2,6} ){3,}end"));
  all.push_back(greedy("free", 30));
  return all;
}

TEST_P(GeneratorShapeTest, AnswersHaveTheirShape) {
  for (const Answer& answer : run_all(options(), std::vector{many_requests()[0]})) {
    EXPECT_TRUE(fits(kSchema, answer.text)) << answer.text;
  }
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const GenerateRequest request = held(sampled(seed, 100), Kind::json_schema, kSchema);
    const Answer answer = run_all(options(), {request})[0];
    EXPECT_TRUE(fits(kSchema, answer.text)) << answer.text;
    EXPECT_TRUE(Json::accept(answer.text)) << answer.text;
  }
}

// After a second letter there is no room for what has to come: a limit that is far off matters.
TEST_P(GeneratorShapeTest, AnswersKeepTheRoomThatTheirEndNeeds) {
  const std::string schema = R"({"type": "string", "maxLength": 20, "allOf": [{"pattern": "^[a-z]"},
      {"pattern": "1111111111111111111"}]})";
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Answer answer =
        run_all(options(), {held(sampled(seed, 100), Kind::json_schema, schema)})[0];
    EXPECT_TRUE(fits(schema, answer.text)) << answer.text;
  }
}

TEST_P(GeneratorShapeTest, DraftsChangeNothing) {
  RigOptions with = options(), without = options();
  without.lookup = false;
  const auto requests = many_requests();
  const auto drafted = run_all(with, requests), plain = run_all(without, requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(drafted[i].end.tokens, plain[i].end.tokens);
    EXPECT_EQ(drafted[i].text, plain[i].text);
    EXPECT_EQ(drafted[i].end.reason, plain[i].end.reason);
  }
}

TEST_P(GeneratorShapeTest, TogetherAsAlone) {
  const auto requests = many_requests();
  RigOptions o = options();
  o.n_ctx = 4096;
  const auto alone = run_all(o, requests);
  Rig rig(o);
  for (std::size_t i = 0; i < requests.size(); ++i) rig.start(requests[i], i + 1);
  const auto together = rig.finish(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(together[i].end.tokens, alone[i].end.tokens);
    EXPECT_EQ(together[i].text, alone[i].text);
  }
}

// Whatever the limit, if the shape can be had in so many tokens at all.
TEST_P(GeneratorShapeTest, TheLimitClosesTheAnswerInTime) {
  for (int n = 3; n < 40; n += 3) {
    const Answer answer = run_all(options(), {held(sampled(1, n), Kind::json_schema, kEndless)})[0];
    EXPECT_TRUE(fits(kEndless, answer.text)) << n << " " << answer.text;
    EXPECT_LE(answer.end.stats.n_generated, n);
  }
  for (int n_ctx = 64; n_ctx < 90; n_ctx += 5) {
    RigOptions o = options();
    o.n_ctx = n_ctx;
    const Answer answer = run_all(o, {held(sampled(2), Kind::json_schema, kEndless)})[0];
    EXPECT_TRUE(fits(kEndless, answer.text)) << n_ctx << " " << answer.text;
  }
}

// What a token begins has to be ended as well: where there is no room for that, it does not come.
TEST_P(GeneratorShapeTest, WhatDoesNotFitIsNotBegun) {
  const std::string schema = R"({"anyOf": [{"type": "null"}, {"type": "object", "properties": {
      "a": {"type": "string", "minLength": 40}}, "required": ["a"]}]})";
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (const int n : {6, 30, 60, 200}) {
      const Answer answer =
          run_all(options(), {held(sampled(seed, n), Kind::json_schema, schema)})[0];
      EXPECT_TRUE(fits(schema, answer.text)) << n << " " << answer.text;
      EXPECT_LE(answer.end.stats.n_generated, n);
      EXPECT_TRUE(n > 40 || answer.text == "null") << answer.text;
    }
}

// Before anything is computed, and with both numbers.
TEST_P(GeneratorShapeTest, AShapeThatCannotFitIsRefusedBeforehand) {
  Rig rig(options());
  const auto letters = [](int n_predict) {
    return held(sampled(1, n_predict), Kind::pattern, "[a-z]{50}");
  };
  const auto failed = [&](Rig& of, const GenerateRequest& request) {
    of.start(request);
    const auto event = of.events.pop();
    EXPECT_FALSE(of.generator.is_busy());
    return event ? std::get<Failed>(event->event) : Failed{};
  };
  const Failed refused = failed(rig, letters(49));
  EXPECT_EQ(refused.message,
            "the shortest answer of this shape that is known has 50 tokens, and it may have 49");
  EXPECT_TRUE(refused.shape_too_long);
  EXPECT_FALSE(refused.prompt_too_long);
  EXPECT_EQ(rig.run(letters(50)).text.size(), 50U);
  const int n_prompt = rig.run(letters(50)).end.stats.n_prompt;

  RigOptions o = options();
  o.n_ctx = n_prompt + 49;
  Rig small(o);
  const Failed full = failed(small, letters(-1));
  EXPECT_EQ(full.message,
            fmt::format("the shortest answer of this shape that is known has 50 tokens, and beside "
                        "the prompt of {} the context of {} has room for 49",
                        n_prompt, o.n_ctx));
  EXPECT_TRUE(full.prompt_too_long);
  EXPECT_FALSE(full.shape_too_long);
  o.n_ctx = n_prompt + 50;
  EXPECT_EQ(run_all(o, {letters(-1)})[0].text.size(), 50U);
}

TEST_P(GeneratorShapeTest, ACancelledAnswerIsABeginning) {
  const GenerateRequest request = held(greedy("again", 100), Kind::pattern, "[a-z ]{60,}");
  const Answer whole = run_all(options(), {request})[0];
  std::stop_source stop;
  AtPosition cancel(60, [&stop] { stop.request_stop(); });
  RigOptions o = options();
  o.table = cancel.table();
  Rig rig(o);
  const Answer part = rig.run(request, stop.get_token());
  EXPECT_EQ(part.end.reason, FinishReason::cancelled);
  EXPECT_LT(part.text.size(), whole.text.size());
  EXPECT_TRUE(whole.text.starts_with(part.text));
  EXPECT_EQ(rig.run(request).end.tokens, whole.end.tokens) << "and it can be asked again";
}

// What there is of the answer counts: what follows ends it.
TEST_P(GeneratorShapeTest, AnAnswerIsGoneOnWith) {
  Rig rig(options());
  GenerateRequest request = held(sampled(3, 80), Kind::json_schema, kSchema);
  for (const std::string begin : {"{\"name", "{\"name\": \"x\", \"n\": 1", "{"}) {
    GenerateRequest rest = request;
    rest.turns.push_back({{"assistant", begin}});
    rest.continues = true;
    const Answer answer = rig.run(rest);
    EXPECT_TRUE(answer.text.starts_with(begin)) << answer.text;
    EXPECT_TRUE(fits(kSchema, answer.text)) << answer.text;
  }
  GenerateRequest wrong = request;
  wrong.turns.push_back({{"assistant", "Sure, here"}});
  wrong.continues = true;
  EXPECT_NE(error_of([&] { rig.run(wrong); }), "");
  EXPECT_TRUE(fits(kSchema, rig.run(request).text)) << "the generator can be used again";
}

TEST_P(GeneratorShapeTest, AShapeThatIsRefusedFailsInOneLine) {
  Rig rig(options());
  EXPECT_EQ(error_of([&] { rig.run(held(greedy("x", 9), Kind::json_schema, R"({"type": "y"})")); }),
            "schema: type 'y' is not known");
  EXPECT_EQ(error_of([&] { rig.run(held(greedy("x", 9), Kind::gbnf, "root ::= root")); }),
            "grammar: rule 'root' begins with itself (left recursion)");
  EXPECT_FALSE(rig.generator.is_busy());
  EXPECT_EQ(rig.run(greedy("x", 9)).end.reason, FinishReason::length);
}

// What is thought is free; the answer after it has the shape, also where a budget ends the
// thinking.
TEST_P(GeneratorShapeTest, WhatIsThoughtIsFree) {
  RigOptions o = options();
  o.chat_template = std::string(kTinyTemplate) + "{{ '<think>\\n' }}";
  Rig rig(o);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    GenerateRequest request = held(sampled(seed, 120), Kind::json_schema, kSchema);
    request.reasoning_budget = 20;
    const Answer answer = rig.run(request);
    EXPECT_FALSE(answer.reasoning.empty());
    EXPECT_TRUE(answer.at_budget);
    EXPECT_TRUE(fits(kSchema, answer.text)) << answer.text;
  }
}

// A limit that comes near while the model thinks leaves room for an answer.
TEST_P(GeneratorShapeTest, ALimitWhileTheModelThinks) {
  RigOptions o = options();
  o.chat_template = std::string(kTinyTemplate) + "{{ '<think>\\n' }}";
  for (const int n : {2, 20, 40}) {
    Rig rig(o);
    const Answer answer = rig.run(held(sampled(1, n), Kind::json_schema, kEndless));
    EXPECT_EQ(answer.reasoning.find("[]"), std::string::npos) << "the way out is no thought";
    EXPECT_TRUE(fits(kEndless, answer.text)) << answer.text;
    EXPECT_LE(answer.end.stats.n_generated, n);
  }
  for (o.n_ctx = 80; o.n_ctx < 110; o.n_ctx += 7) {
    const Answer answer = run_all(o, {held(sampled(1), Kind::json_schema, kEndless)})[0];
    EXPECT_TRUE(fits(kEndless, answer.text)) << o.n_ctx << " " << answer.text;
  }
}

INSTANTIATE_TEST_SUITE_P(, GeneratorShapeTest, testing::ValuesIn(kDraftedArchitectures),
                         architecture_name);

}  // namespace
}  // namespace confab::engine
