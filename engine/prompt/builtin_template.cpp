// SPDX-License-Identifier: MIT
#include "engine/prompt/builtin_template.h"

#include <algorithm>
#include <array>

namespace confab::engine {
namespace {

// The system prompt is a separate message where the models know one. In the other templates it
// precedes the first question.
constexpr auto kTemplates = std::to_array<BuiltinTemplate>({
    {"chatml",
     "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + "
     "message['content'] + '<|im_end|>\\n' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
     "<|im_end|> <|im_start|>"},
    {"gemma",
     "{{ bos_token }}{% set ns = namespace(system='') %}{% for m in messages %}"
     "{% if m['role'] == 'system' %}{% set ns.system = m['content'] | trim %}{% else %}"
     "{{ '<start_of_turn>' + ('model' if m['role'] == 'assistant' else m['role']) + '\\n' }}"
     "{% if ns.system and m['role'] != 'assistant' %}{{ ns.system + '\\n\\n' }}"
     "{% set ns.system = '' %}{% endif %}{{ m['content'] | trim }}{{ '<end_of_turn>\\n' }}"
     "{% endif %}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}",
     "<end_of_turn> <start_of_turn>"},
    {"gemma4",
     "{{ bos_token }}{% set think = enable_thinking | default(false) %}"
     "{% if think and messages[0]['role'] != 'system' %}"
     "{{ '<|turn>system\\n<|think|>\\n<turn|>\\n' }}{% endif %}{% for m in messages %}"
     "{{ '<|turn>' + ('model' if m['role'] == 'assistant' else m['role']) + '\\n' }}"
     "{% if think and loop.first and m['role'] == 'system' %}{{ '<|think|>\\n' }}{% endif %}"
     "{% if loop.last and m['reasoning_content'] %}{{ '<|channel>thought\\n' }}"
     "{{ m['reasoning_content'] }}{{ '\\n<channel|>' }}{% endif %}"
     "{{ m['content'] | trim }}{{ '<turn|>\\n' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|turn>model\\n' }}{% endif %}",
     "<turn|> <|turn>"},
    {"gpt-oss",
     "{{ '<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\\n"
     "Knowledge cutoff: 2024-06\\n\\nReasoning: medium\\n\\n# Valid channels: analysis, "
     "commentary, final. Channel must be included for every message.<|end|>' }}"
     "{% for m in messages %}{% if m['role'] == 'system' %}"
     "{{ '<|start|>developer<|message|># Instructions\\n\\n' }}{{ m['content'] }}{{ '<|end|>' }}"
     "{% elif m['role'] == 'user' %}"
     "{{ '<|start|>user<|message|>' }}{{ m['content'] }}{{ '<|end|>' }}{% else %}"
     "{% if loop.last and m['reasoning_content'] %}"
     "{{ '<|start|>assistant<|channel|>analysis<|message|>' }}{{ m['reasoning_content'] }}"
     "{{ '<|end|>' }}{% endif %}"
     "{{ '<|start|>assistant<|channel|>final<|message|>' }}{{ m['content'] }}{{ '<|end|>' }}"
     "{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|start|>assistant' }}{% endif %}",
     "<|return|>"},
    {"granite",
     "{% for m in messages %}{{ '<|start_of_role|>' + m['role'] + '<|end_of_role|>' }}"
     "{{ m['content'] }}{{ '<|end_of_text|>\\n' }}{% endfor %}{% if add_generation_prompt %}"
     "{{ '<|start_of_role|>assistant<|end_of_role|>' }}{% endif %}",
     "<|end_of_text|> <|start_of_role|>"},
    {"llama2",
     "{% set ns = namespace(system='') %}{% for m in messages %}{% if m['role'] == 'system' %}"
     "{% set ns.system = '<<SYS>>\\n' + m['content'] + '\\n<</SYS>>\\n\\n' %}"
     "{% elif m['role'] == 'user' %}{{ bos_token + '[INST] ' + ns.system }}{{ m['content'] }}"
     "{{ ' [/INST]' }}{% set ns.system = '' %}{% else %}"
     "{{ ' ' }}{{ m['content'] | trim }}{{ ' ' + eos_token }}{% endif %}{% endfor %}",
     "</s> [INST]"},
    {"llama3",
     "{{ bos_token }}{% for m in messages %}"
     "{{ '<|start_header_id|>' + m['role'] + '<|end_header_id|>\\n\\n' }}{{ m['content'] | trim }}"
     "{{ '<|eot_id|>' }}{% endfor %}{% if add_generation_prompt %}"
     "{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}",
     "<|eot_id|> <|start_header_id|>"},
    {"mistral-v3",
     "{{ bos_token }}{% set ns = namespace(system='') %}{% for m in messages %}"
     "{% if m['role'] == 'system' %}{% set ns.system = m['content'] + '\\n\\n' %}"
     "{% elif m['role'] == 'user' %}{{ '[INST] ' + ns.system }}{{ m['content'] }}{{ '[/INST]' }}"
     "{% set ns.system = '' %}{% else %}"
     "{{ ' ' }}{{ m['content'] | trim }}{{ eos_token }}{% endif %}{% endfor %}",
     "</s> [INST]"},
    {"mistral-v7",
     "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}"
     "{{ '[SYSTEM_PROMPT] ' }}{{ m['content'] }}{{ '[/SYSTEM_PROMPT]' }}"
     "{% elif m['role'] == 'user' %}{{ '[INST] ' }}{{ m['content'] }}{{ '[/INST]' }}{% else %}"
     "{{ ' ' }}{{ m['content'] }}{{ eos_token }}{% endif %}{% endfor %}",
     "</s> [INST]"},
    {"mistral-v7-tekken",
     "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}"
     "{{ '[SYSTEM_PROMPT]' }}{{ m['content'] }}{{ '[/SYSTEM_PROMPT]' }}"
     "{% elif m['role'] == 'user' %}{{ '[INST]' }}{{ m['content'] }}{{ '[/INST]' }}{% else %}"
     "{{ m['content'] }}{{ eos_token }}{% endif %}{% endfor %}",
     "</s> [INST]"},
    {"phi3",
     "{{ bos_token }}{% for m in messages %}{{ '<|' + m['role'] + '|>\\n' }}{{ m['content'] }}"
     "{{ '<|end|>\\n' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}",
     "<|end|> <|user|>"},
    {"phi4",
     "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '<|im_sep|>' }}{{ m['content'] }}"
     "{{ '<|im_end|>' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|im_start|>assistant<|im_sep|>' }}{% endif %}",
     "<|im_end|> <|im_start|>"},
    {"vicuna",
     "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}{{ m['content'] }}"
     "{{ '\\n\\n' }}{% elif m['role'] == 'user' %}{{ 'USER: ' }}{{ m['content'] }}{{ '\\n' }}"
     "{% else %}{{ 'ASSISTANT: ' }}{{ m['content'] }}{{ eos_token + '\\n' }}{% endif %}"
     "{% endfor %}{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}",
     "</s> USER:"},
});

}  // namespace

std::span<const BuiltinTemplate> builtin_templates() noexcept {
  return kTemplates;
}

const BuiltinTemplate* find_builtin_template(std::string_view name) noexcept {
  const auto* found = std::ranges::find(kTemplates, name, &BuiltinTemplate::name);
  return found == kTemplates.end() ? nullptr : found;
}

}  // namespace confab::engine
