// SPDX-License-Identifier: MIT
// Each against what its models' makers document, written out.
#include "engine/prompt/builtin_template.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/prompt/chat_template.h"
#include "engine/prompt/reasoning_format.h"

namespace confab::engine {
namespace {

// OpenAI's description of its Harmony format, "System message format".
#define HARMONY_SYSTEM                                                                     \
  "<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\n" \
  "Knowledge cutoff: 2024-06\n\nReasoning: medium\n\n# Valid channels: analysis, "         \
  "commentary, final. Channel must be included for every message.<|end|>"

struct Rendered {
  const char* name;
  const char* conversation;  // system prompt, question, answer, question
  const char* question;      // a question alone
};

class BuiltinTemplateTest : public testing::TestWithParam<Rendered> {
 protected:
  static std::string render(const std::vector<ChatMessage>& messages) {
    const BuiltinTemplate* found = find_builtin_template(GetParam().name);
    if (found == nullptr) return "no such template";
    return ChatTemplate(found->text, "<s>", "</s>").render(messages, true).text;
  }
};

std::string name_of(const testing::TestParamInfo<Rendered>& row) {
  std::string name = row.param.name;
  std::erase(name, '-');
  return name;
}

TEST_P(BuiltinTemplateTest, WritesAConversationAsItsModelsReadIt) {
  EXPECT_EQ(render({{"system", "Be kind."},
                    {"user", "Hello"},
                    {"assistant", "Hi there"},
                    {"user", "Who are you?"}}),
            GetParam().conversation);
  EXPECT_EQ(render({{"user", "Hello"}}), GetParam().question);
}

INSTANTIATE_TEST_SUITE_P(
    Names, BuiltinTemplateTest,
    testing::Values(
        Rendered{"chatml",
                 "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n"
                 "<|im_start|>assistant\nHi there<|im_end|>\n<|im_start|>user\nWho are you?"
                 "<|im_end|>\n<|im_start|>assistant\n",
                 "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"},
        Rendered{"gemma",
                 "<s><start_of_turn>user\nBe kind.\n\nHello<end_of_turn>\n<start_of_turn>model\n"
                 "Hi there<end_of_turn>\n<start_of_turn>user\nWho are you?<end_of_turn>\n"
                 "<start_of_turn>model\n",
                 "<s><start_of_turn>user\nHello<end_of_turn>\n<start_of_turn>model\n"},
        Rendered{"gemma4",
                 "<s><|turn>system\nBe kind.<turn|>\n<|turn>user\nHello<turn|>\n<|turn>model\n"
                 "Hi there<turn|>\n<|turn>user\nWho are you?<turn|>\n<|turn>model\n",
                 "<s><|turn>user\nHello<turn|>\n<|turn>model\n"},
        Rendered{"gpt-oss",
                 HARMONY_SYSTEM "<|start|>developer<|message|># Instructions\n\nBe kind.<|end|>"
                                "<|start|>user<|message|>Hello<|end|>"
                                "<|start|>assistant<|channel|>final<|message|>Hi there<|end|>"
                                "<|start|>user<|message|>Who are you?<|end|><|start|>assistant",
                 HARMONY_SYSTEM "<|start|>user<|message|>Hello<|end|><|start|>assistant"},
        Rendered{"granite",
                 "<|start_of_role|>system<|end_of_role|>Be kind.<|end_of_text|>\n"
                 "<|start_of_role|>user<|end_of_role|>Hello<|end_of_text|>\n"
                 "<|start_of_role|>assistant<|end_of_role|>Hi there<|end_of_text|>\n"
                 "<|start_of_role|>user<|end_of_role|>Who are you?<|end_of_text|>\n"
                 "<|start_of_role|>assistant<|end_of_role|>",
                 "<|start_of_role|>user<|end_of_role|>Hello<|end_of_text|>\n"
                 "<|start_of_role|>assistant<|end_of_role|>"},
        Rendered{"llama2",
                 "<s>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\nHello [/INST] Hi there </s>"
                 "<s>[INST] Who are you? [/INST]",
                 "<s>[INST] Hello [/INST]"},
        Rendered{"llama3",
                 "<s><|start_header_id|>system<|end_header_id|>\n\nBe kind.<|eot_id|>"
                 "<|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>"
                 "<|start_header_id|>assistant<|end_header_id|>\n\nHi there<|eot_id|>"
                 "<|start_header_id|>user<|end_header_id|>\n\nWho are you?<|eot_id|>"
                 "<|start_header_id|>assistant<|end_header_id|>\n\n",
                 "<s><|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>"
                 "<|start_header_id|>assistant<|end_header_id|>\n\n"},
        Rendered{"mistral-v3",
                 "<s>[INST] Be kind.\n\nHello[/INST] Hi there</s>[INST] Who are you?[/INST]",
                 "<s>[INST] Hello[/INST]"},
        Rendered{"mistral-v7",
                 "<s>[SYSTEM_PROMPT] Be kind.[/SYSTEM_PROMPT][INST] Hello[/INST] Hi there</s>"
                 "[INST] Who are you?[/INST]",
                 "<s>[INST] Hello[/INST]"},
        Rendered{"mistral-v7-tekken",
                 "<s>[SYSTEM_PROMPT]Be kind.[/SYSTEM_PROMPT][INST]Hello[/INST]Hi there</s>"
                 "[INST]Who are you?[/INST]",
                 "<s>[INST]Hello[/INST]"},
        Rendered{"phi3",
                 "<s><|system|>\nBe kind.<|end|>\n<|user|>\nHello<|end|>\n<|assistant|>\n"
                 "Hi there<|end|>\n<|user|>\nWho are you?<|end|>\n<|assistant|>\n",
                 "<s><|user|>\nHello<|end|>\n<|assistant|>\n"},
        Rendered{"phi4",
                 "<|im_start|>system<|im_sep|>Be kind.<|im_end|><|im_start|>user<|im_sep|>Hello"
                 "<|im_end|><|im_start|>assistant<|im_sep|>Hi there<|im_end|><|im_start|>user"
                 "<|im_sep|>Who are you?<|im_end|><|im_start|>assistant<|im_sep|>",
                 "<|im_start|>user<|im_sep|>Hello<|im_end|><|im_start|>assistant<|im_sep|>"},
        Rendered{"vicuna",
                 "<s>Be kind.\n\nUSER: Hello\nASSISTANT: Hi there</s>\nUSER: Who are you?\n"
                 "ASSISTANT:",
                 "<s>USER: Hello\nASSISTANT:"}),
    name_of);

// Of those whose models reason, an answer that is continued keeps what was thought.
TEST(BuiltinTemplatesTest, ReasoningIsKnownByItsMarkers) {
  const std::vector<ChatMessage> asked = {{"user", "Hello"}};
  for (const char* name : {"gemma4", "gpt-oss"}) {
    const BuiltinTemplate* found = find_builtin_template(name);
    const ReasoningFormat* format = find_reasoning_format(found->text);
    ASSERT_NE(format, nullptr) << name;
    ChatMessage answer{"assistant", "Hi there"};
    answer.reasoning = "They greet.";
    const std::string text =
        ChatTemplate(found->text, "<s>", "</s>").render({asked[0], answer}, false).text;
    EXPECT_NE(text.find(std::string(format->markers[0].text) + "They greet."), std::string::npos)
        << text;
  }
  EXPECT_TRUE(can_switch_thinking(find_builtin_template("gemma4")->text));
}

TEST(BuiltinTemplatesTest, EachHasItsNameAndItsTest) {
  EXPECT_EQ(builtin_templates().size(), 13U) << "and as many rows above";
  for (const BuiltinTemplate& one : builtin_templates()) {
    EXPECT_EQ(find_builtin_template(one.name), &one);
    EXPECT_FALSE(one.ends.empty());
    EXPECT_EQ(one.text.find("\n"), std::string_view::npos);
  }
  EXPECT_EQ(find_builtin_template("ChatML"), nullptr);
}

}  // namespace
}  // namespace confab::engine
