// SPDX-License-Identifier: MIT
// The templates that confab has: one for each class of prompts, which change little, and those that
// are commands.
#pragma once

#include <span>
#include <string_view>

namespace confab::app {

struct BuiltinTemplate {
  std::string_view name;
  std::string_view source;  // TOML, as a file of one's own has it
};

std::span<const BuiltinTemplate> builtin_templates() noexcept;

}  // namespace confab::app
