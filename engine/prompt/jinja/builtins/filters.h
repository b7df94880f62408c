// SPDX-License-Identifier: MIT
// Finds filters and tests by name. Filters stand after `|`: Jinja's, and tojson as Hugging Face
// transformers defines it. Tests stand after `is`: defined, none, mapping, divisibleby and so on.
// They share a unit because filters apply tests, and the test `filter` looks for filters.
#pragma once

#include <string_view>

#include "engine/prompt/jinja/arguments.h"

namespace confab::engine::jinja {

// Throws ModelError if there is no filter of that name.
Function find_filter(Runtime& runtime, std::string_view name);
bool has_filter(std::string_view name) noexcept;

using TestFunction = Builtin<bool>;

// Throws ModelError if there is no test of that name.
TestFunction find_test(Runtime& runtime, std::string_view name);

}  // namespace confab::engine::jinja
