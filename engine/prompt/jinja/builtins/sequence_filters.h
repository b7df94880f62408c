// SPDX-License-Identifier: MIT
// Filters on lists, dicts and anything else that can be looped over.
#pragma once

#include <span>

#include "engine/prompt/jinja/arguments.h"

namespace confab::engine::jinja {

std::span<const NamedFunction> sequence_filters() noexcept;

}  // namespace confab::engine::jinja
