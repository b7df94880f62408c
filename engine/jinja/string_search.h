// SPDX-License-Identifier: MIT
// The methods of Python's str that look for one text in another: find, split, replace, ...
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/jinja/arguments.h"

namespace confab::engine::jinja {

std::span<const NamedFunction> string_search_methods() noexcept;

// At most `count` times; negative: everywhere.
Text replace(Runtime& runtime, const Text& text, const Text& from, const Text& to,
             std::int64_t count);
// The parts between runs of white space.
std::vector<Text> split_words(const Text& text);
// Lines, without their ends unless `keep_ends`.
std::vector<Text> split_lines(const Text& text, bool keep_ends = false);

}  // namespace confab::engine::jinja
