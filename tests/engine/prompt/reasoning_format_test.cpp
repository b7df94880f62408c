// SPDX-License-Identifier: MIT
#include "engine/prompt/reasoning_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/prompt/reasoning_stream.h"
#include "tests/engine/golden.h"
#include "tests/engine/prompt/reasoning_signs.h"

namespace confab::engine {
namespace {

std::string family_of(std::string_view chat_template) {
  const ReasoningFormat* format = find_reasoning_format(chat_template);
  return format == nullptr ? "" : std::string(format->family);
}

TEST(ReasoningFormatTest, EveryFamilyIsFoundByItsSign) {
  for (const auto& [family, sign] : kReasoningSigns) {
    const std::string source = "{{ x }}" + std::string(sign) + "{{ y }}";
    ASSERT_EQ(family_of(source), family);
    const ReasoningFormat& format = *find_reasoning_format(source);
    EXPECT_FALSE(format.close.empty());
    EXPECT_TRUE(format.mentions(format.close));
    EXPECT_FALSE(format.mentions("<|im_end|>"));
  }
  EXPECT_EQ(family_of("{{ '<|im_start|>' + messages[0].content }}"), "");
}

TEST(ReasoningFormatTest, EveryFamilyLeadsToItsAnswer) {
  for (const auto& [family, sign] : kReasoningSigns) {
    const ReasoningFormat& format = *find_reasoning_format(sign);
    EXPECT_TRUE(leads_to_answer(format, format.to_answer)) << format.family;
    EXPECT_FALSE(leads_to_answer(format, "\n")) << format.family;
    EXPECT_FALSE(leads_to_answer(format, std::string(format.to_answer) + "Yes")) << format.family;
    EXPECT_FALSE(leads_to_answer(format, "Hm." + std::string(format.to_answer))) << format.family;
  }
}

TEST(ReasoningFormatTest, AnOpenMarkerAtTheEndOfThePromptCounts) {
  const ReasoningFormat& think = *find_reasoning_format("<think>");
  EXPECT_TRUE(think.is_open_after("<|im_start|>assistant\n<think>\n"));
  EXPECT_TRUE(think.is_open_after("<think></think>\n<think>"));
  EXPECT_FALSE(think.is_open_after("<|im_start|>assistant\n<think>\n\n</think>\n\n"));
  EXPECT_FALSE(think.is_open_after("<|im_start|>assistant\n"));
  const ReasoningFormat& harmony = *find_reasoning_format("<|channel|>analysis");
  EXPECT_FALSE(harmony.is_open_after("<|start|>assistant"));
  EXPECT_TRUE(harmony.is_open_after("<|start|>assistant<|channel|>analysis<|message|>"));
  EXPECT_FALSE(harmony.is_open_after("<|start|>assistant<|channel|>final<|message|>"));
}

TEST(ReasoningFormatTest, AnAnswerHasAHeaderWhereTheFormatHasOne) {
  const ReasoningFormat& think = *find_reasoning_format("<think>");
  EXPECT_EQ(think.answer_header("<|im_start|>assistant\n"), "");
  const ReasoningFormat& harmony = *find_reasoning_format("<|channel|>analysis");
  EXPECT_EQ(harmony.answer_header("<|start|>assistant"), "<|channel|>final<|message|>");
  EXPECT_EQ(harmony.answer_header("<|start|>assistant<|channel|>final<|message|>"), "");
  const ReasoningFormat& cohere = *find_reasoning_format("<|START_THINKING|>");
  EXPECT_EQ(cohere.answer_header("<|START_THINKING|><|END_THINKING|>"), "<|START_RESPONSE|>");
}

TEST(ReasoningFormatTest, TheKeyIsTheOneThatTheTemplateReads) {
  EXPECT_EQ(reasoning_key("{{ message.reasoning_content }}{{ message.thinking }}"),
            "reasoning_content");
  EXPECT_EQ(reasoning_key("{{ message.thinking }}"), "thinking");
  EXPECT_EQ(reasoning_key("{{ message['reasoning'] }}"), "reasoning");
  EXPECT_EQ(reasoning_key("{{ message.content }}"), "reasoning_content");
}

// Real templates: the family that each belongs to; all others have none.
TEST(ReasoningFormatFidelityTest, KnowsTheTemplatesInUse) {
  CONFAB_NEEDS_GOLDEN_FOLDER();
  const std::map<std::string, std::string> families = {
      {"Apertus-8B-Instruct", "apertus"},
      {"ByteDance-Seed-OSS", "seed"},
      {"GLM-4.6", "think"},
      {"HuggingFaceTB-SmolLM3-3B", "think"},
      {"LFM2.5-Instruct", "think"},
      {"MiMo-VL", ""},
      {"MiniMax-M2", "think"},
      {"NVIDIA-Nemotron-Nano-v2", "think"},
      {"Qwen-QwQ-32B", "think"},
      {"Qwen-Qwen3-0.6B", "think"},
      {"Qwen3-Coder", ""},
      {"Qwen3.5-4B", "think"},
      {"StepFun3.5-Flash", "think"},
      {"classic-Llama-3", ""},
      {"classic-phi-4", ""},
      {"deepseek-ai-DeepSeek-R1-Distill-Llama-8B", "think"},
      {"deepseek-ai-DeepSeek-V3.1", "think"},
      {"google-gemma-2-2b-it", ""},
      {"google-gemma-4-31B-it", "gemma4"},
      {"ibm-granite-granite-3.3-2B-Instruct", "think"},
      {"mistralai-Ministral-3-14B-Reasoning-2512", "magistral"},
      {"openai-gpt-oss-120b", "harmony"},
  };
  for (const auto& [name, family] : families) {
    const std::string source = read_text(golden_folder() / "templates" / (name + ".jinja"));
    EXPECT_EQ(family_of(source), family) << name;
  }
}

}  // namespace
}  // namespace confab::engine
