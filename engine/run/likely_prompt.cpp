// SPDX-License-Identifier: MIT
#include "engine/run/likely_prompt.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "engine/prompt/prompt.h"

namespace confab::engine {
namespace {

// Two beginnings of a question that have nothing in common, not even a token: what the prompts that
// they make share is what any question's will begin with.
constexpr std::array<std::string_view, 2> kProbes = {"What", "\n7"};

}  // namespace

std::vector<Token> likely_prompt(const PromptBuilder& builder, const PrepareRequest& request,
                                 const std::stop_token& stop) {
  std::vector<Turn> turns = request.turns;
  turns.push_back({.message = {.role = "user", .content = {}}});
  std::array<std::vector<Token>, kProbes.size()> prompts;
  for (std::size_t i = 0; i < kProbes.size(); ++i) {
    turns.back().message.content = request.draft + std::string(kProbes[i]);
    prompts[i] = builder.build(turns, request.settings, stop);
  }
  const auto end = std::ranges::mismatch(prompts[0], prompts[1]).in1;
  return {prompts[0].begin(), end};
}

}  // namespace confab::engine
