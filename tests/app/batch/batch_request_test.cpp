// SPDX-License-Identifier: MIT
#include "app/batch/batch_input.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

BatchRequest read(const std::string& text, const ChatOptions& defaults = {}) {
  return read_request(text, 7, defaults);
}

// "role: content | role: content".
std::string said(const BatchRequest& request) {
  std::string text = request.fault;
  for (const engine::ChatMessage& message : request.messages)
    text += (text.empty() ? "" : " | ") + message.role + ": " + message.content;
  return text;
}

std::string openai(const std::string& body, const std::string& more = {}) {
  return R"({"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": )" + body +
         more + "}";
}

TEST(BatchRequestTest, APromptIsAQuestion) {
  const BatchRequest request = read(R"({"prompt": "Why?", "id": "a\u00e4"})");
  EXPECT_EQ(said(request), "user: Why?");
  EXPECT_EQ(request.id, "\"a\u00e4\"");
  EXPECT_FALSE(request.openai);
  EXPECT_EQ(read(R"({"prompt": "Why?", "id": 12})").id, "12");
  EXPECT_EQ(read(R"({"prompt": "Why?", "id": null})").id, "");
}

TEST(BatchRequestTest, MessagesAreAConversation) {
  EXPECT_EQ(said(read(R"({"messages": [{"role": "developer", "content": "Be brief."},
      {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"},
      {"role": "user", "content": [{"type": "text", "text": "And"}, {"type": "text", "text": "?"}]}
      ]})")),
            "system: Be brief. | user: Hi | assistant: Ho | user: And?");
  EXPECT_EQ(said(read(R"({"messages": [{"role": "user", "content": "a"},
                                       {"role": "user", "content": "b"}]})")),
            "user: a\n\nb");
}

TEST(BatchRequestTest, TheSystemPromptIsItsOwnOrTheUsualOne) {
  const ChatOptions kind = [] {
    ChatOptions options;
    options.system = "Be kind.";
    return options;
  }();
  EXPECT_EQ(said(read(R"({"prompt": "a"})", kind)), "system: Be kind. | user: a");
  EXPECT_EQ(said(read(R"({"prompt": "a", "system": "Be curt."})", kind)),
            "system: Be curt. | user: a");
  EXPECT_EQ(said(read(openai(R"({"messages": [{"role": "user", "content": "a"}]})"), kind)),
            "system: Be kind. | user: a");
}

TEST(BatchRequestTest, ParametersAreThoseOfTheTable) {
  ChatOptions defaults;
  defaults.n_predict = 100;
  defaults.sampling.top_k = 3;
  const BatchRequest request =
      read(R"({"prompt": "a", "temperature": 0.25, "seed": 9, "max_tokens": 12, "min-p": 0.5,
               "stop": ["x", "y"], "thinking": false, "reasoning_budget": 5, "top_p": null})",
           defaults);
  EXPECT_EQ(request.fault, "");
  EXPECT_FLOAT_EQ(request.options.sampling.temperature, 0.25F);
  EXPECT_FLOAT_EQ(request.options.sampling.min_p, 0.5F);
  EXPECT_EQ(request.options.sampling.seed, 9U);
  EXPECT_EQ(request.options.sampling.top_k, 3);
  EXPECT_EQ(request.options.n_predict, 12);
  EXPECT_EQ(request.options.thinking, false);
  EXPECT_EQ(request.options.reasoning_budget, 5);
  EXPECT_THAT(request.stop, ElementsAre("x", "y"));
  EXPECT_EQ(read(R"({"prompt": "a"})", defaults).options.n_predict, 100);
}

TEST(BatchRequestTest, OpenAisFormatIsRead) {
  const BatchRequest request = read(openai(
      R"({"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "n": 1, "user": "u",
          "max_completion_tokens": 5, "stop": "x", "response_format": {"type": "text"}})"));
  EXPECT_EQ(said(request), "user: Hi");
  EXPECT_EQ(request.id, "\"a\"");
  EXPECT_TRUE(request.openai);
  EXPECT_EQ(request.options.n_predict, 5);
  EXPECT_THAT(request.stop, ElementsAre("x"));
}

struct Bad {
  std::string text;
  std::string fault;
};

TEST(BatchRequestTest, WhatCannotBeHonouredIsNamed) {
  const std::string hi = R"("messages": [{"role": "user", "content": "Hi"}])";
  const std::vector<Bad> all{
      {"{", "line 7: not JSON"},
      {"[]", "line 7: found an array, expected an object"},
      {"{}", "line 7: \"prompt\" is missing"},
      {R"({"prompt": 3})", "line 7: prompt: found a number, expected a string"},
      {R"({"prompt": "a", "messages": []})", "cannot be used together"},
      {R"({"messages": []})", "the last message must be the user's"},
      {R"({"messages": [{"role": "tool", "content": "x"}]})", "messages[0].role: found \"tool\""},
      {R"({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]})",
       "content[0].type: found \"image_url\""},
      {R"({"prompt": "a", "temprature": 1})",
       "temprature: is not known; did you mean temperature?"},
      {R"({"prompt": "a", "temperature": "hot"})", "temperature: found a string"},
      {R"({"prompt": "a", "temperature": -1})", "temperature: must be a number from 0"},
      {R"({"prompt": "a", "top_k": 1.5})", "top_k: found a number, expected a whole number"},
      {R"({"prompt": "a", "n": 2})", "n: only one answer"},
      {R"({"prompt": "a", "response_format": {"type": "xml"}})",
       "response_format.type: expected \"text\""},
      {R"({"prompt": "a", "response_format": {"type": "json_schema"}})",
       "\"json_schema\" is missing"},
      {R"({"prompt": "a", "json_schema": {"type": "array", "uniqueItems": true}})",
       "json_schema: schema: uniqueItems cannot be honoured"},
      {R"({"prompt": "a", "json_schema": {}, "regex": "a"})", "the answer can have one shape only"},
      {R"({"prompt": "a", "tools": []})", "tools: batches have no tools"},
      {R"({"prompt": "a", "id": []})", "id: found an array"},
      {R"({"custom_id": "a", "url": "/v1/embeddings", "body": {}})", "url: found"},
      {R"({"custom_id": "a", "method": "GET", "url": "/v1/chat/completions", "body": {}})",
       "method: found \"GET\""},
      {R"({"custom_id": "a", "body": {)" + hi + "}}", "\"url\" is missing"},
      {R"({"url": "x", "body": {}})", "\"custom_id\" is missing"},
      {openai(R"({"prompt": "a"})"), "body: \"messages\" is missing"},
      {openai("{" + hi + R"(, "prompt": "a"})"), "body.prompt: is not known"},
  };
  for (const Bad& bad : all) {
    const BatchRequest request = read(bad.text);
    EXPECT_THAT(request.fault, StartsWith("line 7: ")) << bad.text;
    EXPECT_THAT(request.fault, HasSubstr(bad.fault)) << bad.text;
    EXPECT_EQ(request.fault.find('\n'), std::string::npos);
  }
}

TEST(BatchRequestTest, AFaultyRequestKeepsItsId) {
  EXPECT_EQ(read(R"({"id": "x", "prompt": 3})").id, "\"x\"");
  EXPECT_EQ(read(openai("3")).id, "\"a\"");
  EXPECT_TRUE(read(openai("3")).openai);
}

TEST(BatchRequestTest, AModelsPromptIsForRequestsWithoutOne) {
  const std::vector<engine::Turn> turns = turns_of(read(R"({"prompt": "Why?"})"));
  EXPECT_EQ(with_system(turns, "").size(), 1U);
  const std::vector<engine::Turn> told = with_system(turns, "Be brief.");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].message.role, "system");
  EXPECT_EQ(told[0].message.content, "Be brief.");
  EXPECT_EQ(with_system(told, "Be long.").size(), 2U);
}

TEST(BatchRequestTest, FilesGoWithTheLastQuestion) {
  const TempDir folder;
  const std::string file = folder.file("notes.txt", "a note\n");
  const BatchRequest request = read(R"({"prompt": "Why?", "files": [")" + file + R"("]})");
  EXPECT_EQ(request.fault, "");
  const std::vector<engine::Turn> turns = turns_of(request);
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].message.content, "notes.txt:\n```\na note\n```\n\nWhy?");
  EXPECT_THROW(turns_of(read(R"({"prompt": "Why?", "files": "/nowhere/at/all"})")), UserError);
}

TEST(BatchRequestTest, AFormIsExpectedOrAShapeKept) {
  const BatchRequest request = read(R"({"prompt": "a", "expect": "table:a,b", "retries": 0})");
  EXPECT_EQ(request.fault, "");
  EXPECT_EQ(name_of(request.expected), "table:a,b");
  EXPECT_EQ(request.n_retries, 0);
  EXPECT_EQ(read(R"({"prompt": "a", "expect": "list"})").n_retries, 2);
  EXPECT_FALSE(read(R"({"prompt": "a"})").expected.is_wanted());
  const std::pair<const char*, const char*> faults[] = {
      {R"("expect": "tables")", "line 7: expect: 'tables' is not a form"},
      {R"("expect": "list", "retries": 21)",
       "line 7: retries: found 21, expected a number from 0 to 20"},
      {R"("expect": "list", "retries": -1)", "expected a number from 0 to 20"},
      {R"("retries": 1)", "line 7: retries: works only with \"expect\""},
      {R"("expect": "json", "json_schema": {})", "line 7: expect: cannot be used together"},
      {R"("within": ["a", "b"])", "line 7: within: needs a shape"},
      {R"("regex": "a", "within": ["a"])", "line 7: within: expected the two texts"},
      {R"("regex": "a", "within": ["a", ""])", "line 7: within: expected the two texts"},
      {R"("expext": "list")", "did you mean expect?"}};
  for (const auto& [keys, fault] : faults)
    EXPECT_THAT(read(fmt::format(R"({{"prompt": "a", {}}})", keys)).fault, HasSubstr(fault));
}

TEST(BatchRequestTest, TheFormIsSaidAndWhatWasWrongBehindIt) {
  const TempDir folder;
  const std::string file = folder.file("a.txt", "content");
  const BatchRequest request =
      read(fmt::format(R"({{"prompt": "a", "expect": "json", "files": "{}"}})", file));
  const std::string first = turns_of(request).back().message.content;
  EXPECT_THAT(first, AllOf(HasSubstr("a\n\nAnswer with valid JSON"), HasSubstr("content")));
  const std::vector<std::string> faults{"it is empty"};
  EXPECT_THAT(turns_of(request, faults).back().message.content,
              AllOf(HasSubstr("Answer with valid JSON"), HasSubstr("it is empty")));
}

// What the answers of a file are known by, without its schemas being compiled.
TEST(BatchRequestTest, AHeadingIsTheIdAlone) {
  const BatchRequest own = read_heading(R"({"id": 3, "prompt": "a", "regex": "("})", 7);
  EXPECT_EQ(own.id, "3");
  EXPECT_FALSE(own.openai);
  EXPECT_EQ(own.fault, "");
  EXPECT_NE(read(R"({"id": 3, "prompt": "a", "regex": "("})").fault, "");
  const BatchRequest other = read_heading(openai(R"({"nonsense": 1})"), 7);
  EXPECT_EQ(other.id, "\"a\"");
  EXPECT_TRUE(other.openai);
  EXPECT_EQ(read_heading("nonsense", 7).id, "");
}

}  // namespace
}  // namespace confab::app
