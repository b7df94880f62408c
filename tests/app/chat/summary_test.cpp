// SPDX-License-Identifier: MIT
#include "app/chat/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "engine/prompt/prompt.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

using engine::Turn;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Turn turn(const char* role, std::string text) {
  return {.message = {role, std::move(text)}};
}

std::vector<Turn> conversation(std::size_t n_bytes) {
  return {turn("system", "Be brief."), turn("user", std::string(n_bytes, 'a')),
          turn("assistant", std::string(n_bytes, 'b')), turn("user", std::string(n_bytes, 'c')),
          turn("assistant", std::string(n_bytes, 'd'))};
}

TEST(SummaryTest, WhatFitsIsToldWhole) {
  const SummaryRequest request(conversation(100), 120, 2048);
  EXPECT_FALSE(request.is_partial());
  const auto turns = request.turns();
  ASSERT_EQ(turns.size(), 6U);
  EXPECT_EQ(turns[1].message.content, std::string(100, 'a'));
  EXPECT_EQ(turns[5].message.role, "user");
  EXPECT_THAT(turns[5].message.content, StartsWith("Summarise our conversation"));
}

TEST(SummaryTest, OfAFullContextTheMostRecentPartIsTold) {
  const SummaryRequest request(conversation(1000), 1000, 1000);
  EXPECT_TRUE(request.is_partial());
  const auto turns = request.turns();
  EXPECT_EQ(turns.front().message.content, "Be brief.");
  EXPECT_EQ(turns[turns.size() - 2].message.content, std::string(1000, 'd'));
  std::size_t n_told = 0;
  for (const Turn& told : turns) n_told += told.message.content.size();
  EXPECT_LT(n_told, 3500U);
}

// Each role follows the other one, whatever has been left out.
TEST(SummaryTest, TheRolesAlternate) {
  SummaryRequest request(conversation(1000), 1000, 1000);
  do {
    const auto turns = request.turns();
    for (std::size_t i = 1; i < turns.size(); ++i)
      EXPECT_EQ(turns[i].message.role, i % 2 == 1 ? "user" : "assistant");
  } while (request.shorten());
  EXPECT_TRUE(request.is_partial());
}

TEST(SummaryTest, ACutIsBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "\xE2\x82\xAC";  // a euro sign
  SummaryRequest request({turn("user", text)}, 1000, 1000);
  EXPECT_TRUE(request.shorten());
  EXPECT_THAT(request.turns().front().message.content, StartsWith("\xE2\x82\xAC"));
}

TEST(SummaryTest, AQuestionWithoutAnAnswerAndTheRequestAreOneTurn) {
  const SummaryRequest request({turn("user", "Why?")}, 10, 1000);
  ASSERT_EQ(request.turns().size(), 1U);
  EXPECT_THAT(request.turns()[0].message.content, StartsWith("Why?\n\nSummarise"));
}

// As Gemma's: no system prompt, and the roles alternate.
constexpr const char* kNoSystem = R"({{ bos_token }}{% if messages[0]['role'] == 'system' %}
{{ raise_exception('System role not supported') }}{% endif %}{% for message in messages %}
{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{% endif %}<start_of_turn>{{ 'model' if message['role'] == 'assistant' else message['role'] }}
{{ message['content'] | trim }}<end_of_turn>
{% endfor %}{% if add_generation_prompt %}<start_of_turn>model
{% endif %})";
// As Mistral's: the system prompt stands in the last question, and the roles alternate behind it.
constexpr const char* kAlternating = R"({%- if messages[0]['role'] == 'system' -%}
{%- set system = messages[0]['content'] -%}{%- set said = messages[1:] -%}
{%- else -%}{%- set said = messages -%}{%- endif -%}{{ bos_token }}{%- for message in said -%}
{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
{{ raise_exception('After the optional system message, roles must alternate') }}{%- endif -%}
{%- if message['role'] == 'user' -%}[INST] {% if loop.last and system is defined -%}
{{ system + '\n\n' }}{%- endif -%}{{ message['content'] }}[/INST]
{%- else -%}{{ message['content'] }}</s>{%- endif -%}{%- endfor -%})";

// The request, and the first question of the conversation that goes on from the summary.
TEST(SummaryTest, StrictTemplatesTakeIt) {
  const engine::TinyModelFile file;
  const engine::Gguf gguf(file.path());
  const auto tokenizer = engine::Tokenizer::load(gguf);
  for (const char* source : {kNoSystem, kAlternating}) {
    const engine::PromptBuilder prompts(*tokenizer, source);
    SummaryRequest request(conversation(1000), 1000, 1000);
    do {
      const std::string text = prompts.text(request.turns());
      EXPECT_THAT(text, HasSubstr("Be brief."));
      EXPECT_THAT(text, HasSubstr("Summarise our conversation"));
    } while (request.shorten());
    const std::string next = prompts.text(
        {turn("system", system_with_summary("Be brief.", "We counted.")), turn("user", "Go on.")});
    EXPECT_THAT(next, HasSubstr("We counted.\n\nGo on."));
  }
}

TEST(SummaryTest, ItStandsInTheSystemPrompt) {
  EXPECT_EQ(system_with_summary("", "We counted."),
            "Summary of the conversation so far:\nWe counted.");
  EXPECT_THAT(system_with_summary("Be kind.", "x"), StartsWith("Be kind.\n\nSummary"));
}

}  // namespace
}  // namespace confab::app
