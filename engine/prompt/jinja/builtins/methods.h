// SPDX-License-Identifier: MIT
// The methods of str, list, tuple and dict that a template may call.
#pragma once

#include <string_view>

#include "engine/prompt/jinja/arguments.h"

namespace confab::engine::jinja {

// None when the value has no such method.
Function find_method(const Value& self, std::string_view name);
// A method that Python has and its immutable sandbox refuses (list.append, dict.update).
bool is_unsafe_method(const Value& self, std::string_view name);

}  // namespace confab::engine::jinja
