// SPDX-License-Identifier: MIT
// The methods of str, list, tuple and dict that a template may call.
#pragma once

#include <string_view>

#include "engine/prompt/jinja/arguments.h"

namespace confab::engine::jinja {

// Returns an empty Function if the value has no such method.
Function find_method(const Value& self, std::string_view name);
// Whether it is a method that Python has but Jinja's immutable sandbox refuses (list.append,
// dict.update).
bool is_unsafe_method(const Value& self, std::string_view name);

}  // namespace confab::engine::jinja
