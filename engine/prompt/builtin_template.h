// SPDX-License-Identifier: MIT
// Chat templates that a user can name, for models whose files have no template or a wrong one. The
// names are llama.cpp's.
#pragma once

#include <span>
#include <string_view>

namespace confab::engine {

struct BuiltinTemplate {
  std::string_view name;
  std::string_view text;
  // The texts that end an answer, separated by spaces. The first is a token in the models that the
  // template is for. In a model where it is not a token, all of them become stop strings.
  std::string_view ends;
};

std::span<const BuiltinTemplate> builtin_templates() noexcept;
// Returns nullptr if there is no template of that name.
const BuiltinTemplate* find_builtin_template(std::string_view name) noexcept;

}  // namespace confab::engine
