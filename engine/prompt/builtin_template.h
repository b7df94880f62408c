// SPDX-License-Identifier: MIT
// Chat templates that a person can name, for models whose files have none or a wrong one. The names
// are llama.cpp's.
#pragma once

#include <span>
#include <string_view>

namespace confab::engine {

struct BuiltinTemplate {
  std::string_view name;
  std::string_view text;
  // What ends an answer, separated by spaces: the first is a token of the models that it is for;
  // where it is none, all of these are written out, and an answer ends where it has one.
  std::string_view ends;
};

std::span<const BuiltinTemplate> builtin_templates() noexcept;
const BuiltinTemplate* find_builtin_template(std::string_view name) noexcept;  // nullptr: none

}  // namespace confab::engine
