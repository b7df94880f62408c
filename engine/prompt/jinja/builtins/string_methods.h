// SPDX-License-Identifier: MIT
// The methods of Python's str, on marked text.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/prompt/jinja/arguments.h"

namespace confab::engine::jinja {

// All but string_search_methods().
std::span<const NamedFunction> string_methods() noexcept;

// Also used by the filters of the same meaning. Linear in both texts. Without `chars`: white space.
enum class Side { left, right, both };
Text strip(const Text& text, std::optional<std::string_view> chars, Side side);
Text capitalize(Runtime& runtime, const Text& text);
// Text in the middle of `fill` characters, `width` characters wide.
Text center(Runtime& runtime, const Text& text, std::int64_t width, const Text& fill = Text(" "));
// Text with the upper- or lower-case form of its bytes.
Text upper(Runtime& runtime, const Text& text);
Text lower(Runtime& runtime, const Text& text);

}  // namespace confab::engine::jinja
