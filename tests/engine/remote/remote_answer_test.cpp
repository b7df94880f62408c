// SPDX-License-Identifier: MIT
// Streams of all engines, tests/data/streams, cut at every byte: what they are, where they are from
// and what must come of them stands at the head of each.
#include "engine/remote/remote_answer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace confab::engine {
namespace {

using nlohmann::json;

struct StreamCase {
  std::string name;
  EngineKind kind = EngineKind::other;
  std::map<std::string, std::string> want;  // as JSON, by key
  std::string body;
};

EngineKind kind_called(const std::string& name) {
  const std::map<std::string, EngineKind> kinds{{"llama_server", EngineKind::llama_server},
                                                {"vllm", EngineKind::vllm},
                                                {"sglang", EngineKind::sglang},
                                                {"lm_studio", EngineKind::lm_studio},
                                                {"ollama", EngineKind::ollama},
                                                {"other", EngineKind::other}};
  return kinds.at(name);
}

StreamCase read_case(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  StreamCase one{.name = file.stem().string(), .want = {}, .body = {}};
  for (std::string line; std::getline(in, line) && line != "---";) {
    const std::size_t colon = line.find(": ");
    const std::string key = line.substr(0, colon), value = line.substr(colon + 2);
    if (key == "engine")
      one.kind = kind_called(value);
    else if (key != "about")
      one.want[key] = value;
  }
  std::ostringstream rest;
  rest << in.rdbuf();
  one.body = rest.str();
  return one;
}

std::vector<StreamCase> all_cases() {
  std::vector<StreamCase> cases;
  for (const auto& entry :
       std::filesystem::directory_iterator(CONFAB_SOURCE_DIR "/tests/data/streams"))
    cases.push_back(read_case(entry.path()));
  return cases;
}

// Everything that was told of an answer, in the form that the heads of the cases have.
struct Told {
  std::string reasoning, text, error, end;
  bool too_long = false;
  std::vector<int> progress = {};
  GenerateStats stats = {};
  int n_ends = 0;
  bool operator==(const Told& other) const {
    return reasoning == other.reasoning && text == other.text && error == other.error &&
           end == other.end && too_long == other.too_long && n_ends == other.n_ends &&
           stats.n_prompt == other.stats.n_prompt && stats.n_generated == other.stats.n_generated;
  }
};

const char* end_name(FinishReason reason) {
  switch (reason) {
    case FinishReason::end_of_turn:
      return "end_of_turn";
    case FinishReason::length:
      return "length";
    case FinishReason::context_full:
      return "context_full";
    case FinishReason::cancelled:
      return "cancelled";
    case FinishReason::stop_string:
      break;
  }
  return "stop_string";
}

void take(EventQueue& queue, Told& told) {
  while (const auto event = queue.pop()) {
    EXPECT_EQ(told.n_ends, 0) << "something came after the end";
    if (const auto* thought = std::get_if<ReasoningDelta>(&event->event))
      told.reasoning += thought->text;
    if (const auto* text = std::get_if<TextDelta>(&event->event)) told.text += text->text;
    if (const auto* read = std::get_if<PrefillProgress>(&event->event))
      told.progress = {read->n_done, read->n_prompt, read->n_cached};
    if (const auto* failed = std::get_if<Failed>(&event->event)) {
      told.error = failed->message;
      told.too_long = failed->prompt_too_long;
      ++told.n_ends;
    }
    if (const auto* finished = std::get_if<Finished>(&event->event)) {
      told.end = end_name(finished->reason);
      told.stats = finished->stats;
      ++told.n_ends;
    }
  }
}

struct Rig {
  EventQueue queue;
  std::shared_ptr<RemoteAnswer> answer;

  explicit Rig(AnswerOrder order)
      : answer(std::make_shared<RemoteAnswer>(std::move(order), AnswerEvents(queue, AnswerId{1}),
                                              queue)) {}
};

AnswerOrder order_of(EngineKind kind) {
  return {.engine = "work", .kind = kind, .n_ctx = 4096, .n_prompt = 0, .request = {}, .http = {}};
}

HttpHead ok_head() {
  return {.status = 200, .headers = {{"content-type", "text/event-stream"}}};
}

Told run(EngineKind kind, const std::vector<std::string_view>& parts,
         const std::string& fault = {}) {
  Rig rig(order_of(kind));
  Told told;
  rig.answer->head(ok_head());
  for (const std::string_view part : parts) {
    EXPECT_TRUE(rig.answer->body(part));
    take(rig.queue, told);
  }
  EXPECT_FALSE(rig.answer->end(fault));
  take(rig.queue, told);
  return told;
}

std::string wanted_text(const StreamCase& one, const std::string& key) {
  const auto found = one.want.find(key);
  return found == one.want.end() ? "" : json::parse(found->second).get<std::string>();
}

void expect_as_wanted(const StreamCase& one, const Told& told) {
  EXPECT_EQ(told.n_ends, 1);
  EXPECT_EQ(told.text, wanted_text(one, "text"));
  EXPECT_EQ(told.reasoning, wanted_text(one, "reasoning"));
  EXPECT_EQ(told.end, wanted_text(one, "end"));
  const std::string error = wanted_text(one, "error");
  EXPECT_EQ(told.error, error.empty() ? "" : "work: " + error);
  EXPECT_EQ(told.too_long, one.want.contains("too_long"));
  if (const auto progress = one.want.find("progress"); progress != one.want.end()) {
    EXPECT_EQ(json(told.progress), json::parse(progress->second));
  }
  const std::map<std::string, int> counts{{"n_prompt", told.stats.n_prompt},
                                          {"n_cached", told.stats.n_cached},
                                          {"n_generated", told.stats.n_generated},
                                          {"n_drafted", told.stats.n_drafted},
                                          {"n_accepted", told.stats.n_accepted}};
  for (const auto& [key, count] : counts)
    if (const auto wanted = one.want.find(key); wanted != one.want.end()) {
      EXPECT_EQ(std::to_string(count), wanted->second) << key;
    }
}

TEST(RemoteAnswerTest, EveryStreamIsReadAsItsHeadSays) {
  const std::vector<StreamCase> cases = all_cases();
  ASSERT_GE(cases.size(), 60U);
  for (const StreamCase& one : cases) {
    SCOPED_TRACE(one.name);
    expect_as_wanted(one, run(one.kind, {one.body}));
  }
}

TEST(RemoteAnswerTest, NoStreamDependsOnWhereItsBytesAreCut) {
  for (const StreamCase& one : all_cases()) {
    SCOPED_TRACE(one.name);
    const std::string_view body = one.body;
    const Told whole = run(one.kind, {body});
    std::vector<std::string_view> bytes;
    for (std::size_t at = 0; at < body.size(); ++at) {
      bytes.push_back(body.substr(at, 1));
      ASSERT_EQ(run(one.kind, {body.substr(0, at), body.substr(at)}), whole) << "cut at " << at;
    }
    EXPECT_EQ(run(one.kind, bytes), whole);
  }
}

// What is lost is the rest; what came is told, and that it is not whole.
TEST(RemoteAnswerTest, AStreamThatBreaksOffAnywhereEndsOnceAndKeepsWhatCame) {
  for (const StreamCase& one : all_cases()) {
    SCOPED_TRACE(one.name);
    const Told whole = run(one.kind, {one.body});
    for (std::size_t at = 0; at < one.body.size(); ++at) {
      const Told told = run(one.kind, {std::string_view(one.body).substr(0, at)}, "it broke");
      ASSERT_EQ(told.n_ends, 1) << at;
      // A call of a tool is told at the end, as far as it came, and half a marker is text.
      const bool is_begin = whole.text.starts_with(told.text) ||
                            told.text.starts_with("\n```json") ||
                            std::string_view("<think>").starts_with(told.text);
      ASSERT_TRUE(is_begin) << at << ": " << told.text;
      ASSERT_TRUE(!told.error.empty() || told.text == whole.text) << at;
    }
  }
}

TEST(RemoteAnswerTest, KeepsTheNameUnderWhichTheReasoningCame) {
  for (const StreamCase& one : all_cases()) {
    if (!one.want.contains("reasoning_key")) continue;
    Rig rig(order_of(one.kind));
    rig.answer->head(ok_head());
    EXPECT_TRUE(rig.answer->body(one.body));
    EXPECT_EQ(rig.answer->reasoning_key(), wanted_text(one, "reasoning_key")) << one.name;
  }
}

constexpr const char* kHello =
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}]}"
    "\n\n";

TEST(RemoteAnswerTest, WaitsAsLongAsTheEngineSaysAndAsksAgain) {
  AnswerOrder order = order_of(EngineKind::llama_server);
  order.http.url = "http://127.0.0.1:1/x";
  Rig rig(std::move(order));
  rig.answer->head({.status = 503, .headers = {{"retry-after", "7"}}});
  EXPECT_TRUE(
      rig.answer->body(R"({"error":{"message":"Loading model","type":"unavailable_error"}})"));
  const auto before = std::chrono::steady_clock::now();
  const auto again = rig.answer->end({});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->url, "http://127.0.0.1:1/x");
  EXPECT_GE(again->begin - before, std::chrono::seconds(6));
  EXPECT_LE(again->begin - before, std::chrono::seconds(8));
  const auto event = rig.queue.pop();
  const auto& waiting = std::get<Waiting>(event->event);
  EXPECT_EQ(waiting.reason, "work is not ready: Loading model (status 503)");
  EXPECT_EQ(waiting.until, again->begin);

  rig.answer->head(ok_head());
  EXPECT_TRUE(rig.answer->body(kHello));
  EXPECT_FALSE(rig.answer->end({}));
  Told told;
  take(rig.queue, told);
  EXPECT_EQ(told.text, "Hello");
}

TEST(RemoteAnswerTest, TellsARefusalInTheEnginesOwnWords) {
  Rig rig(order_of(EngineKind::vllm));
  rig.answer->head({.status = 404, .headers = {}});
  EXPECT_TRUE(rig.answer->body(
      R"({"error":{"message":"The model `x` does not exist.","type":"NotFoundError","code":404}})"));
  EXPECT_FALSE(rig.answer->end({}));
  Told told;
  take(rig.queue, told);
  EXPECT_EQ(told.error, "work: The model `x` does not exist (status 404)");
  EXPECT_FALSE(told.too_long);
}

TEST(RemoteAnswerTest, AnAnswerThatIsNotStreamedIsReadAsAWhole) {
  Rig rig(order_of(EngineKind::other));
  rig.answer->head({.status = 200, .headers = {{"content-type", "application/json"}}});
  EXPECT_TRUE(rig.answer->body("{\n \"choices\": [ {\"index\": 0,\n \"message\": {\"content\": "));
  EXPECT_TRUE(rig.answer->body("\"Hello\"}, \"finish_reason\": \"stop\"}]}\n"));
  EXPECT_FALSE(rig.answer->end({}));
  Told told;
  take(rig.queue, told);
  EXPECT_EQ(told.text, "Hello");
  EXPECT_EQ(told.end, "end_of_turn");
}

TEST(RemoteAnswerTest, AnErrorWithStatus200ThatIsNoStreamIsTold) {
  Rig rig(order_of(EngineKind::lm_studio));
  rig.answer->head(
      {.status = 200, .headers = {{"content-type", "application/json; charset=utf-8"}}});
  EXPECT_TRUE(rig.answer->body(R"({"error":"Unexpected endpoint or method."})"));
  EXPECT_FALSE(rig.answer->end({}));
  Told told;
  take(rig.queue, told);
  EXPECT_EQ(told.error, "work: Unexpected endpoint or method");
}

TEST(RemoteAnswerTest, StoppingIsToldAtOnceAndNothingAfterIt) {
  Rig rig(order_of(EngineKind::other));
  rig.answer->head(ok_head());
  EXPECT_TRUE(rig.answer->body("data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n"));
  rig.answer->stop();
  EXPECT_TRUE(rig.answer->body(kHello));
  EXPECT_FALSE(rig.answer->end({}));
  rig.answer->stop();
  Told told;
  take(rig.queue, told);
  EXPECT_EQ(told.text, "Hel");
  EXPECT_EQ(told.end, "cancelled");
}

TEST(RemoteAnswerTest, AnAnswerThatIsGoneOnWithIsToldFromItsBeginning) {
  AnswerOrder order = order_of(EngineKind::vllm);
  order.request.continues = true;
  order.request.turns = {{{"user", "?"}}, {{"assistant", "Once upon", "Hm."}}};
  Rig rig(std::move(order));
  rig.answer->head(ok_head());
  EXPECT_TRUE(rig.answer->body(kHello));
  Told told;
  take(rig.queue, told);
  EXPECT_EQ(told.reasoning, "Hm.");
  EXPECT_EQ(told.text, "Once uponHello");
}

TEST(RemoteAnswerTest, ChecksTheShapeOfWhatComesBack) {
  for (const auto& [text, fits] :
       std::vector<std::pair<std::string, bool>>{{"yes", true}, {"maybe", false}}) {
    AnswerOrder order = order_of(EngineKind::vllm);
    order.request.shape = {.kind = ConstraintSpec::Kind::choices, .choices = {"yes", "no"}};
    Rig rig(std::move(order));
    rig.answer->head(ok_head());
    EXPECT_TRUE(rig.answer->body(fmt::format(
        "data: "
        "{{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}},\"finish_reason\":\"stop\"}}]}}\n\n",
        text)));
    EXPECT_FALSE(rig.answer->end({}));
    bool is_in_shape = false;
    while (const auto event = rig.queue.pop())
      if (const auto* end = std::get_if<Finished>(&event->event)) is_in_shape = end->is_in_shape;
    EXPECT_EQ(is_in_shape, fits) << text;
  }
}

TEST(RemoteAnswerTest, TakesNoMoreThanItsReaderDoes) {
  Rig rig(order_of(EngineKind::other));
  rig.answer->head(ok_head());
  const std::string message =
      "data: {\"choices\":[{\"delta\":{\"content\":\"" + std::string(100'000, 'x') + "\"}}]}\n\n";
  std::size_t n_taken = 0;
  while (rig.answer->body(message)) ASSERT_LT(++n_taken, 100U);
  EXPECT_TRUE(rig.answer->is_full());
  EXPECT_LE(rig.queue.n_bytes(), RemoteAnswer::kFull + 200'000);
  Told told;
  take(rig.queue, told);
  EXPECT_EQ(told.text.size(), n_taken * 100'000);
  EXPECT_TRUE(rig.answer->body(message));
  EXPECT_FALSE(rig.answer->is_full());
}

TEST(RemoteAnswerTest, AMessageWithoutAnEndIsAFault) {
  Rig rig(order_of(EngineKind::other));
  rig.answer->head(ok_head());
  const std::string lots(1U << 20, 'x');
  Told told;
  EXPECT_TRUE(rig.answer->body("data: "));
  for (int i = 0; i < 20 && told.n_ends == 0; ++i) {
    EXPECT_TRUE(rig.answer->body(lots));
    take(rig.queue, told);
  }
  EXPECT_EQ(told.error, "work: it sent a message of more than 16 MiB");
}

Told told_of(AnswerOrder order, std::string_view body, int status = 200) {
  Rig rig(std::move(order));
  rig.answer->head({.status = status, .headers = {}});
  EXPECT_TRUE(rig.answer->body(body));
  EXPECT_FALSE(rig.answer->end({}));
  Told told;
  take(rig.queue, told);
  return told;
}

TEST(RemoteAnswerTest, AContentIsReadInEveryFormThatEnginesGiveIt) {
  for (
      const char* body : {
          R"(data: {"choices":[{"delta":{"content":[{"type":"text","text":"Hello"}]},"finish_reason":"stop"}]})",
          R"(data: {"choices":[{"delta":{"content":["Hel",{"text":"lo"}]},"finish_reason":"stop"}]})",
          R"(data: {"choices":[{"text":"Hello","finish_reason":"stop"}]})",
          R"({"choices":[{"text":"Hel"}]}{"choices":[{"text":"lo","finish_reason":"stop"}]})",
          R"({"choices":[{"message":{"content":"Hello"},"finish_reason":null}]})",
          R"({"choices":[{"message":{"content":"Hello"}}]})",
      }) {
    const Told told = told_of(order_of(EngineKind::other), std::string(body) + "\n\n");
    EXPECT_EQ(told.text, "Hello") << body;
    EXPECT_EQ(told.end, "end_of_turn") << body << told.error;
  }
  const Told thought = told_of(
      order_of(EngineKind::other),
      R"({"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},)"
      R"({"type":"text","text":"4"}]},"finish_reason":"stop"}]})");
  EXPECT_EQ(thought.reasoning, "hm");
  EXPECT_EQ(thought.text, "4");
}

TEST(RemoteAnswerTest, NoAnswerIsAnError) {
  const auto error = [](std::string_view body) {
    return told_of(order_of(EngineKind::other), body).error;
  };
  EXPECT_EQ(error("data: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"image_url\"}]},"
                  "\"finish_reason\":\"stop\"}]}\n\n"),
            "work: its answer is of a kind that confab does not know: image_url");
  EXPECT_EQ(error("data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"},"
                  "\"finish_reason\":\"stop\"}]}\n\n"),
            "work: it ended without an answer, after its reasoning");
  EXPECT_EQ(error("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"),
            "work: it ended without an answer");
}

TEST(RemoteAnswerTest, AnAnswerThatWasCutOffIsThatUnderEveryName) {
  for (const char* reason : {"length", "model_length", "MAX_TOKENS", "max_tokens"}) {
    const Told told = told_of(
        order_of(EngineKind::other),
        fmt::format("{{\"choices\":[{{\"text\":\"Hal\",\"finish_reason\":\"{}\"}}]}}", reason));
    EXPECT_EQ(told.end, "length") << reason;
  }
}

TEST(RemoteAnswerTest, HalvesOfACharacterInTwoMessagesBelongTogether) {
  Rig rig(order_of(EngineKind::other));
  rig.answer->head(ok_head());
  for (const char* half : {"a\\ud83d", "\\ude00b"})
    EXPECT_TRUE(rig.answer->body(
        fmt::format("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n", half)));
  EXPECT_TRUE(rig.answer->body("data: [DONE]\n\n"));
  Told told;
  take(rig.queue, told);
  EXPECT_EQ(told.text, "a\U0001F600b");
  EXPECT_EQ(told.end, "end_of_turn");
}

// What an engine sends of one answer has an end, in text, reasoning and calls of tools.
TEST(RemoteAnswerTest, AnAnswerHasACeiling) {
  const std::string lots(1U << 20, 'y');
  for (const std::string& delta :
       {"\"content\":\"" + lots + "\"", "\"reasoning_content\":\"" + lots + "\"",
        "\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"" + lots +
            "\"}}]"}) {
    Rig rig(order_of(EngineKind::other));
    rig.answer->head(ok_head());
    Told told;
    for (int i = 0; i < 40 && told.n_ends == 0; ++i) {
      EXPECT_TRUE(rig.answer->body("data: {\"choices\":[{\"delta\":{" + delta + "}}]}\n\n"));
      take(rig.queue, told);
    }
    EXPECT_NE(told.error.find("longer than"), std::string::npos) << delta.substr(0, 20);
    EXPECT_TRUE(rig.answer->has_enough());
  }
}

TEST(RemoteAnswerTest, AnEngineThatIgnoresTheNumberOfTokensIsHeldToIt) {
  AnswerOrder order = order_of(EngineKind::other);
  order.request.n_predict = 3;
  std::string body;
  for (int i = 0; i < 100; ++i)
    body += "data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n";
  const std::string_view all = body;
  Rig rig(std::move(order));
  rig.answer->head(ok_head());
  Told told;
  const std::size_t size = body.size() / 100;
  for (std::size_t at = 0; at < all.size() && told.n_ends == 0; at += size) {
    EXPECT_TRUE(rig.answer->body(all.substr(at, size)));
    take(rig.queue, told);
  }
  EXPECT_EQ(told.text, "word word word ");
  EXPECT_EQ(told.end, "length");
  EXPECT_TRUE(rig.answer->has_enough());
}

TEST(RemoteAnswerTest, ARefusalWithoutAnEndIsCutShort) {
  Rig rig(order_of(EngineKind::other));
  rig.answer->head({.status = 500, .headers = {}});
  int n = 0;
  while (!rig.answer->has_enough()) {
    EXPECT_TRUE(rig.answer->body(std::string(10'000, 'x')));
    ASSERT_LT(++n, 100);
  }
  EXPECT_FALSE(rig.answer->end({}));
  Told told;
  take(rig.queue, told);
  EXPECT_LT(told.error.size(), 200U);
}

TEST(RemoteAnswerTest, StopIsHeardWhileAShapeIsChecked) {
  AnswerOrder order = order_of(EngineKind::vllm);
  order.request.shape = {.kind = ConstraintSpec::Kind::choices, .choices = {"yes", "no"}};
  EventQueue queue;
  std::function<void()> check;
  const auto answer =
      std::make_shared<RemoteAnswer>(std::move(order), AnswerEvents(queue, AnswerId{1}), queue,
                                     [&](std::function<void()> work) { check = std::move(work); });
  answer->head(ok_head());
  EXPECT_TRUE(
      answer->body("data: {\"choices\":[{\"delta\":{\"content\":\"yes\"},"
                   "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"));
  ASSERT_TRUE(check);
  answer->stop();
  check();
  Told told;
  take(queue, told);
  EXPECT_EQ(told.end, "cancelled");
  EXPECT_EQ(told.n_ends, 1);
}

}  // namespace
}  // namespace confab::engine
