// SPDX-License-Identifier: MIT
// Filters that apply another filter or a test to each element: map, select, reject, ...
#pragma once

#include <span>

#include "engine/prompt/jinja/arguments.h"

namespace confab::engine::jinja {

std::span<const NamedFunction> selection_filters() noexcept;

// The element or attribute at `path`: "a.b", or a number. Undefined when there is none.
Value attribute_path(Runtime& runtime, const Value& item, const Value& path);

}  // namespace confab::engine::jinja
