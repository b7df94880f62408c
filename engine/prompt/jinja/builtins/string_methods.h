// SPDX-License-Identifier: MIT
// The methods of Python's str, on marked text.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/prompt/jinja/arguments.h"

namespace confab::engine::jinja {

// All methods except string_search_methods().
std::span<const NamedFunction> string_methods() noexcept;

// The corresponding filters use these as well. Linear in both texts. Without `chars`, strip()
// removes white space.
enum class Side { left, right, both };
Text strip(const Text& text, std::optional<std::string_view> chars, Side side);
Text capitalize(Runtime& runtime, const Text& text);
// Centres the text in `width` characters, padded with `fill`.
Text center(Runtime& runtime, const Text& text, std::int64_t width, const Text& fill = Text(" "));
// The text in upper or lower case.
Text upper(Runtime& runtime, const Text& text);
Text lower(Runtime& runtime, const Text& text);

}  // namespace confab::engine::jinja
