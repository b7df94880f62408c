// SPDX-License-Identifier: MIT
// Filters that take text.
#pragma once

#include <span>

#include "engine/prompt/jinja/arguments.h"
#include "engine/prompt/jinja/builtins/string_methods.h"

namespace confab::engine::jinja {

std::span<const NamedFunction> string_filters() noexcept;

}  // namespace confab::engine::jinja
