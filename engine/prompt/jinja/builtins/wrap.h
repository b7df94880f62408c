// SPDX-License-Identifier: MIT
// Breaking a line of text into shorter ones: Python's textwrap, as the filter wordwrap calls it.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/text.h"

namespace confab::engine::jinja {

struct WrapStyle {
  std::size_t width = 79;  // characters, at least 1
  bool break_long_words = true;
  bool break_on_hyphens = true;
};

// White space at the ends of lines is dropped. Empty for a text of white space alone. Linear;
// counts its work.
std::vector<Text> wrap_line(Runtime& runtime, const Text& text, const WrapStyle& style);

}  // namespace confab::engine::jinja
