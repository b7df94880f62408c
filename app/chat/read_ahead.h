// SPDX-License-Identifier: MIT
// How much of a text that is being typed the model may read ahead of the question.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::app {

// The settled part of a draft: up to the last white space, since the word after it may still
// change. nullopt: the model should go on with what it has, since less than kReadAheadStep bytes
// are new beside `prepared`, the part that was given to it last.
inline constexpr std::size_t kReadAheadStep = 200;
std::optional<std::string> settled_part(std::string_view draft, std::string_view prepared);

}  // namespace confab::app
