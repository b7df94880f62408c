// SPDX-License-Identifier: MIT
// Filters that take text; some of them make HTML of it, or unmake it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/prompt/jinja/arguments.h"
#include "engine/prompt/jinja/builtins/string_methods.h"
#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/text.h"

namespace confab::engine::jinja {

struct WrapStyle {
  std::size_t width = 79;  // characters, at least 1
  bool break_long_words = true;
  bool break_on_hyphens = true;
};

// Breaks a line into shorter ones: Python's textwrap, as the filter wordwrap calls it. White space
// at the ends of lines is dropped. Empty for a text of white space alone. Linear; counts its work.
std::vector<Text> wrap_line(Runtime& runtime, const Text& text, const WrapStyle& style);

std::span<const NamedFunction> string_filters() noexcept;

}  // namespace confab::engine::jinja
