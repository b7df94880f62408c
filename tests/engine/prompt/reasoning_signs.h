// SPDX-License-Identifier: MIT
// A piece of a chat template of each family that sets its reasoning apart.
#pragma once

#include <array>
#include <string_view>

namespace confab::engine {

struct ReasoningSign {
  std::string_view family;
  std::string_view in_template;
};

inline constexpr auto kReasoningSigns = std::to_array<ReasoningSign>({
    {"harmony", "<|channel|>analysis"},
    {"gemma4", "<|channel>"},
    {"kimi-xml", "open_tag('think'"},
    {"solar", "<|begin|>assistant<|think|>"},
    {"cohere", "<|START_THINKING|>"},
    {"seed", "seed:think"},
    {"minimax-m3", "mm:think"},
    {"magistral", "[THINK]"},
    {"apertus", "<|inner_prefix|>"},
    {"apriel", "[BEGIN FINAL RESPONSE]"},
    {"granite-3.2", "Here is my thought process:"},
    {"think", "<think>"},
    {"think", "</think>"},
    {"thinking", "<thinking>"},
    {"exaone", "<thought>"},
    {"reasoning", "<reasoning>"},
});

}  // namespace confab::engine
