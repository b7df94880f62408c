// SPDX-License-Identifier: MIT
// What stands after `is`: defined, none, mapping, divisibleby, ...
#pragma once

#include <string_view>

#include "engine/prompt/jinja/arguments.h"

namespace confab::engine::jinja {

using TestFunction = Builtin<bool>;

// Throws ModelError when there is no test of that name.
TestFunction find_test(Runtime& runtime, std::string_view name);

}  // namespace confab::engine::jinja
