// SPDX-License-Identifier: MIT
// What stands after `|`: Jinja's filters, and tojson as Hugging Face transformers defines it. And
// what stands after `is`: defined, none, mapping, divisibleby, ... Filters apply tests, and tests
// ask for filters, so they are found in one place.
#pragma once

#include <string_view>

#include "engine/prompt/jinja/arguments.h"

namespace confab::engine::jinja {

// Throws ModelError when there is no filter of that name.
Function find_filter(Runtime& runtime, std::string_view name);
bool has_filter(std::string_view name) noexcept;

using TestFunction = Builtin<bool>;

// Throws ModelError when there is no test of that name.
TestFunction find_test(Runtime& runtime, std::string_view name);

}  // namespace confab::engine::jinja
