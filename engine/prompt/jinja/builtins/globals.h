// SPDX-License-Identifier: MIT
// The functions a template starts with: range, dict, namespace, cycler, joiner, and those of
// Hugging Face transformers: raise_exception, strftime_now.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

// Empty when there is no such function.
std::optional<Value> find_global(Runtime& runtime, std::string_view name);

}  // namespace confab::engine::jinja
