// SPDX-License-Identifier: MIT
// What stands after `|`: Jinja's filters, and tojson as Hugging Face transformers defines it.
#pragma once

#include <string_view>

#include "engine/prompt/jinja/arguments.h"

namespace confab::engine::jinja {

// Throws ModelError when there is no filter of that name.
Function find_filter(Runtime& runtime, std::string_view name);
bool has_filter(std::string_view name) noexcept;

}  // namespace confab::engine::jinja
