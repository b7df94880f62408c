// SPDX-License-Identifier: MIT
// Filters on text. Some of them write HTML, or remove it.
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

// Breaks a line into shorter ones, like Python's textwrap as the filter wordwrap calls it. White
// space at the ends of lines is dropped, so the result is empty for white space alone. Takes linear
// time and counts its work.
std::vector<Text> wrap_line(Runtime& runtime, const Text& text, const WrapStyle& style);

std::span<const NamedFunction> string_filters() noexcept;

}  // namespace confab::engine::jinja
